package demo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func ask(messages ...llm.Message) History { return History{llm.Request{Messages: messages}} }

func TestHello(t *testing.T) {
	answer, fits := Hello(ask(llm.UserText("What is a DAG?")))
	require.True(t, fits)
	require.Contains(t, answer.Reply.Message.Text(), "directed acyclic graph")
	_, fits = Hello(ask(llm.UserText("Why?")))
	require.False(t, fits)

	reply, err := llm.Generate(t.Context(), New(Hello), llm.Request{Messages: []llm.Message{llm.UserText("Why?")}})
	require.NoError(t, err)
	require.Equal(t, "I am the demo model of the examples, and no rule of mine fits “Why?”.", reply.Message.Text())
}

// A request without tools, as after a limit, gets a report.
func TestReport(t *testing.T) {
	reply, err := llm.Generate(t.Context(), New(Hello), llm.Request{Messages: []llm.Message{
		llm.UserText("Look."), llmtest.Call("k1", "look", "{}").Reply.Message, llm.Results(llm.ToolResult{CallID: "k1", Text: "one\ntwo"}),
	}})
	require.NoError(t, err)
	require.Equal(t, "I am not done. Last I saw: one", reply.Message.Text())
}

// What a module uses itself is told by name.
func TestRequirements(t *testing.T) {
	gomod := "module m\n\nrequire a.example/x v1.0.0\n\nrequire (\n\tb.example/y/v2 v2.0.0\n\tc.example/z v0.1.0 // indirect\n)\n"
	require.Equal(t, "By go.mod it depends on 3 modules, on 2 of them directly: a.example/x, b.example/y/v2.", requirements(gomod))
	require.Equal(t, "By go.mod it depends on 1 modules: c.example/z.", requirements("require c.example/z v0.1.0 // indirect\n"))
}

func TestClientKeepsTheContract(t *testing.T) { llmtest.TestClient(t, New(Hello)) }

// The history is the user's last exchange, by origin and not by role.
func TestHistory(t *testing.T) {
	look := llmtest.Call("k1", "look", "{}").Reply.Message
	h := ask(
		llm.UserText("first"), look, llm.Results(llm.ToolResult{CallID: "k1", Text: "old"}),
		llm.UserText("second"),
		llmtest.Call("k2", "look", "{}").Reply.Message, llm.Results(llm.ToolResult{CallID: "k2", Text: "new"}),
		llm.Message{Role: llm.User, Origin: llm.FromReminder, Parts: llm.Parts{llm.Text("again?")}},
	)
	require.Equal(t, "second", h.Prompt())
	result, found := h.Result("look")
	require.True(t, found)
	require.Equal(t, "new", result.Text)
	_, found = h.Result("stare")
	require.False(t, found)
	result, found = h.made(use{"look", struct{}{}})
	require.True(t, found)
	require.Equal(t, "new", result.Text)
	_, found = h.made(use{"look", map[string]int{"far": 1}})
	require.False(t, found)
	require.Equal(t, "call_3", h.call("", "look", struct{}{}).Reply.Message.Calls()[0].ID)
	require.Error(t, h.call("", "look", func() {}).Err)
	require.Empty(t, ask().Prompt())

	h.Tools = []llm.Spec{{Name: "look"}}
	require.True(t, h.Offers("look"))
	h.Choice = llm.ChoiceNone
	require.False(t, h.Offers("look"))
}

func TestQuoted(t *testing.T) {
	for prompt, want := range map[string]string{
		`Where is "a b"?`: "a b", "Where is 'x'?": "x", "“x” is where?": "x", "What's John's?": "", "": "",
	} {
		require.Equal(t, want, quoted(prompt), prompt)
	}
}

// What is not there is not found.
func TestSeesNo(t *testing.T) {
	all := looks(ask(llm.UserText("Where is the key?")), nil)
	require.Len(t, all, 1)
	require.Equal(t, "I see no key.", all[0].tells("No line matches ^(type|func) (?i:key)\\b in 3 files."))
	require.Equal(t, "The key is at a.go:7:type Key int", all[0].tells("a.go:7:type Key int\nb.go:1:func key()"))
}

// An edit is made of what the compiler says and the sources hold, or not at all.
func TestMend(t *testing.T) {
	edit, ok := mend("a.c:1:int x\na.c:2:int y;\n", "a.c: In function:\na.c:1:6: error: expected ';' before 'int'\n")
	require.True(t, ok)
	require.Equal(t, use{"edit_file", map[string]string{"path": "a.c", "old_text": "int x", "new_text": "int x;"}}, edit)
	for _, errors := range []string{"a.c:9:6: error: expected ';'", "a.c:1:6: error: unknown type"} {
		_, ok = mend("a.c:1:int x\n", errors)
		require.False(t, ok, errors)
	}
}

// The demo model works with the real tools, as the examples do.
func TestReact(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a module":     {map[string]string{"go.mod": "module x\n", "a.go": "package needle\n"}, "The folder holds 2 entries: a.go, go.mod.\ngo.mod begins with “module x”.\nA search for “needle” gives: a.go:1:package needle"},
		"a text":       {map[string]string{"a.txt": "hay\n", ".hidden": "x"}, "The folder holds 1 entries: a.txt.\na.txt begins with “hay”.\nA search for “needle” gives: "},
		"nothing told": {map[string]string{"a.bin": "needle"}, "The folder holds 1 entries: a.bin.\nA search for “needle” gives: a.bin:1:needle"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			}
			files, err := fs.Open(dir)
			require.NoError(t, err)
			defer files.Close()
			loop := &agent.Loop{Client: llmtest.Strict(New(React)), Tools: tool.NewRegistry(files.ReadTools()...)}
			result, err := agent.Do(t.Context(), loop, "Where is 'needle'?")
			require.NoError(t, err)
			require.Equal(t, agent.Completed, result.Reason)
			require.Contains(t, result.Text, c.want)
		})
	}
}
