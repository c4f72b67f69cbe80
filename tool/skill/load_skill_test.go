package skill

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func library(t *testing.T, files fstest.MapFS) *Library {
	t.Helper()
	l := &Library{Sources: []Source{{FS: files, Dir: "/skills"}}, Disabled: []string{"off"}}
	require.Empty(t, l.Load())
	return l
}

func two() fstest.MapFS {
	return fstest.MapFS{"a/SKILL.md": about("a", "y"), "b/SKILL.md": about("b", "y"), "off/SKILL.md": about("off", "y")}
}

func loadAs(t *testing.T, l *Library, key, name string) (string, error) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"name": name})
	require.NoError(t, err)
	r, err := l.Tool().Run(t.Context(), tool.Call{Key: key, Arguments: arguments})
	return r.Text, err
}

// SKL-03: the golden text of the tool.
func TestToolDescription(t *testing.T) {
	tl := (&Library{}).Tool()
	require.Equal(t, "load_skill", tl.Name)
	require.Equal(t, "Returns the whole text of a skill and the directory of its files. A skill is not a tool and can't be called: "+
		"it is a written procedure for one kind of task. When a task fits a skill's description, load that skill first, "+
		"then follow its text with your other tools.", tl.Description)
	require.JSONEq(t, `{"type":"object","properties":{"name":{"type":"string","description":"The name of the skill, exactly as it is listed."}},
		"required":["name"],"additionalProperties":false}`, string(tl.Schema))
	require.Equal(t, tool.ReadOnly, tl.Access)
	require.True(t, tl.Protected)
	require.False(t, tl.Untrusted)
	require.NoError(t, tool.NewRegistry(tl).Err())
}

// SKL-02: the body, whole, and the directory.
func TestLoadSkill(t *testing.T) {
	l := library(t, two())
	text, err := loadAs(t, l, "r/1.1", "a")
	require.NoError(t, err)
	require.Equal(t, "Directory: /skills/a\nFiles that the skill names are relative to it.\n\nSkill a. Follow it with your other tools.\n\nHow to a.", text)

	long := strings.Repeat("0123456789", DefaultMaxBytes/10-10)
	l = library(t, fstest.MapFS{"x/SKILL.md": {Data: []byte(md("description: y") + long)}})
	text, err = loadAs(t, l, "", "x")
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(text, long))
	require.Less(t, len(text), l.Tool().MaxText)
}

// SKL-02, SKL-08: an unknown name, also one with path parts, gives the known names.
func TestUnknownSkill(t *testing.T) {
	l := library(t, two())
	for _, name := range []string{"../a", "a/SKILL.md", "A", "off", "", "/etc/passwd", strings.Repeat("x", 500)} {
		_, err := loadAs(t, l, "r/1.1", name)
		require.EqualError(t, err, fmt.Sprintf("there is no skill named %.80q; the skills are: a, b", name))
	}
	_, err := loadAs(t, &Library{}, "r/1.1", "a")
	require.EqualError(t, err, `there is no skill named "a", and no other`)
}

// SKL-08: the second load in a run returns a note, and who asks again after
// that gets the text: it may have gone from the context.
func TestLoadTwice(t *testing.T) {
	files := two()
	l := library(t, files)
	note := func(key, name string) bool {
		text, err := loadAs(t, l, key, name)
		require.NoError(t, err)
		require.NotEqual(t, strings.Contains(text, "How to"), strings.Contains(text, "was loaded before"), text)
		return strings.Contains(text, "was loaded before")
	}
	require.False(t, note("r/1.1", "a"))
	require.False(t, note("r/1.1", "a"), "the same call, run again after a crash")
	require.True(t, note("r/1.2", "a"))
	require.True(t, note("r/1.2", "a"), "likewise")
	require.False(t, note("r/2.1", "a"))
	require.True(t, note("r/3.1", "a"))
	require.False(t, note("r/3.2", "b"), "another skill")
	require.False(t, note("other/1.1", "a"), "another run")
	require.False(t, note("r/call/1.1", "a"), "a run within has its own context")
	require.False(t, note("", "a"))
	require.False(t, note("", "a"), "of no run")
	require.False(t, note("1.1", "a"))
	require.False(t, note("1.2", "a"), "a run without an id")
	require.False(t, note("/1.1/1.1", "a"))
	require.False(t, note("/1.1/1.2", "a"), "a run within one without an id")

	files["b/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: b\ndescription: y\n---\nHow to do it now.")}
	require.Empty(t, l.Load())
	require.False(t, note("r/4.1", "b"), "the text has changed")

	for i := range maxRuns { // the oldest run is forgotten
		require.False(t, note(fmt.Sprintf("many-%d/1.1", i), "a"))
	}
	require.False(t, note("r/9.1", "b"))
	require.Len(t, l.loads.runs, maxRuns)
}

// SKL-02, SKL-04, SKL-07: in a run, as the model sees it; also beside other calls of its turn.
func TestInALoop(t *testing.T) {
	l := library(t, two())
	client := llmtest.Script(
		llmtest.Calls(llmtest.Call("k1", "load_skill", `{"name":"a"}`), llmtest.Call("k2", "load_skill", `{"name":"nope"}`)),
		llmtest.Call("k3", "load_skill", `{"name":"a"}`),
		llmtest.Text("Done."),
	)
	loop := &agent.Loop{Client: llmtest.Strict(client), Prompt: &prompt.Source{Skills: l.Catalog}, Tools: tool.NewRegistry(l.Tool()), Policy: agent.AskForSideEffects}
	run, err := loop.Open(t.Context(), agent.Scope{Journal: &journal.Memory{}, ID: "r"}, "Do a.")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	requests := client.Requests()
	require.Contains(t, requests[0].System, "load it with load_skill first, then follow its text:\n- a: y\n- b: y\n\n")
	require.NotContains(t, requests[0].System, "- off")
	results := requests[1].Messages[2].Results()
	require.Contains(t, results[0].Text, "How to a.")
	require.NotContains(t, results[0].Text, "untrusted")
	require.True(t, results[1].Failed)
	require.Contains(t, results[1].Text, "the skills are: a, b")
	require.Contains(t, requests[2].Messages[4].Results()[0].Text, "was loaded before")
}

// GEN-09: every text can be replaced.
func TestTexts(t *testing.T) {
	l := library(t, two())
	l.Texts = Texts{Description: "D", Parameter: "P\u00a0\"", Loaded: "L {body}", Dir: "[{dir}] ", Again: "G", Unknown: "U {known}", None: "N", Entry: "{name}", When: "W", Needs: "S"}
	require.Equal(t, "D", l.Tool().Description)
	require.True(t, json.Valid(l.Tool().Schema))
	text, err := loadAs(t, l, "r/1.1", "a")
	require.NoError(t, err)
	require.Equal(t, "[/skills/a] L How to a.", text)
	text, err = loadAs(t, l, "r/1.2", "a")
	require.NoError(t, err)
	require.Equal(t, "G", text)
	_, err = loadAs(t, l, "r/1.3", "z")
	require.EqualError(t, err, "U a, b")
	require.Equal(t, "a\nb", l.Catalog())
}
