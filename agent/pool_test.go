package agent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// BUD-07: a call counts once in a shared budget, as it does in the run's own.
func TestPoolCalls(t *testing.T) {
	for _, kind := range []string{"pause", "left"} {
		ask := scripted("ask write asked")
		ask.Run = func(_ context.Context, c tool.Call) (tool.Result, error) {
			if c.Answer == "" && kind == "pause" {
				return tool.Result{}, &tool.Pause{Question: "what?"}
			}
			return tool.Text("ok"), nil
		}
		pool := &budget.Pool{}
		l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "ask", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(ask)}
		run, err := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
		require.NoError(t, err)
		if kind == "left" {
			for e := range run.Events(t.Context()) {
				if e.Kind() == "call_started" {
					break
				}
			}
		}
		require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Words("x"), true }))
		require.Equal(t, agent.Completed, run.Result().Reason)
		require.Equal(t, run.Result().Spent.Calls, pool.Spent().Calls, kind)
	}
}

// BUD-07, AGT-12: time of a shared budget counts once over several rides and handles.
func TestPoolTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &journal.Memory{}
		pool := &budget.Pool{}
		ask := scripted("ask write asked")
		ask.Run = func(_ context.Context, c tool.Call) (tool.Result, error) {
			time.Sleep(3 * time.Second)
			if c.Answer == "" {
				return tool.Result{}, &tool.Pause{Question: "what?"}
			}
			return tool.Text("ok"), nil
		}
		child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "ask", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(ask)}
		l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "sub", `{"task":"x"}`), llmtest.Text("done")), Tools: tool.NewRegistry(agent.AsTool(child, "sub", "Does."))}
		for range 3 {
			run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run", Pool: pool}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			time.Sleep(time.Hour)
			if q := run.Result().Questions; len(q) > 0 {
				require.NoError(t, run.Answer(q[0].ID, agent.Words("x")))
			}
			time.Sleep(time.Hour)
			if run.Result().Ended() {
				require.Equal(t, run.Result().Spent.Time, pool.Spent().Time)
			}
		}
		other := &budget.Pool{}
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run", Pool: other}, "go")
		require.NoError(t, err)
		require.Equal(t, run.Result().Spent.Time, other.Spent().Time)
	})
}

// AGT-12: the time that a run within has worked before it waits is the run's own too.
func TestOuterTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := scripted("ask write asked")
		ask.Run = func(_ context.Context, c tool.Call) (tool.Result, error) {
			time.Sleep(3 * time.Second)
			if c.Answer == "" {
				return tool.Result{}, &tool.Pause{Question: "what?"}
			}
			return tool.Text("ok"), nil
		}
		child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "ask", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(ask)}
		l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "sub", `{"task":"x"}`), llmtest.Text("done")), Tools: tool.NewRegistry(agent.AsTool(child, "sub", "Does."))}
		pool := &budget.Pool{}
		run, err := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		time.Sleep(time.Hour)
		require.NoError(t, run.Answer(run.Result().Questions[0].ID, agent.Words("x")))
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, 6*time.Second, run.Result().Spent.Time)
		require.Equal(t, 6*time.Second, pool.Spent().Time)
	})
}
