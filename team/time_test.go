package team_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/team"
)

// The active time of a reviewed task counts before its end, in the result and
// in a pool that it joins later.
func TestTimeOfUnfinishedReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := journal.NewMemory()
		c := script("step_1 work 10s: one\nstep_1 review 5s: " + approve)
		r := &team.Reviewed{Worker: &agent.Loop{Client: c.client("work")}, Reviewer: team.NewReviewer(c.client("review"))}
		run, err := r.Open(t.Context(), agent.Scope{Journal: store, ID: "r"}, "Your task:\ndo step_1")
		require.NoError(t, err)
		for event := range run.Events(t.Context()) {
			if _, ok := event.(team.WorkEnded); ok {
				break
			}
		}
		require.Equal(t, 10*time.Second, run.Result().Spent.Time)

		pool := &budget.Pool{}
		run, err = r.Open(t.Context(), agent.Scope{Journal: store, ID: "r", Pool: pool}, "Your task:\ndo step_1")
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, pool.Spent().Time)
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, team.Fold(log...).With(agent.Stopped{Reason: agent.Canceled}).Spent().Time)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, 15*time.Second, run.Result().Spent.Time)
	})
}
