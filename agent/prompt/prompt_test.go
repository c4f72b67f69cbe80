package prompt_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of the archive in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	const path = "testdata/prompts.txtar"
	archive, err := txtar.ParseFile(path)
	if !*update {
		require.NoError(t, err)
		for _, f := range archive.Files {
			if f.Name == name {
				require.Equal(t, string(f.Data), text+"\n")
				return
			}
		}
		t.Fatalf("%s has no %s", path, name)
	}
	kept := &txtar.Archive{}
	if err == nil {
		kept = archive
	}
	for i := range kept.Files {
		if kept.Files[i].Name == name {
			kept.Files = append(kept.Files[:i], kept.Files[i+1:]...)
			break
		}
	}
	kept.Files = append(kept.Files, txtar.File{Name: name, Data: []byte(text + "\n")})
	require.NoError(t, os.WriteFile(path, txtar.Format(kept), 0o644))
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func load(t *testing.T, levels ...fs.FS) *prompt.Files {
	t.Helper()
	files, err := prompt.Load(levels...)
	require.NoError(t, err)
	return files
}

func text(t *testing.T, s *prompt.Source, o agent.Occasion) string {
	t.Helper()
	text, err := s.Prompt(t.Context(), o)
	require.NoError(t, err)
	return text
}

func full() *prompt.Source {
	return &prompt.Source{
		Approval: prompt.Ask,
		Context:  func(context.Context, agent.Occasion) (string, error) { return "Today is Monday.", nil },
		Skills:   func() string { return "- report: Makes reports." },
	}
}

var occasion = agent.Occasion{Prompt: "Hi", Tools: []string{"read_file", "grep"}, Remember: "The user likes short answers."}

// PRM-01, PRM-04, PRM-05: the default text, whole and with no more than a prompt.
func TestGolden(t *testing.T) {
	whole := text(t, full(), occasion)
	golden(t, "whole", whole)
	golden(t, "least", text(t, &prompt.Source{}, agent.Occasion{Prompt: "Hi"}))
	golden(t, "team-worker, headless", text(t, &prompt.Source{Mode: prompt.TeamWorker, Approval: prompt.Headless}, occasion))

	require.Contains(t, whole, "Put calls that depend on each other into different turns") // PRM-04
	require.Equal(t, 1, strings.Count(whole, "read_file, grep"))                           // PRM-05
	require.Less(t, len(whole), 3000)
}

// PRM-03: every role that comes along; what each must say.
func TestRoles(t *testing.T) {
	files := load(t)
	says := map[string][]string{
		prompt.React:        {"without calls is your answer"},
		prompt.PlanPlanner:  {`{"tasks": [`, `"dependencies": ["1"]`, "side by side"},
		prompt.PlanWorker:   {"Your last message is its result"},
		prompt.PlanCritic:   {`{"passed": true or false`},
		prompt.PlanReporter: {"add nothing"},
		prompt.TeamPlanner:  {`{"tasks": [`, "reviewer"},
		prompt.TeamWorker:   {"sends the task back", "Your last message"},
		prompt.TeamReviewer: {`{"approved": true or false, "summary": "…", "issues": ["…"], "suggestions": ["…"]}`, "not a text"},
		prompt.Router:       {`"confidence": 0 to 1`, `"multi_step"`, `"parallel"`, `"needs_tools"`, `"risk"`},
	}
	require.Len(t, files.Modes(), len(says))
	for _, mode := range files.Modes() {
		for _, words := range says[mode] {
			require.Contains(t, files.Text(mode), words, mode)
		}
		require.NotEmpty(t, says[mode], mode)
		require.NotContains(t, files.Text(mode), "{{", mode)
		require.Less(t, len(files.Text(mode)), 1500, mode)
	}
}

// PRM-01, PRM-E99: the layers are in order, and each can be removed by an empty
// file, of which no heading stays.
func TestLayers(t *testing.T) {
	marked := fstest.MapFS{
		"base.md": file("B {{tools}}"), "personality.md": file("P"), "modes/react.md": file("M"), "approval/ask.md": file("A"),
		"context.md": file("# C\n\n{{context}}\n\n{{remember}}"), "skills.md": file("# S\n{{skills}}"), "output.md": file("O"),
		"notes.md": file("not a layer"), "modes/notes.txt": file("no mode"),
	}
	whole := []string{"B read_file, grep", "P", "M", "A", "# C\n\nToday is Monday.\n\nThe user likes short answers.", "# S\n- report: Makes reports.", "O"}
	s := full()
	s.Files = load(t, marked)
	require.Equal(t, strings.Join(whole, "\n\n"), text(t, s, occasion))
	for i, name := range []string{"base.md", "personality.md", "modes/react.md", "approval/ask.md", "context.md", "skills.md", "output.md"} {
		s.Files = load(t, marked, fstest.MapFS{name: file(" \r\n")})
		rest := append(append([]string{}, whole[:i]...), whole[i+1:]...)
		require.Equal(t, strings.Join(rest, "\n\n"), text(t, s, occasion), name)
	}

	// Without a value the layer that is made of it goes, heading and all.
	s = &prompt.Source{Files: load(t, marked), Skills: func() string { return " \n" }}
	require.Equal(t, "P\n\nM\n\nO", text(t, s, agent.Occasion{}))
	require.Equal(t, "P\n\nM\n\n# C\n\nx\n\nO", text(t, s, agent.Occasion{Remember: "x"}))
}

// PRM-02: the last level that has a file wins, file by file.
func TestLevels(t *testing.T) {
	user := fstest.MapFS{"personality.md": file("user"), "output.md": file("user")}
	project := fstest.MapFS{"output.md": file("project"), "modes/strict.md": file("strict")}
	s := &prompt.Source{Files: load(t, user, nil, project, os.DirFS("testdata/none")), Mode: "strict"}
	got := text(t, s, agent.Occasion{})
	require.Contains(t, got, "You are an agent")
	require.True(t, strings.HasSuffix(got, "\n\nuser\n\nstrict\n\nproject"), got)
	s.Files = load(t, project, user)
	require.True(t, strings.HasSuffix(text(t, s, agent.Occasion{}), "\n\nuser\n\nstrict\n\nuser"))
}

// PRM-03: an override changes the planner's request, without code.
func TestPlannerRequest(t *testing.T) {
	for _, c := range []struct {
		level fs.FS
		want  string
	}{
		{nil, "You break a goal into tasks for workers."},
		{fstest.MapFS{"modes/plan-planner.md": file("Plan like a cook.\n\n## reply format\nJSON tasks.")}, "Plan like a cook."},
	} {
		client := llmtest.Script(llmtest.Text(`{"tasks":[{"id":"1","description":"x"}]}`))
		planner := plan.NewPlanner(client)
		planner.Request.System = load(t, c.level).Text(prompt.PlanPlanner)
		_, err := planner.Plan(t.Context(), plan.Brief{Goal: "g"})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(client.Requests()[0].System, c.want))
	}
}

// PRM-E99: what is wrong with a file is an error when it is loaded, and all of it is told.
func TestFaults(t *testing.T) {
	_, err := prompt.Load(fstest.MapFS{"personality.md": file("fine")}, fstest.MapFS{
		"modes/team-reviewer.md": file("Judge.\n# Reply format\n# More\ntext"),
		"modes/team-planner.md":  file(""),
		"modes/router.md":        file("Route."),
		"context.md":             file("{{context}}"),
		"skills.md":              file("none"),
		"base.md":                file("\xff"),
		"output.md":              file(strings.Repeat("x", 256<<10+1)),
	})
	for _, want := range []string{
		`prompt: modes/team-reviewer.md (level 2): the section "Reply format" is missing or empty`,
		`prompt: modes/team-planner.md (level 2): the section "Reply format" is missing or empty`,
		`prompt: modes/router.md (level 2): the section "Reply format" is missing or empty`,
		`prompt: context.md (level 2): the mark {{remember}} is missing`,
		`prompt: skills.md (level 2): the mark {{skills}} is missing`,
		`prompt: base.md (level 2): it is not UTF-8 text`,
		`prompt: output.md (level 2): it is larger than 262144 bytes`,
	} {
		require.ErrorContains(t, err, want)
	}
	fault, ok := errors.AsType[*prompt.FileError](err)
	require.True(t, ok)
	require.Equal(t, 2, fault.Level)

	_, err = prompt.Load(broken{})
	require.ErrorIs(t, err, fs.ErrPermission)

	for _, s := range []*prompt.Source{{Mode: "nope"}, {Approval: "nope"}} {
		_, err = s.Prompt(t.Context(), agent.Occasion{})
		require.ErrorIs(t, err, prompt.ErrNoFile)
	}
	s := &prompt.Source{Context: func(context.Context, agent.Occasion) (string, error) { return "", fs.ErrClosed }}
	_, err = s.Prompt(t.Context(), agent.Occasion{})
	require.ErrorIs(t, err, fs.ErrClosed)
}

type broken struct{}

func (broken) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// PRM-E99: byte order marks and CRLF make no difference.
func TestNormalized(t *testing.T) {
	plain := load(t, fstest.MapFS{"modes/x.md": file("a\n\nb\n  c")})
	odd := load(t, fstest.MapFS{"modes/x.md": file("\ufeffa\r\n \r\nb\r  c\r\n")})
	require.Equal(t, "a\n\nb\n  c", plain.Text("x"))
	require.Equal(t, text(t, &prompt.Source{Files: plain, Mode: "x"}, occasion), text(t, &prompt.Source{Files: odd, Mode: "x"}, occasion))
}

// PRM-E100: values are put in once; marks in them, and marks that nobody knows, stay.
func TestSinglePass(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringMatching(`[a-z]{0,3}(\{\{(name|other|tools|x)\}\}|\$1|\\){1,3}[a-z]{0,3}`).Draw(rt, "value")
		s := &prompt.Source{
			Files:  load(t, fstest.MapFS{"modes/x.md": file("<{{name}}|{{other}}|{{unknown}}|{{ name }}>")}),
			Mode:   "x",
			Values: map[string]string{"name": value, "other": "{{name}}", "tools": "not this"},
		}
		require.Contains(rt, text(t, s, agent.Occasion{Tools: []string{"look"}, Remember: value}), "<"+value+"|{{name}}|{{unknown}}|{{ name }}>")
	})
}

// A paragraph whose marks stand for nothing is left out; others stay.
func TestParagraphs(t *testing.T) {
	s := &prompt.Source{Mode: "x", Values: map[string]string{"a": " ", "b": "B"}, Files: load(t, fstest.MapFS{
		"base.md": file(""), "personality.md": file(""), "output.md": file(""),
		"modes/x.md": file("one {{a}}\n\ntwo {{a}}{{b}}\n\nthree {{unknown}}\n\n    code\n\n\nfour"),
	})}
	require.Equal(t, "two B\n\nthree {{unknown}}\n\n    code\n\nfour", text(t, s, agent.Occasion{}))
}

// PRM-05, PRM-06: within one message of the user the text stays; a tool that
// came in mid-run is named from the next message on; the context is replaced.
func TestInALoop(t *testing.T) {
	tools := tool.NewRegistry()
	look := func(name string) tool.Tool {
		return tool.New(name, "Looks.", func(context.Context, struct{}) (string, error) {
			if name == "look" {
				return "seen", tools.Add(tool.New("late", "x", func(context.Context, struct{}) (string, error) { return "", nil }))
			}
			return "", nil
		}, tool.ReadOnly)
	}
	require.NoError(t, tools.Add(look("look")))
	asked := 0
	client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Text("one"), llmtest.Text("two"))
	loop := &agent.Loop{Client: client, Tools: tools, Prompt: &prompt.Source{
		Context: func(_ context.Context, o agent.Occasion) (string, error) {
			asked++
			return "They said: " + o.Prompt, nil
		},
	}}
	run, err := loop.Open(t.Context(), agent.Scope{}, "first {{tools}}")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.NoError(t, run.Say("second"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	requests := client.Requests()
	require.Equal(t, 2, asked)
	require.Equal(t, requests[0].System, requests[1].System)
	require.Contains(t, requests[0].System, "Your tools: look.")
	require.Contains(t, requests[0].System, "# Context\n\nThey said: first {{tools}}")
	require.Contains(t, requests[2].System, "Your tools: look, late.")
	require.Contains(t, requests[2].System, "They said: second")
	require.NotContains(t, requests[2].System, "first")
}
