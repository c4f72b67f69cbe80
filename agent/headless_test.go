package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// B161, TOOL-E27: where nobody can be asked, neither can a run within, however
// deep, and whoever says so: the scope or the loop above. The call is refused
// at once, and no run waits.
func TestHeadlessWithin(t *testing.T) {
	for _, by := range []string{"scope", "loop"} {
		t.Run(by, func(t *testing.T) {
			done := 0
			l := deep(3, &done)
			l.Headless = by == "loop"
			run, err := l.Open(t.Context(), agent.Scope{Headless: by == "scope"}, "go")
			require.NoError(t, err)
			refused := 0
			for event, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				if in, ok := event.(agent.Inner); ok {
					event = in.Event
				}
				require.NotEqual(t, "paused", event.Kind())
				if r, ok := event.(agent.Replied); ok && len(r.Checks) == 1 && r.Checks[0].Outcome == tool.Refused {
					refused++
				}
			}
			require.Equal(t, agent.Completed, run.Result().Reason)
			require.Equal(t, 1, refused)
			require.Zero(t, done)
		})
	}
}

// TOOL-E27: a tool's own question has no one to answer it, in a headless scope too.
func TestHeadlessScopeAnswersNoTool(t *testing.T) {
	client := llmtest.ByHistory(llmtest.Call("k1", "ask_human", `{"question":"Which one?"}`), llmtest.Text("done"))
	run, err := (&agent.Loop{Client: client, Tools: tool.NewRegistry(agent.AskHuman())}).Open(t.Context(), agent.Scope{Headless: true}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		if end, ok := e.Fact.(agent.CallEnded); ok {
			require.Contains(t, end.Result.Text, "nobody is there to answer")
		}
	}
}

// AGT-14, TOOL-E27: a loop that asks whether to go on does not begin where it can't.
func TestHeadlessScopeRefusesToAsk(t *testing.T) {
	l := &agent.Loop{Client: llmtest.Script(llmtest.Text("done"))}
	l.Budget.AskEvery = 3
	_, err := l.Open(t.Context(), agent.Scope{Headless: true}, "go")
	var wrong *agent.ConfigError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Budget", wrong.Field)
}

// TOOL-E27, SES-15: a policy may look at the run whose call it decides about,
// also when a person has changed the arguments.
func TestPolicyReadsTheRun(t *testing.T) {
	var run *agent.Run
	looks := 0
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("s1", "save", `{"text":"x"}`), llmtest.Text("saved it")),
		Tools:  tool.NewRegistry(scripted("save write saved")),
		Policy: func(t tool.Tool, c tool.Call) tool.Verdict {
			if run != nil {
				looks += 1 + run.Result().Turns
			}
			return tool.AskForSideEffects(t, c)
		},
	}
	opened := open(t, l, "go")
	require.NoError(t, agent.Drain(t.Context(), opened, nil))
	run = opened
	require.NoError(t, run.Answer("1.1", agent.ApproveWith(json.RawMessage(`{"text":"y"}`))))
	require.Equal(t, 2, looks)
	require.NoError(t, run.Answer("1.1", agent.ApproveWith(json.RawMessage(`{"text":"y"}`))), "the same again is fine")
	require.ErrorIs(t, run.Answer("1.1", agent.Deny("no")), agent.ErrStale)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
}
