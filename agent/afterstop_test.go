package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// AGT-29: the last word is a stop, so the run has stopped.
func TestStopSayStop(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Text("acted all the same"), llmtest.Text("x"))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen"))}
	run, n := open(t, l, "go"), 0
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if _, ok := event.(agent.CallStarted); ok && n == 0 {
			n++
			require.NoError(t, run.Stop("one"))
			require.NoError(t, run.Say("new"))
			require.NoError(t, run.Stop("two"))
		}
	}
	require.Equal(t, agent.Canceled, run.Result().Reason)
	require.Len(t, client.Requests(), 1)
}

// AGT-29: the same before the events are ranged over.
func TestStopSayStopOutside(t *testing.T) {
	client := llmtest.Script(llmtest.Text("acted all the same"), llmtest.Text("x"))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen"))}
	run := open(t, l, "go")
	require.NoError(t, run.Stop("one"))
	require.NoError(t, run.Say("new"))
	require.NoError(t, run.Stop("two"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Canceled, run.Result().Reason)
	require.Len(t, client.Requests(), 0)
}

// AGT-E41: what is said for later, after a stop, is the next prompt too.
func TestStopThen(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Text("a"), llmtest.Text("b"), llmtest.Text("c"))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen"))}
	run, n := open(t, l, "go"), 0
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if _, ok := event.(agent.CallStarted); ok && n == 0 {
			n++
			require.NoError(t, run.Stop("one"))
			require.NoError(t, run.Then("new"))
		}
	}
	require.Len(t, client.Requests(), 2)
	last := client.Requests()[1].Messages
	require.Equal(t, "new", last[len(last)-1].Text())
}

// AGT-E41, BUD-04: what is granted after a stop holds for what comes after it.
func TestStopGrant(t *testing.T) {
	for order, want := range map[string]agent.Reason{"grant": agent.Completed, "say grant": agent.Completed, "grant say": agent.Completed} {
		client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Call("k2", "look", `{"n":2}`), llmtest.Call("k3", "look", `{"n":3}`), llmtest.Text("done"))
		l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen")), Budget: budget.Budget{Turns: budget.Max(2)}}
		run, n := open(t, l, "go"), 0
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := event.(agent.CallStarted); ok && n == 0 {
				n++
				require.NoError(t, run.Stop("one"))
				for _, what := range strings.Fields(order) {
					if what == "say" {
						require.NoError(t, run.Say("new"))
					} else {
						require.NoError(t, run.Grant(agent.Granted{Turns: budget.Max(5)}))
					}
				}
			}
		}
		require.Equal(t, want, run.Result().Reason, order)
	}
}

// AGT-E41: a no to going on, and a word after it: that is the next prompt.
func TestDenySay(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Text("heard"), llmtest.Text("c"))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen")), Budget: budget.Budget{AskEvery: 1}}
	run := open(t, l, "go")
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if p, ok := event.(agent.Paused); ok && len(client.Requests()) == 1 {
			require.NoError(t, run.Answer(p.Questions[0].ID, agent.Deny("no")))
			require.NoError(t, run.Say("do this instead"))
		}
	}
	require.Len(t, client.Requests(), 2)
}

// SES-18, AGT-29: a run within that waited when all was stopped asks nobody any more.
func TestStaleParked(t *testing.T) {
	for _, inside := range []bool{true, false} {
		ask := scripted("ask write asked")
		ask.Run = func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, &tool.Pause{Question: "what?"}
		}
		child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "ask", `{}`)), Tools: tool.NewRegistry(ask)}
		client := llmtest.Script(llmtest.Call("k1", "sub", `{"task":"x"}`), llmtest.Call("k2", "look", `{}`), llmtest.Text("heard"))
		l := &agent.Loop{Client: client, Tools: tool.NewRegistry(agent.AsTool(child, "sub", "Does."), scripted("look read seen"))}
		run := open(t, l, "go")
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := event.(agent.Paused); ok && inside {
				require.NoError(t, run.Stop("enough"))
				inside = true
			}
		}
		if !inside {
			require.NoError(t, run.Stop("enough"))
			require.NoError(t, agent.Drain(t.Context(), run, nil))
		}
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.NoError(t, run.Say("new"))
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := event.(agent.CallStarted); ok {
				require.Empty(t, run.Result().Questions, "inside %v", inside)
				require.Equal(t, agent.Going, run.Result().Reason)
			}
		}
		require.Equal(t, agent.Completed, run.Result().Reason)
	}
}
