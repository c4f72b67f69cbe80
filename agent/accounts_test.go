package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A paying compressor has paid for a summary, whatever comes of it.
type paying struct{ err error }

func (p *paying) Compress(context.Context, compress.View) (compress.Compaction, error) {
	return compress.Compaction{Usage: llm.Usage{Input: 1000, Output: 100}, Failed: "nothing to gain"}, p.err
}

// BUD-07, CMP-21: what summaries cost is drawn from the shared budget as
// it stands in the run's own, also where nothing came of them.
func TestSummariesArePaid(t *testing.T) {
	for name, err := range map[string]error{"noted": nil, "full": compress.ErrFull, "an error": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			pool := &budget.Pool{}
			l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("done")), Compressor: &paying{err}}
			run, failed := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
			require.NoError(t, failed)
			_ = agent.Drain(t.Context(), run, nil)
			require.Equal(t, 1100, pool.Spent().Summary.Total())
			require.Equal(t, 1100, run.Result().Spent.Summary.Total())
		})
	}
}

// BUD-E89: the summary for a last request, after a limit, counts too.
func TestWrapUpSummaryIsPaid(t *testing.T) {
	pool := &budget.Pool{}
	l := &agent.Loop{
		Client:     llmtest.ByHistory(llmtest.Call("k1", "look", `{}`).Costing(1, 1), llmtest.Text("report").Costing(1, 1)),
		Tools:      tool.NewRegistry(scripted("look read seen")),
		Compressor: &paying{}, Budget: budget.Budget{Turns: budget.Max(1)},
	}
	run, err := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, 2*1100+4, pool.Spent().Tokens())
	require.Equal(t, 2*1100+4, run.Result().Spent.Tokens())
}

// BUD-07: the calls and the active time of a tree of runs bind it: no request
// is made beyond them. Time is that of the outermost run, and counts once.
func TestPoolOfCallsAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := scripted("slow read done")
		slow.Run = func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(20 * time.Second)
			return tool.Text("done"), nil
		}
		child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(slow)}
		for limit, b := range map[budget.Limit]budget.Budget{
			budget.Calls: {Calls: budget.Max(3)},
			budget.Time:  {Time: budget.Max(30 * time.Second)},
		} {
			l := &agent.Loop{
				Client: llmtest.ByHistory(
					llmtest.Call("c1", "child", `{"task":"a"}`), llmtest.Call("c2", "child", `{"task":"b"}`),
					llmtest.Call("c3", "child", `{"task":"c"}`), llmtest.Text("done")),
				Tools: tool.NewRegistry(agent.AsTool(child, "child", "Helps.")), NoWrapUp: true,
			}
			pool := &budget.Pool{Budget: b}
			run, err := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			require.Equal(t, agent.OverBudget, run.Result().Reason)
			require.Equal(t, limit, run.Result().Limit.Limit)
			if limit == budget.Time {
				require.Equal(t, 40*time.Second, pool.Spent().Time.Round(time.Second))
			} else {
				require.Equal(t, 3, pool.Spent().Calls)
			}
		}
	})
}
