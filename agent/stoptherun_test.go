package agent_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// SES-E92: who is asked about a call that was cut off, and does not know, may
// stop the run. A mate that is under way is let go of first; each call has one
// end, nothing runs again, and the model is not asked any more.
func TestStopAtOutcome(t *testing.T) {
	store, paid, waiting := memory(), 0, make(chan struct{}, 2)
	pay := scripted("pay write paid")
	pay.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		if paid++; paid == 1 {
			waiting <- struct{}{}
			<-ctx.Done() // cut off: it may have taken place
			return tool.Result{}, ctx.Err()
		}
		return tool.Text("paid"), nil
	}
	slow := scripted("slow read done")
	slow.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		waiting <- struct{}{}
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}
	client := llmtest.Script(llmtest.Calls(llmtest.Call("k1", "pay", `{}`), llmtest.Call("k2", "slow", `{}`)))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(pay, slow), Unordered: true}
	scope := agent.Scope{Journal: store, ID: "run"}

	run, err := l.Open(t.Context(), scope, "go")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for event := range run.Events(ctx) {
		if s, ok := event.(agent.CallStarted); ok && s.Call == "1.2" {
			go func() { <-waiting; <-waiting; cancel() }()
		}
	}

	run, err = l.Open(t.Context(), scope)
	require.NoError(t, err)
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if p, ok := event.(agent.CallPaused); ok {
			require.True(t, p.CutOff)
			<-waiting // its mate is under way again
			require.NoError(t, run.Answer(p.Call, agent.Words(agent.StopTheRun)))
		}
	}
	res := run.Result()
	require.Equal(t, agent.Canceled, res.Reason)
	require.Equal(t, agent.StopTheRun, res.Detail)
	require.Equal(t, 1, paid)
	require.Len(t, client.Requests(), 1)
	ends := map[string]tool.Outcome{}
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		if end, ok := e.Fact.(agent.CallEnded); ok {
			require.NotContains(t, ends, end.Call)
			ends[end.Call] = end.Result.Outcome
		}
	}
	require.Equal(t, map[string]tool.Outcome{"1.1": tool.Canceled, "1.2": tool.Canceled}, ends)
	require.NoError(t, run.Answer("1.1", agent.Words(agent.StopTheRun)), "the same again is fine")
}

// SES-E92: the answer alone is enough, also when nothing comes after it.
func TestStopAtOutcomeIsKept(t *testing.T) {
	s := agent.Fold().With(
		agent.Said{Text: "go", Prompt: true},
		agent.Replied{Reply: llmtest.Call("k1", "pay", `{}`).Reply, Checks: []agent.Check{{}}, Told: 1},
		agent.CallStarted{Call: "1.1", Name: "pay"},
		agent.CallPaused{Call: "1.1", CutOff: true, Question: agent.Question{About: agent.AboutOutcome}},
		agent.Answered{ID: "1.1", Answer: agent.Words(agent.StopTheRun)},
	)
	l := &agent.Loop{Client: llmtest.Script()}
	note, ok := l.Next(s).(agent.Note)
	require.True(t, ok)
	require.Len(t, note.Facts, 1)
	stop, ok := l.Next(s.With(note.Facts...)).(agent.Stop)
	require.True(t, ok)
	require.Equal(t, agent.Canceled, stop.Reason)
}
