package prompt

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
)

// The approvals that have a built-in file, for [Source.Approval].
const (
	Ask      = "ask"      // a person is asked before side effects
	Headless = "headless" // nobody can be asked
)

// A Source is an [agent.Prompter] that builds the system text from its layers.
// A run asks it once for each message of the user, so within one message the
// text, and with it a provider's cache, stays. The zero Source is that of a
// Loop, with the built-in files.
//
// Files hold marks such as {{tools}}, in whose place values are put. It is done
// in one pass: a mark inside a value is left alone, and so is one that nobody
// knows. A paragraph whose marks all stand for nothing is left out.
type Source struct {
	// Files are what [Load] returned; nil is the built-in ones.
	Files *Files

	// Mode names the file of the mode or role; empty is [React].
	Mode string

	// Approval names the file of the approval; empty leaves the layer out.
	Approval string

	// Context tells what is true now, for {{context}}; nil tells nothing. What
	// it returns replaces what it returned before.
	Context func(ctx context.Context, o agent.Occasion) (string, error)

	// Skills tells of the skills to choose from, for {{skills}}, such as
	// Library.Catalog of package tool/skill; nil tells of none.
	Skills func() string

	// Values are put in the place of marks of the host's own, by name: small
	// letters, digits and _. The names tools, context, remember, skills and run
	// are taken.
	Values map[string]string
}

// A layer is a part of the system text. One that is made of values is left out
// where there are none.
type layer struct {
	file string
	of   []string // values
}

// layers is their order; modes and approvals have a file by name.
var layers = []layer{
	{file: "base.md"},
	{file: "personality.md"},
	{file: "modes"},
	{file: "approval"},
	{file: "context.md", of: []string{"context", "remember"}},
	{file: "skills.md", of: []string{"skills"}},
	{file: "output.md"},
}

func isLayer(name string) bool {
	return slices.ContainsFunc(layers, func(l layer) bool { return l.file == name })
}

// Prompt implements [agent.Prompter].
func (s *Source) Prompt(ctx context.Context, o agent.Occasion) (string, error) {
	files := s.Files
	if files == nil {
		var err error
		if files, err = Load(); err != nil {
			return "", err
		}
	}
	values, err := s.values(ctx, o)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, l := range layers {
		text, err := s.text(files, l.file)
		if err != nil {
			return "", err
		}
		if l.of != nil && !slices.ContainsFunc(l.of, func(name string) bool { return values[name] != "" }) {
			continue
		}
		if text = render(text, values); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// text returns the file of a layer.
func (s *Source) text(files *Files, file string) (string, error) {
	name := file
	switch {
	case file == "modes":
		name = "modes/" + cmp.Or(s.Mode, React) + ".md"
	case file == "approval" && s.Approval == "":
		return "", nil
	case file == "approval":
		name = "approval/" + s.Approval + ".md"
	}
	text, ok := files.texts[name]
	if !ok {
		return "", fmt.Errorf("prompt: %s: %w", name, ErrNoFile)
	}
	return text, nil
}

func (s *Source) values(ctx context.Context, o agent.Occasion) (map[string]string, error) {
	values := maps.Clone(s.Values)
	if values == nil {
		values = make(map[string]string)
	}
	values["tools"], values["run"] = strings.Join(o.Tools, ", "), o.Run
	values["remember"], values["context"], values["skills"] = o.Remember, "", ""
	if s.Context != nil {
		text, err := s.Context(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("prompt: asking for the context: %w", err)
		}
		values["context"] = text
	}
	if s.Skills != nil {
		values["skills"] = s.Skills()
	}
	for name, value := range values {
		values[name] = strings.TrimSpace(value)
	}
	return values, nil
}

var (
	mark      = regexp.MustCompile(`\{\{([a-z][a-z0-9_]*)\}\}`)
	paragraph = regexp.MustCompile(`\n(?:[ \t]*\n)+`)
)

// render fills in the values, and leaves out paragraphs of which nothing remains.
func render(text string, values map[string]string) string {
	var kept []string
	for _, p := range paragraph.Split(text, -1) {
		known, filled := false, false
		for _, m := range mark.FindAllStringSubmatch(p, -1) {
			value, ok := values[m[1]]
			known, filled = known || ok, filled || value != ""
		}
		if known && !filled {
			continue
		}
		kept = append(kept, mark.ReplaceAllStringFunc(p, func(m string) string {
			if value, ok := values[m[2:len(m)-2]]; ok {
				return value
			}
			return m
		}))
	}
	return strings.Join(kept, "\n\n")
}
