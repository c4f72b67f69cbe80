package plan_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// AGT-E41, PLAN-24: a plan that was being written when the run was stopped: what is said next is
// planned anew, and nothing of it counts as canceled beforehand.
func TestEarlyStop(t *testing.T) {
	for _, own := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			doc := `{"tasks":[{"id":"1","description":"1s"},{"id":"2","description":"2s"}]}`
			client := llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
				n++
				first := n == 1
				return func(yield func(llm.Chunk, error) bool) {
					if !yield(llm.TextDelta(doc), nil) {
						return
					}
					if first {
						select {
						case <-time.After(time.Hour):
						case <-ctx.Done():
							yield(nil, ctx.Err())
							return
						}
					}
					yield(llmtest.Text(doc).Reply, nil)
				}
			})
			var p plan.Planner = plan.NewPlanner(client)
			x := &plan.Executor{Planner: p, Early: true, Worker: (&crew{}).loop()}
			run := open(t, x, "go")
			for e, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				if s, ok := e.(plan.TaskStarted); ok && n == 1 && s.ID != "" {
					require.NoError(t, run.Stop("enough"))
					if own {
						require.NoError(t, run.Say("new"))
					}
				}
			}
			if !own {
				require.Equal(t, agent.Canceled, run.Result().Reason)
				require.NoError(t, run.Say("new"))
				require.NoError(t, agent.Drain(t.Context(), run, nil))
			}
			require.Equal(t, agent.Completed, run.Result().Reason)
			d, all := state(t, run).Progress()
			require.Equal(t, all, d)
		})
	}
}
