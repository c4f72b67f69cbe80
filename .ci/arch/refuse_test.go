package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// write lays a tree of files and returns its top.
func write(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func tree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	loaded, err := Load(write(t, files))
	require.NoError(t, err)
	return loaded
}

// GEN-10, OUT-02: a package that imports what stands above it is refused.
func TestFloorsRefuse(t *testing.T) {
	pkg := func(name string, imports ...string) string {
		text := "package " + name + "\n"
		for _, i := range imports {
			text += fmt.Sprintf("import _ %q\n", i)
		}
		return text
	}
	packages, err := Packages(write(t, map[string]string{
		"go.mod":               "module " + Module + "\n\ngo 1.26\n",
		"llm/a.go":             pkg("llm", "net/http"),
		"llm/other/a.go":       pkg("other", Module+"/llm"),
		"tool/a.go":            pkg("tool", Module+"/llm", Module+"/budget"),
		"budget/a.go":          pkg("budget", Module+"/llm", "C"),
		"compress/a.go":        pkg("compress", Module+"/llm", Module+"/tool"),
		"agent/journal/a.go":   pkg("journal", Module+"/llm"),
		"agent/a.go":           pkg("agent", Module+"/tool", Module+"/llm/openai"),
		"llm/openai/a.go":      pkg("openai", Module+"/llm"),
		"plan/a.go":            pkg("plan", Module+"/agent", Module+"/examples/demo"),
		"team/a.go":            pkg("team", Module+"/plan"),
		"examples/demo/a.go":   pkg("demo", Module+"/llm/openai"),
		"examples/hello/a.go":  pkg("main", Module+"/plan") + "func main() {}\n",
		"plan/a_test.go":       pkg("plan", Module+"/team"), // tests may look up
		"tool/fs/a.go":         pkg("fs", Module+"/tool", Module+"/llm"),
		"tool/mcp/a.go":        pkg("mcp", Module+"/tool"),
		"agent/flow/a.go":      pkg("flow", Module+"/agent"),
		"agent/temporal/a.go":  pkg("temporal", Module+"/plan"),
		"agent/prompt/deep.go": pkg("prompt", Module+"/agent/journal"),
	}))
	require.NoError(t, err)
	require.Equal(t, []string{
		"agent imports " + Module + "/llm/openai, which is not below it",
		"agent/journal imports " + Module + "/llm, which is not below it",
		"agent/prompt imports " + Module + "/agent/journal, which is not below it",
		"agent/temporal imports " + Module + "/plan, which is not below it",
		"budget imports C, which is not below it",
		"llm/other stands on no floor: the table of imports does not know it",
		"plan imports " + Module + "/examples/demo, which is not below it",
		"tool imports " + Module + "/budget, which is not below it",
	}, Floors(packages))
	require.Equal(t, []string{Module + "/budget", Module + "/llm", Module + "/tool"}, Needs(packages, Module+"/tool"))
}

func TestFloorsRefuseForeignModules(t *testing.T) {
	foreign := func(from, path string) map[string]pkg {
		return map[string]pkg{
			Module + "/" + from: {ImportPath: Module + "/" + from, Imports: []string{path}},
			path:                {ImportPath: path},
		}
	}
	for path, from := range map[string]string{
		"github.com/openai/openai-go/v3/option": "llm/openai",
		"golang.org/x/sync/errgroup":            "agent",
		"go.temporal.io/sdk/workflow":           "agent/temporal",
	} {
		require.Empty(t, Floors(foreign(from, path)))
		require.Len(t, Floors(foreign("llm", path)), 1, path)
		require.ElementsMatch(t, []string{Module + "/llm", path}, Needs(foreign("llm", path), Module+"/llm"))
	}
	require.Len(t, Floors(foreign("llm/openai", "github.com/openai/openai-go/v33")), 1)
}

func TestPackagesSaysWhatFails(t *testing.T) {
	_, err := Packages(write(t, map[string]string{"go.mod": "module x y\n"}))
	require.ErrorContains(t, err, "go.mod")
}

func TestDirectRefuses(t *testing.T) {
	require.Equal(t, []string{
		"go.mod requires example.com/one, which the design does not list",
		"go.mod requires example.com/two, which the design does not list",
		"go.mod replaces a module: replace golang.org/x/sync => ../sync",
	}, Direct([]byte(`module x

require example.com/one v1.0.0
require (
	example.com/two v1.0.0
	golang.org/x/sync v0.1.0
	example.com/three v1.0.0 // indirect
)
require example.com/four v1.0.0 // indirect
replace golang.org/x/sync => ../sync
`)))
}

func TestLayoutRefuses(t *testing.T) {
	require.Equal(t, []string{
		"internal: the design does not have it at the top",
		"internal/util: the name says nothing",
		"main.go: the design does not have it at the top",
		"tool/common: the name says nothing",
		"go.mod: missing", "README.md: missing", "design.md: missing", "BENCHMARKS.md: missing",
	}, Layout(tree(t, map[string]string{
		"LICENSE": "", "main.go": "package main", "internal/util/a.go": "package util", "internal/b.go": "package internal",
		"tool/common/a/a.go": "package a", "tool/testdata/util/a.txt": "", "examples/internal/cli/a.go": "package cli",
		".ci/run": "", ".cache/x": "", "tool.test": "", "cover.out": "",
	})))
}

func TestSizesRefuse(t *testing.T) {
	long := func(n int) string { return "package llm\n" + strings.Repeat("//\n", n-1) }
	require.Equal(t, []string{"llm/b.go: 401 lines, at most 400"},
		Sizes(tree(t, map[string]string{"llm/a.go": long(400), "llm/b.go": long(401), "llm/a_test.go": long(500)})))
}

func TestWordsRefuse(t *testing.T) {
	bad := []string{
		"TO" + "DO: later", "(FIX" + "ME)", "it is not imple" + "mented", "see /wor" + "k/main", "`/hom" + "e/ann/x`",
		"\"/roo" + "t/go\"", "proxy.golan" + "g.org", "/tmp/bas" + "h_jobs/1",
	}
	good := []string{"mastodon", "a work/main folder", "~/root/x", "example.com/home/", "https://golang.org", "/rooted"}
	for _, text := range bad {
		faults := Words(tree(t, map[string]string{"README.md": "fine\n" + text + "\n"}))
		require.Len(t, faults, 1, text)
		require.Contains(t, faults[0], "README.md:2: ")
		require.Len(t, Words(tree(t, map[string]string{".ci/run": text, "llm/testdata/rapid/x.fail": text})), 1, text)
	}
	for _, text := range good {
		require.Empty(t, Words(tree(t, map[string]string{"README.md": text})), text)
	}
	require.Empty(t, Words(tree(t, map[string]string{"image.png": "\xff" + bad[0]})))
}

func TestIDsRefuse(t *testing.T) {
	faults, named := IDs(tree(t, map[string]string{
		"llm/a_test.go":         "package llm\n\n// LLM-01, LLM-E3, GEN-04 · SES-13, B053, BUD-E88\n// LLM-1, TOOL_05, AGT12, HTTP-2, GOB123\n",
		"plan/testdata/a.txtar": "PLAN-99\n",
		"llm/a.go":              "package llm\n\n// LLM-7\n",
	}), "")
	require.Equal(t, []string{
		"llm/a_test.go: AGT12 is no id of a requirement",
		"llm/a_test.go: LLM-1 is no id of a requirement",
		"llm/a_test.go: TOOL_05 is no id of a requirement",
	}, faults)
	require.True(t, named["B053"] && named["SES-13"] && named["PLAN-99"])
	require.False(t, named["LLM-7"])

	faults, _ = IDs(tree(t, map[string]string{"a_test.go": "package a\n\n// LLM-01, LLM-02, B001, B002\n"}), "**LLM-01** **B001**")
	require.Equal(t, []string{"B002: named by a test and defined nowhere", "LLM-02: named by a test and defined nowhere"}, faults)
}

// GEN-01: a deciding file that acts is refused.
func TestPureRefuses(t *testing.T) {
	acting := `package agent

import (
	"context"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"
)

func f(c chan int) {
	go f(nil)
	_ = time.Now()
	_ = time.Second
	c <- 1
}
`
	faults := Pure(tree(t, map[string]string{"agent/next.go": acting, "agent/run.go": acting, "plan/state.go": "package plan\n\nimport \"time\"\n\nvar d time.Duration\n"}))
	require.Equal(t, []string{
		"agent/next.go decides, and imports context",
		"agent/next.go decides, and imports math/rand/v2",
		"agent/next.go decides, and imports os",
		"agent/next.go decides, and imports sync/atomic",
		"agent/next.go:11 decides, and acts",
		"agent/next.go:12 decides, and acts",
		"agent/next.go:13 decides, and asks the clock",
		"agent/next.go:15 decides, and acts",
	}, faults)
}

func TestQuietRefuses(t *testing.T) {
	loud := `package a

import (
	"fmt"
	"log/slog"
	"os"
)

func init() {}

func F() {
	fmt.Println()
	fmt.Fprintln(os.Stderr)
	println()
	_ = fmt.Sprint()
	os.Exit(1)
	slog.Info("")
}
`
	require.Equal(t, []string{
		"llm/a.go imports log/slog", "llm/a.go:9 has an init function", "llm/a.go:12 uses fmt.Println",
		"llm/a.go:13 uses os.Stderr", "llm/a.go:14 prints", "llm/a.go:16 uses os.Exit",
	}, Quiet(tree(t, map[string]string{"llm/a.go": loud, "llm/a_test.go": loud, "examples/x/a.go": loud})))
}

func TestTypesRefuse(t *testing.T) {
	require.Equal(t, []string{
		"agent/a.go:5: a type named RunManager", "agent/a.go:5: a struct keeps a context",
		"agent/a.go:6: a type named Context", "agent/a.go:8: the context is not the first parameter",
	}, Types(tree(t, map[string]string{"agent/a.go": `package agent

import "context"

type RunManager struct{ ctx context.Context }
type Context struct{}

func f(n int, ctx context.Context) {}
func g(ctx context.Context, n int) {}
`})))
}

func TestDocsRefuse(t *testing.T) {
	require.Equal(t, []string{
		"llm/a.go: package llm has no comment", "llm/a.go:12: C has no comment", "llm/a.go:18: H has no comment",
		"llm/a.go:20: M has no comment", "llm/a.go:3: A has no comment",
	}, Docs(tree(t, map[string]string{"llm/a.go": `package llm

type A struct{}

// B is.
type B struct{}

type (
	// D is.
	D int
)
var C = 1

const (
	E = 1 // is
)

func H() {}

func (A) M() {}
func (b) N() {}

type b struct{}
`, "llm/a_test.go": "package llm\n\nfunc TestX() {}\n"})))
}

func TestTestsRefuse(t *testing.T) {
	skips := "import (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc f(t *testing.T) {\n\tt.Skip()\n\tt.SkipNow()\n\tt.Skip(\"no npm\")\n\ttime.Sleep(1)\n}\n"
	require.Equal(t, []string{
		"llm/a_test.go:9 skips without a reason", "llm/a_test.go:10 skips without a reason", "llm/a_test.go:12 sleeps on a real clock",
	}, Tests(tree(t, map[string]string{"llm/a_test.go": "package llm\n\n" + skips})))
	require.Empty(t, Tests(tree(t, map[string]string{
		"llm/a_test.go":  "package llm\n\nimport (\n\t_ \"testing/synctest\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1) }\n",
		"llm/b_test.go":  "package llm\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n",
		"tool/a_test.go": "package tool\n\nimport \"time\"\n\nfunc BenchmarkX() { time.Sleep(1) }\n\nfunc FuzzX(f *testing.F) { f.Skip() }\n",
	})))
}

func TestStateRefuses(t *testing.T) {
	require.Equal(t, []string{
		"llm/a.go:11: the package's variable lock is there to change",
		"llm/a.go:12: the package's variable queue is there to change",
		"llm/b.go:4: the package's variable count changes",
		"llm/b.go:5: the package's variable count changes",
		"llm/b.go:6: the package's variable known changes",
		"llm/b.go:7: the package's variable known changes",
		"llm/b.go:8: the package's variable count changes",
	}, State(tree(t, map[string]string{"llm/a.go": `package llm

import (
	"errors"
	"regexp"
	"sync"
)

var count int
var known = map[string]int{}
var lock sync.Mutex
var queue = make(chan int)
var ErrX = errors.New("x")
var form = regexp.MustCompile("x")
`, "llm/b.go": `package llm

func f() {
	count = 1
	count++
	known["a"] = 1
	delete(known, "a")
	_ = &count
	known := map[string]int{}
	known["b"] = form.NumSubexp()
	g := func(count int) { count = 2 }
	g(1)
}
`})))
}

func TestReadmeRefuses(t *testing.T) {
	test := "package llm_test\n\nfunc Example_hello() {\n\tif true {\n\t\tf()\n\t}\n\t// Output:\n\t// hi\n}\n"
	readme := "Hi:\n\n```go\nif true {\n\tf()\n}\n```\n\n```sh\ngo test\n```\n\n```go\nif false {\n```\n"
	require.Equal(t, []string{"README.md: no Example has the body that begins if false {"},
		Readme(tree(t, map[string]string{"README.md": readme, "llm/a_test.go": test}), "README.md"))
}
