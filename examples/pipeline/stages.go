package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// A Report is what goes from stage to stage. It is kept as JSON.
type Report struct {
	Topic    string       `json:"topic"`
	Files    []string     `json:"files,omitempty"`
	Template string       `json:"template,omitempty"`
	Outline  []string     `json:"outline,omitempty"`
	Found    string       `json:"found,omitempty"`
	Sections []section    `json:"sections,omitempty"`
	Text     string       `json:"text,omitempty"`
	Spent    budget.Spent `json:"spent,omitzero"`
}

type section struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

type stage = func(context.Context, flow.Visit, Report) (Report, error)

// in lets the trouble that the flags ask for befall a stage, after its work:
// that is when a crash costs most.
func (d *desk) in(do stage) stage {
	return func(ctx context.Context, v flow.Visit, r Report) (Report, error) {
		r, err := do(ctx, v, r)
		switch v.Stage {
		case d.kill:
			os.Exit(137)
		case d.fail:
			return r, errors.New("it was asked to fail")
		}
		return r, err
	}
}

// collect sees what there is.
func (d *desk) collect(_ context.Context, _ flow.Visit, r Report) (Report, error) {
	entries, err := os.ReadDir(d.Dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			r.Files = append(r.Files, e.Name())
		}
	}
	return r, err
}

// template is chosen by code: no model is needed for what a rule can tell.
func (d *desk) template(ctx context.Context, _ flow.Visit, r Report) (Report, error) {
	label := func(_ context.Context, r Report) (string, error) {
		for _, name := range r.Files {
			if name == "go.mod" {
				return "module", nil
			}
		}
		return "", flow.ErrUnclear
	}
	named := func(name string) func(context.Context, Report) (Report, error) {
		return func(_ context.Context, r Report) (Report, error) { r.Template = name; return r, nil }
	}
	return flow.Route(ctx, r, label, map[string]func(context.Context, Report) (Report, error){"module": named("Report on a Go module")}, named("Report"))
}

// outline asks a model, and lets nothing through that is no list.
func (d *desk) outline(ctx context.Context, v flow.Visit, r Report) (Report, error) {
	loop := &agent.Loop{Client: d.Client(demo.New(demo.Outline)), Instructions: "Answer with the titles of two to four sections, one a line, and nothing else."}
	prompt := fmt.Sprintf("Outline a report: %s\nFiles: %s", r.Topic, strings.Join(r.Files, ", "))
	text, err := d.ask(ctx, v, loop, prompt, &r)
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, " \t\r\n-*#.1234567890"); line != "" {
			r.Outline = append(r.Outline, line)
		}
	}
	if err == nil && len(r.Outline) == 0 {
		err = errors.New("the model gave no outline")
	}
	return r, err
}

// search has an agent look at the files. If the stage runs again, it goes on
// with the agent's run where that was.
func (d *desk) search(ctx context.Context, v flow.Visit, r Report) (Report, error) {
	files, err := fs.Open(d.Dir)
	if err != nil {
		return r, err
	}
	defer files.Close()
	loop := &agent.Loop{
		Client: d.Client(demo.New(demo.React)), Tools: tool.NewRegistry(files.ReadTools()...), Budget: d.Budget(),
		Instructions: "Collect facts for a report from the files. Look before you answer.",
	}
	r.Found, err = d.ask(ctx, v, loop, fmt.Sprintf("Find what a report on this needs: %s. Its sections: %s.", r.Topic, strings.Join(r.Outline, "; ")), &r)
	return r, err
}

// schema brings what was found into the form that render relies on.
func (d *desk) schema(_ context.Context, _ flow.Visit, r Report) (Report, error) {
	lines := strings.Split(strings.TrimSpace(r.Found), "\n")
	for i, title := range r.Outline {
		s := section{Title: title, Body: "Nothing was found."}
		if i < len(lines) {
			s.Body = lines[i]
		}
		if i == len(r.Outline)-1 && i < len(lines) {
			s.Body = strings.Join(lines[i:], "\n")
		}
		r.Sections = append(r.Sections, s)
	}
	return r, nil
}

// render writes the file. To write it twice does no harm.
func (d *desk) render(_ context.Context, _ flow.Visit, r Report) (Report, error) {
	text := "# " + r.Template + ": " + r.Topic + "\n"
	for _, s := range r.Sections {
		text += "\n## " + s.Title + "\n\n" + s.Body + "\n"
	}
	r.Text = text
	if err := os.MkdirAll(filepath.Dir(d.report), 0o755); err != nil {
		return r, err
	}
	return r, os.WriteFile(d.report, []byte(text), 0o644)
}

// ask has a loop answer within the stage's own scope, and counts what it spent.
func (d *desk) ask(ctx context.Context, v flow.Visit, loop *agent.Loop, prompt string, r *Report) (string, error) {
	run, err := loop.Open(ctx, v.Scope(), prompt)
	if err != nil {
		return "", err
	}
	if !run.Result().Ended() {
		for event, err := range run.Events(ctx) {
			if err != nil {
				return "", err
			}
			d.Show(agent.Inner{Path: v.Stage, Event: event})
		}
	}
	result := run.Result()
	r.Spent = r.Spent.Plus(result.Spent)
	if result.Reason != agent.Completed {
		return "", &flow.EndError{Result: result}
	}
	return result.Text, nil
}
