package plan_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/plan"
)

// The active time of a plan counts before its end, in the result and in a pool
// that it joins later.
func TestTimeOfUnfinishedPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := journal.NewMemory()
		x := &plan.Executor{Planner: drafts([]string{"a: 10s", "b: 10s after a"}), Worker: (&crew{}).loop()}
		run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "r"}, "g")
		require.NoError(t, err)
		for event := range run.Events(t.Context()) {
			if f, ok := event.(plan.TaskEnded); ok && f.ID == "a" {
				break
			}
		}
		require.Equal(t, 10*time.Second, run.Result().Spent.Time)

		pool := &budget.Pool{}
		run, err = x.Open(t.Context(), agent.Scope{Journal: store, ID: "r", Pool: pool}, "g")
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, pool.Spent().Time)
		s := state(t, run)
		require.Equal(t, 10*time.Second, s.Spent().Time)
		require.Equal(t, 10*time.Second, s.With(agent.Stopped{Reason: agent.Canceled}).Spent().Time)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, 20*time.Second, run.Result().Spent.Time)
		require.Equal(t, 20*time.Second, pool.Spent().Time)
	})
}

// What is handed out is the caller's own.
func TestNothingIsShared(t *testing.T) {
	own := []plan.Task{
		{ID: "a", Tool: "look", Arguments: []byte(`{"x":1}`), Outcome: plan.Outcome{Status: plan.Completed, Verdict: &agent.Verified{Why: "w"}, Limit: &budget.ExceededError{Max: 1}}},
		{ID: "b", Description: "do b", Dependencies: []string{"a"}, Tools: []string{"look"}},
	}
	spoil := func(tasks ...plan.Task) {
		for _, t := range tasks {
			for i := range t.Arguments {
				t.Arguments[i] = 'x'
			}
			for i := range t.Tools {
				t.Tools[i] = "spoilt"
			}
			for i := range t.Dependencies {
				t.Dependencies[i] = "spoilt"
			}
			if t.Verdict != nil {
				t.Verdict.Why, t.Limit.Max = "spoilt", 2
			}
		}
	}
	d, err := plan.NewDAG(own...)
	require.NoError(t, err)
	before := encoded(t, d)
	spoil(own...)
	require.Equal(t, before, encoded(t, d))
	spoil(d.Tasks()...)
	spoil(d.Ready()...)
	path, _ := d.CriticalPath(func(t plan.Task) time.Duration { spoil(t); return 1 })
	spoil(path...)
	require.Equal(t, before, encoded(t, d))

	log := []agent.Entry{{Fact: agent.Said{Text: "g"}}, {Fact: plan.Drafted{Tasks: d.Tasks()}}}
	s := plan.Fold(log...)
	task, ok := s.Task("b")
	require.True(t, ok)
	spoil(task)
	spoil(s.Tasks()...)
	spoil(s.DAG().Tasks()...)
	require.Equal(t, before, encoded(t, s.DAG()))
	s = s.With(plan.Drafted{Tasks: lines("c: do c")})
	require.Len(t, s.Replaced(), 1)
	spoil(s.Replaced()...)
	require.Equal(t, []string{"look"}, s.Replaced()[0].Tools)
}

// The zero DAG is a plan of nothing.
func TestZeroDAG(t *testing.T) {
	var d plan.DAG
	path, length := d.CriticalPath(nil)
	require.Empty(t, path)
	require.Zero(t, length)
	require.Empty(t, d.Ready())
	require.Empty(t, d.Tasks())
	require.Zero(t, d.Len())
	require.NotEmpty(t, d.Mermaid())
	require.NotEmpty(t, d.DOT())
}

func encoded(t *testing.T, d *plan.DAG) string {
	t.Helper()
	data, err := d.MarshalJSON()
	require.NoError(t, err)
	return string(data)
}
