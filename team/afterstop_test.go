package team_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// asker is a worker that asks a person about the prompt "first".
func asker(first bool) *agent.Loop {
	ask := tool.Tool{Spec: llm.Spec{Name: "ask"}, Run: func(ctx context.Context, call tool.Call) (tool.Result, error) {
		if call.Answer != "" {
			return tool.Text(call.Answer), nil
		}
		return tool.Result{}, &tool.Pause{Question: "who?"}
	}}
	return &agent.Loop{Client: llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		last := req.Messages[len(req.Messages)-1]
		a := llmtest.Text("did " + last.Text())
		if first && last.Text() == "first" {
			a = llmtest.Call("k", "ask", `{}`)
		}
		return a.Costing(10, 1).Stream(ctx, req)
	}), Tools: tool.NewRegistry(ask)}
}

// AGT-E41, AGT-29: what is said after a stop begins another round.
func TestReviewedStopSay(t *testing.T) {
	for _, when := range []string{"pending", "after", "pending stop", "pending later"} {
		rev := team.NewReviewer(llmtest.ByHistory(llmtest.Text(`{"approved":true}`)))
		r := &team.Reviewed{Worker: asker(true), Reviewer: rev}
		run, err := r.Open(t.Context(), agent.Scope{}, "first")
		require.NoError(t, err)
		n := 0
		for e, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := e.(agent.Paused); ok && n == 0 {
				n++
				require.NoError(t, run.Stop("enough"))
				if when != "after" {
					require.NoError(t, run.Say("second"))
				}
				if when == "pending stop" {
					require.NoError(t, run.Stop("enough"))
				}
			}
		}
		if when == "pending stop" {
			require.Equal(t, agent.Canceled, run.Result().Reason)
			require.NoError(t, run.Say("third"))
			require.NoError(t, agent.Drain(t.Context(), run, nil))
		}
		if when == "after" {
			require.Equal(t, agent.Canceled, run.Result().Reason)
			require.NoError(t, run.Say("second"))
			require.NoError(t, agent.Drain(t.Context(), run, nil))
		}
		require.Equal(t, agent.Completed, run.Result().Reason, when)
	}
}

// BUD-07: what was spent counts once, also when a new pool opens the run again
func TestPoolOnce(t *testing.T) {
	verdicts := llmtest.ByHistory(llmtest.Text(`{"approved":false,"issues":["more"]}`).Costing(10, 1))
	r := &team.Reviewed{Worker: asker(false), Reviewer: team.NewReviewer(verdicts)}
	store := &journal.Memory{}
	run, err := r.Open(t.Context(), agent.Scope{Journal: store, ID: "run", Pool: &budget.Pool{}}, "go")
	require.NoError(t, err)
	for e, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if e.Kind() == "review_ended" {
			break
		}
	}
	pool := &budget.Pool{}
	run, err = r.Open(t.Context(), agent.Scope{Journal: store, ID: "run", Pool: pool}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, run.Result().Spent.Tokens(), pool.Spent().Tokens())
}
