package plan_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// A slowly drafting planner takes a second for each plan.
type slowly struct{ *drafter }

func (s slowly) Plan(ctx context.Context, b plan.Brief) (plan.Proposal, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return plan.Proposal{}, ctx.Err()
	}
	return s.drafter.Plan(ctx, b)
}

// AGT-E41: a message is heeded at whatever second it comes, also while a plan is made.
func TestSayAnySecond(t *testing.T) {
	for half := range 12 {
		synctest.Test(t, func(t *testing.T) {
			d := drafts([]string{"a: 1s", "b: 2s after a"}, []string{"n: 1s"}, []string{"m: 1s"})
			x := &plan.Executor{Planner: slowly{d}, Worker: (&crew{}).loop()}
			run := open(t, x, "go")
			said := make(chan bool)
			go func() {
				defer close(said)
				time.Sleep(time.Duration(half)*500*time.Millisecond + 10*time.Millisecond)
				require.NoError(t, run.Say("extra"))
			}()
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			<-said
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			told := false
			for _, b := range d.briefs {
				told = told || strings.Contains(b.Goal, "extra")
			}
			require.True(t, told, "half second %d", half)
		})
	}
}

// AGT-E41: and also when the plan has just been refused
func TestSayAtRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drafts([]string{"a: 1s after z"}, []string{"n: 1s"})
		x := &plan.Executor{Planner: d, Worker: (&crew{}).loop()}
		run := open(t, x, "go")
		n := 0
		for e, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := e.(plan.PlanRejected); ok && n == 0 {
				n++
				require.NoError(t, run.Say("extra"))
			}
		}
		require.Len(t, d.briefs, 2)
	})
}
