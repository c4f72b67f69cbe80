package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// TOOL-01, B244: order is that of registration, the same each time, and faulty
// tools are refused at the door, all faults at once and nothing half done.
func TestRegistryKeepsOrderAndRefusesFaults(t *testing.T) {
	registry := tool.NewRegistry(says("zebra", ""), says("ant", ""), says("mole", ""))
	require.NoError(t, registry.Err())
	names := func() (names []string) {
		for _, s := range registry.List().Specs() {
			names = append(names, s.Name)
		}
		return names
	}
	require.Equal(t, []string{"zebra", "ant", "mole"}, names())
	first, _ := json.Marshal(registry.List().Specs())
	second, _ := json.Marshal(registry.List().Specs())
	require.Equal(t, first, second)
	require.Equal(t, &registry.List().Specs()[0], &registry.List().Specs()[0], "one shared slice")

	nameless, runless, odd, cut, hasty := says("", ""), says("runless", ""), says("read file", ""), says("cut", ""), says("hasty", "")
	runless.Run = nil
	cut.Schema = json.RawMessage(`{"type":`)
	hasty.Limit = -5
	for _, c := range []struct {
		name string
		tool tool.Tool
		want error
	}{
		{"a name that is taken", says("ant", ""), tool.ErrDuplicate},
		{"no name", nameless, tool.ErrNoName},
		{"no function", runless, tool.ErrNoRun},
		{"nothing at all", tool.Tool{}, tool.ErrNoName},
		{"a bad name", odd, tool.ErrBadName},
		{"a long name", says(strings.Repeat("x", 65), ""), tool.ErrBadName},
		{"a broken schema", cut, tool.ErrBadSchema},
		{"a negative limit", hasty, tool.ErrBadLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := registry.Add(says("fine", ""), c.tool)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, fmt.Sprintf("tool: adding %q: ", c.tool.Name))
			require.Equal(t, []string{"zebra", "ant", "mole"}, names(), "all or nothing")
			require.ErrorIs(t, tool.NewRegistry(says("ant", ""), c.tool).Err(), c.want)
		})
	}
	err := registry.Add(says("twice", ""), says("twice", ""), nameless)
	require.ErrorIs(t, err, tool.ErrDuplicate)
	require.ErrorIs(t, err, tool.ErrNoName, "every fault is named")
	require.NoError(t, registry.Add(says(strings.Repeat("x", 64), "")))
}

func TestNilRegistryIsEmpty(t *testing.T) {
	var registry *tool.Registry
	require.NoError(t, registry.Err())
	require.Empty(t, registry.List().Specs())
	require.Zero(t, registry.List().Len())
	require.Error(t, registry.Add(says("x", "")))
	require.False(t, registry.Remove("x"))
	check := registry.List().Check(asks("x", ""), nil)
	require.Equal(t, tool.UnknownTool, check.Outcome)
	require.Contains(t, check.Text, "No tools are on offer")
	for range new(tool.Registry).List().All() {
		t.Fatal("the zero Registry is empty")
	}
}

// TOOL-05: a description reaches the model unchanged, with what not to use the tool for.
func TestDescriptionIsToldUnchanged(t *testing.T) {
	const words = "Reads <a file> & says it.\nNot for folders: use list_dir. \"Never\" for keys 🔑."
	reader := says("read_file", "")
	reader.Description = words
	require.Equal(t, words, listOf(t, reader).Specs()[0].Description)
}

// TOOL-19: tools of servers stand beside the others under their long names.
func TestServerToolsStandInTheSameRegistry(t *testing.T) {
	list := listOf(t, says("search", "own"), says("mcp__docs__search", "docs"), says("mcp__web__search", "web"))
	for name, want := range map[string]string{"search": "own", "mcp__docs__search": "docs", "mcp__web__search": "web"} {
		require.Equal(t, want, run(t, list, asks(name, "")).Text)
	}
}

// TOOL-02: names mean nothing to the library: with all tools renamed the same
// calls have the same ends.
func TestNamesMeanNothing(t *testing.T) {
	script := func(rename func(string) string) []tool.Result {
		boom := plain(rename("delete_all"), tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) {
			panic("boom")
		})
		list := listOf(t, says(rename("read_file"), "text"), boom)
		return []tool.Result{
			run(t, list, asks(rename("read_file"), "{}")),
			run(t, list, asks(rename("delete_all"), "{}")),
			run(t, list, asks(rename("read_file"), "[]")),
		}
	}
	plainly := script(func(name string) string { return name })
	renamed := script(func(name string) string { return "x_" + name })
	for i := range renamed {
		renamed[i].Text = strings.ReplaceAll(renamed[i].Text, "x_", "")
	}
	require.Equal(t, plainly, renamed)
}

// TOOL-20, B244: a writer changes the registry while 100 runs use it.
func TestRegistryChangesWhileRunsGoOn(t *testing.T) {
	registry := tool.NewRegistry(says("stays", "here"))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				name := fmt.Sprintf("comes_%d", i%3)
				if !registry.Remove(name) {
					if err := registry.Add(says(name, "")); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
	var runs sync.WaitGroup
	for range 100 {
		runs.Go(func() {
			runner := &tool.Runner{Tools: registry}
			for range 5 {
				list := registry.List()
				specs := len(list.Specs())
				results, err := runner.Run(t.Context(), list, []llm.ToolCall{asks("stays", "")})
				if err != nil || results[0].Text != "here" || len(list.Specs()) != specs {
					t.Error(err, results)
				}
			}
		})
	}
	runs.Wait()
	close(stop)
	wg.Wait()
}

// TOOL-E23, B244: a turn keeps to the list that its request advertised.
func TestTurnKeepsToItsList(t *testing.T) {
	registry := tool.NewRegistry(says("old", "old"))
	runner := &tool.Runner{Tools: registry}
	advertised := registry.List()
	require.NoError(t, registry.Add(says("new", "new")))

	results, err := runner.Run(t.Context(), advertised, []llm.ToolCall{asks("old", ""), asks("new", "")})
	require.NoError(t, err)
	require.Equal(t, "old", results[0].Text)
	require.Equal(t, tool.UnknownTool, results[1].Outcome, "registered and not advertised")

	require.True(t, registry.Remove("old"))
	results, err = runner.Run(t.Context(), advertised, []llm.ToolCall{asks("old", "")})
	require.NoError(t, err)
	require.Equal(t, tool.UnknownTool, results[0].Outcome)
	require.Contains(t, results[0].Text, "has been removed")

	// What replaced it under its name is not what the model was told of.
	require.NoError(t, registry.Replace([]string{"new"}, says("old", "another")))
	results, err = runner.Run(t.Context(), advertised, []llm.ToolCall{asks("old", "")})
	require.NoError(t, err)
	require.Equal(t, "old", results[0].Text)
	require.Equal(t, "another", run(t, registry.List(), asks("old", "")).Text)
}

// TOOL-03, TOOL-E24, B067, TOOL-04: an unknown name is said to be so, with the
// known ones, the nearest first. Nothing is called in its place, the others run,
// and the outcome can be counted.
func TestUnknownTool(t *testing.T) {
	list := listOf(t, says("delete_file", ""), says("read_file", "read"), says("look", "looked"))
	runner := &tool.Runner{Tools: tool.NewRegistry(says("look", "looked"), says("zap", ""))}
	results := runAll(t, runner, asks("lok", "{}"), asks("look", "{}"), asks("delete_database", "{}"))
	require.Equal(t, "looked", results[1].Text)
	unknown := 0
	for _, r := range results {
		if r.Outcome == tool.UnknownTool {
			unknown++
		}
	}
	require.Equal(t, 2, unknown)
	require.Contains(t, results[0].Text, `no tool named lok`)
	require.Contains(t, results[0].Text, "look, zap")

	for _, near := range []string{"Read_File", "READ_FILE", "functions.read_file", "read-file", "readfile", "read_fiel", "tools/read_file"} {
		result := run(t, list, asks(near, ""))
		require.Equal(t, tool.UnknownTool, result.Outcome, near)
		require.Contains(t, result.Text, "nearest first: read_file,", near)
		require.Contains(t, result.Text, near)
	}
	long := run(t, list, asks(strings.Repeat("ab", 1_000_000), ""))
	require.Less(t, len(long.Text), 500)
}

// B069, TOOL-03: under a policy that asks, five calls of an unknown tool are
// five equal results, worded unlike a refusal, and nobody is asked.
func TestUnknownToolAsksNobody(t *testing.T) {
	asked := 0
	policy := func(tool.Tool, tool.Call) tool.Verdict { asked++; return tool.Ask("") }
	list := listOf(t, says("sum", ""))
	refused := list.Check(asks("sum", ""), func(tool.Tool, tool.Call) tool.Verdict { return tool.Refuse("no") })
	for range 5 {
		check := list.Check(asks("add", `{"a":1}`), policy)
		require.Equal(t, list.Check(asks("add", `{"a":1}`), policy), check)
		require.Equal(t, tool.UnknownTool, check.Outcome)
		require.Empty(t, check.Ask)
		require.NotContains(t, check.Text, "refused")
		require.NotEqual(t, refused.Text, check.Text)
	}
	require.Zero(t, asked)
}
