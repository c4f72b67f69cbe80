package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// PLAN-02, PLAN-24: an id names a log, and no task can have the one in which the plan
// itself makes its answer, its report or a summary.
func TestKeptIDs(t *testing.T) {
	for _, id := range []string{"solve_1", "solve_20", "report_1", "summarize_3"} {
		_, err := plan.NewDAG(plan.Task{ID: id, Description: "do it"})
		require.ErrorAs(t, err, new(*plan.InvalidError), id)
		require.True(t, err.(*plan.InvalidError).Has(plan.BadID), id)

		x := &plan.Executor{Planner: drafts([]string{id + ": do it"}), Worker: (&crew{}).loop(), Solve: &agent.Loop{Client: llmtest.Text("the answer")}}
		res, err := agent.Do(t.Context(), x, "g")
		require.NoError(t, err, id)
		require.Equal(t, agent.PlanningFailed, res.Cause, id)
		require.Contains(t, res.Detail, id)
	}
	for _, id := range []string{"solve", "solve_", "solve_a", "my_solve_1", "report_1b", "draft", "verify", "review_1"} {
		x := &plan.Executor{Planner: drafts([]string{id + ": do it"}), Worker: (&crew{}).loop(), Solve: &agent.Loop{Client: llmtest.Text("the answer")}}
		res, err := agent.Do(t.Context(), x, "g")
		require.NoError(t, err, id)
		require.Equal(t, agent.Completed, res.Reason, id)
		require.Equal(t, "the answer", res.Text, id)
	}
}

// A model's plan can't have such ids either: what would give them out is refused
// before any request.
func TestKeptPrefix(t *testing.T) {
	for _, prefix := range []string{"solve_", "a/b_"} {
		p := plan.NewPlanner(llmtest.Text(`{"tasks":[{"id":"1","description":"do it"}]}`))
		p.Form.Prefix = prefix
		_, err := (&plan.Executor{Planner: p, Worker: (&crew{}).loop()}).Open(t.Context(), agent.Scope{}, "g")
		require.ErrorAs(t, err, new(*agent.ConfigError), prefix)
		require.ErrorContains(t, err, "Form.Prefix")
	}
}

// An eager planner tells of its tasks at once, and again, with other words, when
// it is asked again.
type eager struct {
	tries [][]plan.Task
	told  [][]plan.Task
}

func (e *eager) Plan(context.Context, plan.Brief) (plan.Proposal, error) {
	panic("it is asked for its tasks early")
}

func (e *eager) PlanEarly(_ context.Context, _ plan.Brief, found func(plan.Task) bool) (plan.Proposal, error) {
	told, tasks := e.told[0], e.tries[0]
	e.told, e.tries = e.told[1:], e.tries[1:]
	for _, t := range told {
		if !found(t) {
			break
		}
	}
	if tasks == nil {
		return plan.Proposal{}, errDead
	}
	return plan.Proposal{Tasks: tasks}, nil
}

// PLAN-19: a task may be named as the drafting beside it is, and one that can't
// be in the plan is not begun before it.
func TestEarlyIDs(t *testing.T) {
	draft, bad := lines("draft: 1s"), lines("solve_1: 1s", "a/b: 1s")
	x := &plan.Executor{Planner: &eager{told: [][]plan.Task{append(draft, bad...)}, tries: [][]plan.Task{draft}}, Early: true, Worker: (&crew{}).loop()}
	run := open(t, x)
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if f, ok := event.(plan.TaskFound); ok {
			require.Equal(t, "draft", f.Task.ID)
		}
	}
	require.Equal(t, agent.Completed, run.Result().Reason)

	// What is found under an id already is planned anew under another one.
	e := &eager{told: [][]plan.Task{lines("solve: 0s"), nil}, tries: [][]plan.Task{nil, lines("solve: 0s other")}}
	run = open(t, &plan.Executor{Planner: e, Early: true, Worker: (&crew{}).loop(), Solve: &agent.Loop{Client: llmtest.Text("the answer")}})
	require.Error(t, agent.Drain(t.Context(), run, nil))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, "the answer", run.Result().Text)
}
