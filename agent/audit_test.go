package agent_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// GEN-03, TOOL-21: a loop body that can't write its audit and leaves at "call
// started" keeps the call from running; the same run goes on and makes it once.
// Every call stands in the events, those that the gates stop too.
func TestAudit(t *testing.T) {
	ran := 0
	save := scripted("save write saved")
	save.Run = func(context.Context, tool.Call) (tool.Result, error) { ran++; return tool.Text("saved"), nil }
	client := llmtest.Script(
		llmtest.Calls(llmtest.Call("k1", "save", `{}`), llmtest.Call("k2", "nosuch", `{}`)), llmtest.Text("done"))
	run := open(t, &agent.Loop{Client: client, Tools: tool.NewRegistry(save)}, "go")
	var audit []string
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if r, ok := event.(agent.Replied); ok {
			for i, c := range r.Reply.Message.Calls() {
				audit = append(audit, c.Name+" "+string(r.Checks[i].Outcome))
			}
		}
		if _, ok := event.(agent.CallStarted); ok {
			break // the audit's disk is full
		}
	}
	require.Zero(t, ran)
	require.Equal(t, []string{"save ", "nosuch unknown_tool"}, audit)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, 1, ran)
	require.Equal(t, 1, run.Result().Spent.Unknown, "TOOL-04: unknown names are counted")
	require.Equal(t, 1, run.Result().Spent.Calls)
}

// TOOL-17, TOOL-08: the agent's runs keep to the schedule: of three edits of
// one thing in each of 50 turns none is lost.
func TestEditsInARun(t *testing.T) {
	value := 0
	edit := scripted("edit write edited")
	edit.Keys = tool.KeysOf(func(struct{ N int }) tool.Keys { return tool.Keys{Writes: []string{"f"}} })
	edit.Run = func(context.Context, tool.Call) (tool.Result, error) {
		before := value
		value = before + 1
		return tool.Text("edited"), nil
	}
	var answers []llmtest.Answer
	for range 3 {
		answers = append(answers, llmtest.Call("k", "edit", `{"N":1}`))
	}
	l := &agent.Loop{Tools: tool.NewRegistry(edit)}
	for range 50 {
		l.Client = llmtest.Script(llmtest.Calls(answers...), llmtest.Text("done"))
		_, err := agent.Do(t.Context(), l, "go")
		require.NoError(t, err)
	}
	require.Equal(t, 150, value)
}
