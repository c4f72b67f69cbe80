package arch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// Module is the path of the root module.
const Module = "github.com/triad-go/triad"

// A floor says what a package may import besides the standard library.
type floor struct {
	pkg     string   // from the top; its last element may be *
	own     string   // packages of this project, from the top, separated by spaces
	foreign []string // of other modules, by prefix
}

// floors is the import table of the design. The first that fits counts.
var floors = []floor{
	{pkg: "llm"},
	{pkg: "llm/llmtest", own: "llm"},
	{pkg: "llm/openai", own: "llm", foreign: []string{"github.com/openai/openai-go/v3"}},
	{pkg: "budget", own: "llm"},
	{pkg: "tool", own: "llm", foreign: []string{
		"github.com/invopop/jsonschema", "github.com/santhosh-tekuri/jsonschema/v6",
		"golang.org/x/sync", "golang.org/x/text", // the validator tells faults through x/text
	}},
	{pkg: "tool/web", own: "llm tool", foreign: []string{
		"code.dny.dev/ssrf", "github.com/JohannesKaufmann/html-to-markdown/v2", "golang.org/x/net", "golang.org/x/text",
	}},
	{pkg: "tool/skill", own: "llm tool", foreign: []string{"go.yaml.in/yaml/v4"}},
	{pkg: "tool/mcp", own: "llm tool", foreign: []string{"*"}},                           // a module of its own
	{pkg: "tool/*", own: "llm tool", foreign: []string{"github.com/invopop/jsonschema"}}, // inputs may describe themselves
	{pkg: "compress", own: "llm tool"},
	{pkg: "agent/journal"},
	{pkg: "agent/journal/journaltest", own: "agent/journal"},
	{pkg: "agent", own: "llm tool budget compress agent/journal", foreign: []string{"golang.org/x/sync"}},
	{pkg: "agent/prompt", own: "llm tool agent"}, // it is one of agent's prompt sources
	{pkg: "agent/flow", own: "llm tool budget compress agent agent/journal agent/prompt", foreign: []string{"golang.org/x/sync"}},
	{pkg: "agent/temporal", own: "llm tool budget agent agent/journal", foreign: []string{"*"}}, // modules of their own
	{pkg: "agent/otel", own: "llm tool budget agent agent/journal", foreign: []string{"*"}},
	{pkg: "agent/trace", own: "llm tool budget agent agent/journal"},
	{pkg: "plan", own: "llm tool budget compress agent agent/journal agent/flow agent/prompt", foreign: []string{"golang.org/x/sync"}},
	{pkg: "team", own: "llm tool budget compress agent agent/journal agent/flow agent/prompt plan", foreign: []string{"golang.org/x/sync"}},
}

// direct is what the root go.mod may require by itself; see design.md.
var direct = []string{
	"github.com/openai/openai-go/v3", // llm/openai
	"github.com/invopop/jsonschema",  // tool
	"github.com/santhosh-tekuri/jsonschema/v6",
	"golang.org/x/sync",
	"golang.org/x/text",
	"go.yaml.in/yaml/v4", // tool/skill
	"code.dny.dev/ssrf",  // tool/web
	"github.com/JohannesKaufmann/html-to-markdown/v2",
	"golang.org/x/net",
	"github.com/stretchr/testify", // tests
	"pgregory.net/rapid",
	"go.uber.org/goleak",
	"github.com/rogpeppe/go-internal",
}

// A pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// Packages returns all packages that those of the module in dir need, by import path.
func Packages(dir string) (map[string]pkg, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fmt.Errorf("go list: %w: %s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := make(map[string]pkg)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := decoder.Decode(&p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages[p.ImportPath] = p
	}
}

// Floors checks imports against the table.
func Floors(packages map[string]pkg) (faults []string) {
	for _, p := range packages {
		name, own := strings.CutPrefix(p.ImportPath, Module+"/")
		if !own || strings.HasPrefix(name+"/", "examples/") {
			continue
		}
		i := slices.IndexFunc(floors, func(f floor) bool { ok, _ := path.Match(f.pkg, name); return ok })
		if i < 0 {
			faults = append(faults, name+" stands on no floor: the table of imports does not know it")
			continue
		}
		for _, imported := range p.Imports {
			if !floors[i].takes(packages[imported]) {
				faults = append(faults, name+" imports "+imported+", which is not below it")
			}
		}
	}
	slices.Sort(faults)
	return faults
}

func (f floor) takes(p pkg) bool {
	if p.Standard || p.ImportPath == "C" || p.ImportPath == "unsafe" {
		return p.ImportPath != "C"
	}
	if p.ImportPath == Module {
		return false
	}
	if own, ok := strings.CutPrefix(p.ImportPath, Module+"/"); ok {
		return slices.Contains(strings.Fields(f.own), own)
	}
	return slices.ContainsFunc(f.foreign, func(m string) bool {
		return m == "*" || p.ImportPath == m || strings.HasPrefix(p.ImportPath, m+"/")
	})
}

// Needs returns whatever the package needs, itself included, that is not of the
// standard library.
func Needs(packages map[string]pkg, name string) (needs []string) {
	seen := make(map[string]bool)
	var visit func(string)
	visit = func(name string) {
		p := packages[name]
		if seen[name] || p.Standard || p.ImportPath == "" {
			return
		}
		seen[name] = true
		needs = append(needs, name)
		for _, imported := range p.Imports {
			visit(imported)
		}
	}
	visit(name)
	slices.Sort(needs)
	return needs
}

// Direct checks the direct dependencies in the text of the root go.mod.
func Direct(gomod []byte) (faults []string) {
	required := false
	for line := range strings.Lines(string(gomod)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			required = true
			continue
		case line == ")":
			required = false
			continue
		case strings.HasPrefix(line, "replace"):
			faults = append(faults, "go.mod replaces a module: "+line)
		}
		single, one := strings.CutPrefix(line, "require ")
		if (!required && !one) || strings.HasSuffix(line, "// indirect") {
			continue
		}
		if module, _, ok := strings.Cut(single, " "); ok && !slices.Contains(direct, module) {
			faults = append(faults, "go.mod requires "+module+", which the design does not list")
		}
	}
	return faults
}
