package plan_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

func kindsOf(t *testing.T, run *agent.Run) (kinds []string) {
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		kinds = append(kinds, e.Fact.Kind())
	}
	return kinds
}

func count(kinds []string, k string) (n int) {
	for _, s := range kinds {
		if s == k {
			n++
		}
	}
	return n
}

// AGT-E41: what is said after a stop is the next prompt, for a plan too, at each event.
func TestPlanStopSay(t *testing.T) {
	for _, then := range []bool{false, true} {
		for i := range 12 {
			synctest.Test(t, func(t *testing.T) {
				d := drafts([]string{"a: 1s", "b: 2s", "c: 1s after a"}, []string{"n: 1s"}, []string{"m: 1s"})
				x := &plan.Executor{Planner: d, Worker: (&crew{}).loop()}
				run := open(t, x, "go")
				n := 0
				for _, err := range run.Events(t.Context()) {
					require.NoError(t, err)
					if n++; n == i+1 {
						require.NoError(t, run.Stop("enough"))
						if then {
							require.NoError(t, run.Then("new"))
						} else {
							require.NoError(t, run.Say("new"))
						}
					}
				}
				k := kindsOf(t, run)
				if n > i {
					require.Equal(t, agent.Completed, run.Result().Reason, "at %d: %v", i, k)
					require.Equal(t, 2, count(k, "stopped"), "at %d: %v", i, k)
				}
			})
		}
	}
}

// AGT-29: the last word is a stop.
func TestPlanStopSayStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drafts([]string{"a: 1s", "b: 2s", "c: 1s after a"}, []string{"n: 1s"}, []string{"m: 1s"})
		x := &plan.Executor{Planner: d, Worker: (&crew{}).loop()}
		run := open(t, x, "go")
		n := 0
		for _, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if n++; n == 4 {
				require.NoError(t, run.Stop("enough"))
				require.NoError(t, run.Say("new"))
				require.NoError(t, run.Stop("enough"))
			}
		}
		k := kindsOf(t, run)
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.Equal(t, 1, count(k, "stopped"), "%v", k)
	})
}

// AGT-E41: a no to the plan, and a word after it.
func TestPlanDenySay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drafts([]string{"a: 1s"}, []string{"n: 1s"}, []string{"m: 1s"})
		x := &plan.Executor{Planner: d, Worker: (&crew{}).loop(), Review: true}
		run := open(t, x, "go")
		n := 0
		for e, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if p, ok := e.(agent.Paused); ok {
				if n++; n == 1 {
					require.NoError(t, run.Answer(p.Questions[0].ID, agent.Deny("no")))
					require.NoError(t, run.Say("new"))
				} else {
					require.NoError(t, run.Answer(p.Questions[0].ID, agent.Approve()))
				}
			}
		}
		require.Equal(t, agent.Completed, run.Result().Reason)
	})
}

// A plan has no limits of its own that a grant could widen, and says so.
func TestPlanGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &plan.Executor{Planner: drafts([]string{"a: 1s"}), Worker: (&crew{}).loop()}
		run := open(t, x, "go")
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		err := run.Grant(agent.Granted{})
		require.Error(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		k := kindsOf(t, run)
		require.Equal(t, 1, count(k, "stopped"), "%v", k)
	})
}
