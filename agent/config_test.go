package agent_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// AGT-41, BUD-E48, GEN-07, B244: each fault of a recipe is a typed error before
// any request.
func TestFaultyLoop(t *testing.T) {
	client := llmtest.Script()
	twice := tool.NewRegistry(scripted("look read seen"), scripted("look read seen"))
	for name, l := range map[string]*agent.Loop{
		"Client":        {},
		"Tools":         {Client: client, Tools: twice},
		"Budget":        {Client: client, Budget: budget.Budget{Turns: budget.Max(-1)}},
		"Budget NaN":    {Client: client, Budget: budget.Budget{Cost: budget.Max(math.NaN())}},
		"Budget stall":  {Client: client, Budget: budget.Budget{Stall: budget.Stall{After: budget.Max(1)}}},
		"Budget asks":   {Client: client, Headless: true, Budget: budget.Interactive()},
		"Budget price":  {Client: client, Budget: budget.Budget{Cost: budget.Max(1.0)}},
		"Parallel":      {Client: client, Parallel: -1},
		"Verifications": {Client: client, Verifications: budget.Max(-1)},
		"VerifyLimit":   {Client: client, VerifyLimit: -time.Second},
		"TurnLimit":     {Client: client, TurnLimit: -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Open(t.Context(), agent.Scope{}, "go")
			var fault *agent.ConfigError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, strings.Fields(name)[0], fault.Field)
		})
	}
	require.Empty(t, client.Requests())
	var unpriced *budget.UnpricedError
	_, err := (&agent.Loop{Client: client, Budget: budget.Budget{Cost: budget.Max(1.0)}}).Open(t.Context(), agent.Scope{}, "go")
	require.ErrorAs(t, err, &unpriced)
}

// AGT-E45: an empty message is an error, one with images only is fine.
func TestEmptyMessages(t *testing.T) {
	l := &agent.Loop{Client: llmtest.Script(llmtest.Text("a cat"))}
	_, err := l.Open(t.Context(), agent.Scope{}, " \n")
	require.ErrorIs(t, err, agent.ErrEmpty)
	run, err := l.Open(t.Context(), agent.Scope{})
	require.NoError(t, err)
	require.ErrorIs(t, agent.Drain(t.Context(), run, nil), agent.ErrNoWork, "nothing was said")
	require.ErrorIs(t, run.Say(""), agent.ErrEmpty)
	require.ErrorIs(t, run.Then(" "), agent.ErrEmpty)
	require.Error(t, run.SayParts(llm.ToolCall{}))
	require.NoError(t, run.SayParts(llm.Image{MediaType: "image/png", Data: []byte("png")}))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, "a cat", run.Result().Text)
}

// AGT-60, SES-14, AGT-05: an ended run has nothing to do, says so, and sends nothing.
func TestEnded(t *testing.T) {
	client := llmtest.Script(llmtest.Text("done"))
	run, err := (&agent.Loop{Client: client}).Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.NoError(t, agent.Drain(t.Context(), run, nil), "there is nothing left to drain")
	for _, err := range run.Events(t.Context()) {
		require.ErrorIs(t, err, agent.ErrEnded)
	}
	require.Len(t, client.Requests(), 1)
	require.True(t, run.Result().Ended())
}

// AGT-51: with every guard off a plain script runs.
func TestGuardsOff(t *testing.T) {
	l := &agent.Loop{
		Client: llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Call("k2", "look", `{}`), llmtest.Call("k3", "look", `{}`),
			llmtest.Call("k4", "look", `{}`), llmtest.Call("k5", "look", `{}`), llmtest.Text("done")),
		Tools:  tool.NewRegistry(scripted("look read seen")),
		Budget: budget.Budget{Stall: budget.Stall{Off: true}}, NoWrapUp: true, NoNudge: true, TurnLimit: tool.Unlimited, OverlapLate: true,
	}
	res, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, 6, res.Turns)
}

// AGT-38: a run may start with several messages; all are in the first request.
func TestSeveralPrompts(t *testing.T) {
	client := llmtest.Script(llmtest.Text("done"))
	run, err := (&agent.Loop{Client: client}).Open(t.Context(), agent.Scope{}, "The survey says 7.", "Add 1 to it.")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, []llm.Message{llm.UserText("The survey says 7."), llm.UserText("Add 1 to it.")}, client.Requests()[0].Messages)
}

// AGT-60: another loop goes on with the log of one: its system text counts.
func TestAnotherLoop(t *testing.T) {
	store, client := memory(), llmtest.Script(llmtest.Text("one"), llmtest.Text("two"))
	for i, text := range []string{"Be brief.", "Be kind."} {
		l := &agent.Loop{Client: client, Instructions: text}
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		if i > 0 {
			require.NoError(t, run.Say("again"))
		}
		require.NoError(t, agent.Drain(t.Context(), run, nil))
	}
	require.Equal(t, "Be kind.", client.Requests()[1].System)
}

// LLM-03, MCP-04, TOOL-E23 (share): a tool registered during a turn is in the next
// request; what was advertised decides what is known, also after a removal.
func TestToolsPerRequest(t *testing.T) {
	tools := tool.NewRegistry()
	late := scripted("late read here")
	require.NoError(t, tools.Add(tool.New("grow", "Grows.", func(context.Context, struct{}) (string, error) {
		return "grown", tools.Add(late)
	})))
	client := llmtest.Script(
		llmtest.Calls(llmtest.Call("k1", "grow", `{}`), llmtest.Call("k2", "late", `{}`)), llmtest.Call("k3", "late", `{}`), llmtest.Text("done"))
	run, err := (&agent.Loop{Client: client, Tools: tools}).Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	var outcomes []tool.Outcome
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		switch e := event.(type) {
		case agent.CallStarted:
			if e.Call == "2.1" {
				tools.Remove("late")
			}
		case agent.Replied:
			for _, c := range e.Checks {
				outcomes = append(outcomes, c.Outcome)
			}
		case agent.CallEnded:
			outcomes = append(outcomes, e.Result.Outcome)
		}
	}
	require.Equal(t, []tool.Outcome{
		tool.OK, tool.UnknownTool, tool.OK, // turn 1: late was not advertised
		tool.OK, tool.UnknownTool, // turn 2: it was, and left before it ran
	}, outcomes)
	requests := client.Requests()
	require.Len(t, requests[0].Tools, 1)
	require.Len(t, requests[1].Tools, 2)
}

// LLM-23: roles may use different clients, each with its own dialect.
func TestClientsByRole(t *testing.T) {
	one, two := llmtest.Script(llmtest.Call("k1", "helper", `{"task":"help"}`), llmtest.Text("done")), llmtest.Script(llmtest.Text("helped"))
	one.Speaks, two.Speaks = llm.Dialect{Name: "one"}, llm.Dialect{Name: "two"}
	helper := &agent.Loop{Client: two}
	_, err := agent.Do(t.Context(), &agent.Loop{Client: one, Tools: tool.NewRegistry(agent.AsTool(helper, "helper", "Helps."))}, "go")
	require.NoError(t, err)
	require.Len(t, one.Requests(), 2)
	require.Equal(t, []llm.Message{llm.UserText("help")}, two.Requests()[0].Messages)
}

// TOOL-24: a client only says what it wants; without an agent nothing runs.
func TestClientsRunNothing(t *testing.T) {
	reply, err := llm.Generate(t.Context(), llmtest.Script(llmtest.Call("k1", "save", `{}`)), llm.Request{})
	require.NoError(t, err)
	require.Len(t, reply.Message.Calls(), 1)
}

// B240: a client that yields nothing and no error, or panics, ends the
// iteration with an error that says so.
func TestBrokenClients(t *testing.T) {
	for name, yields := range map[string]iter.Seq2[llm.Chunk, error]{
		"without a reply": func(func(llm.Chunk, error) bool) {},
		"neither a chunk": func(yield func(llm.Chunk, error) bool) { yield(nil, nil) },
		"panic: bang":     func(func(llm.Chunk, error) bool) { panic("bang") },
	} {
		l := &agent.Loop{Client: llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] { return yields })}
		_, err := agent.Do(t.Context(), l, "go")
		require.ErrorContains(t, err, name)
		require.NotErrorIs(t, err, errors.ErrUnsupported)
	}
}
