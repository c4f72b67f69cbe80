package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// BUD-07: what a planner or a critic of the host that panics had reserved is
// there for others again.
func TestPanicGivesBack(t *testing.T) {
	ouch := plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) { panic("ouch") })
	critic := plan.CriticFunc(func(context.Context, plan.State) (plan.Judged, error) { panic("ouch") })
	ordered := plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{Tasks: lines("a: 0s")}, nil
	})
	for name, c := range map[string]struct {
		w     agent.Worker
		spent int
	}{
		"planner": {&plan.Executor{Planner: ouch, Worker: (&crew{}).loop()}, 0},
		"critic":  {&plan.Research{Client: llmtest.Text("the report"), Planner: ordered, Worker: (&crew{}).loop(), Critic: critic}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pool := &budget.Pool{Budget: budget.Budget{Turns: budget.Max(c.spent + 1)}}
			run, err := c.w.Open(t.Context(), agent.Scope{Pool: pool}, "g")
			require.NoError(t, err)
			require.ErrorContains(t, agent.Drain(t.Context(), run, nil), "ouch")
			require.Equal(t, c.spent, pool.Spent().Turns)
			settle, err := pool.Reserve(budget.Spent{Turns: 1})
			require.NoError(t, err)
			settle(budget.Spent{})
		})
	}
}
