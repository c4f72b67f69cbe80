package plan_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// goals are the goals that the planner was told.
func (d *drafter) goals() (goals []string) {
	for _, b := range d.briefs {
		goals = append(goals, b.Goal)
	}
	return goals
}

// PLAN-01, PLAN-09: with review on no task starts before the approval; a text is
// a supplement and the whole plan is made anew; deny runs nothing.
func TestReview(t *testing.T) {
	more := "g\n\nAdditional requirement: "
	for _, c := range []struct {
		name    string
		drafts  [][]string
		answers []agent.Answer
		want    string
		goals   []string
	}{
		{"approve", [][]string{{"a: 1s"}}, []agent.Answer{agent.Approve()}, "0?review_1 0+a 1-a completed", []string{"g"}},
		{"deny", [][]string{{"a: 1s"}}, []agent.Answer{agent.Deny("no")}, "0?review_1 0-a(skipped) canceled", []string{"g"}},
		{"supplement", [][]string{{"a: 1s"}, {"b: 1s"}, {"c: 1s"}}, []agent.Answer{agent.Words("in Go"), agent.Words("with tests"), agent.Approve()},
			"0?review_1 0?review_2 0?review_3 0+c 1-c completed", []string{"g", more + "in Go", more + "in Go\n\nAdditional requirement: with tests"}},
		{"PLAN-10: a replacement is reviewed again", [][]string{{"a: 1s fail"}, {"b: 1s"}}, []agent.Answer{agent.Approve(), agent.Approve()},
			"0?review_1 0+a 1-a(failed) 1?review_2 1+b 2-b completed", []string{"g", "g"}},
		{"a supplement to a replacement", [][]string{{"a: 1s fail"}, {"b: 1s"}, {"c: 1s"}}, []agent.Answer{agent.Approve(), agent.Words("in Go"), agent.Approve()},
			"0?review_1 0+a 1-a(failed) 1?review_2 1?review_3 1+c 2-c completed", []string{"g", "g", more + "in Go"}},
		{"deny a replacement", [][]string{{"a: 1s fail"}, {"b: 1s"}}, []agent.Answer{agent.Approve(), agent.Deny("")},
			"0?review_1 0+a 1-a(failed) 1?review_2 1-b(skipped) canceled", []string{"g", "g"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				planner := drafts(c.drafts...)
				run := open(t, &plan.Executor{Planner: planner, Worker: (&crew{}).loop(), Review: true})
				require.Equal(t, c.want, trace(t, run, answering(t, run, c.answers...)))
				require.Equal(t, c.goals, planner.goals())
				if len(c.drafts) == 3 && c.drafts[0][0] == "a: 1s fail" {
					require.Equal(t, "a", planner.briefs[2].Failed[0].ID, "the failure is still told")
				}
			})
		})
	}
}

// PLAN-01: review off, no pause. PLAN-09: other answers and blank texts are
// errors and execute nothing; the question shows the plan whole.
func TestReviewAnswers(t *testing.T) {
	x := &plan.Executor{Planner: drafts([]string{"a: do this", "b: then that after a"}), Worker: (&crew{}).loop(), Review: true}
	run := open(t, x)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	res := run.Result()
	require.Equal(t, agent.Waits, res.Reason)
	require.Equal(t, []agent.Question{{ID: "review_1", About: agent.AboutPlan, Text: "Goal: g\n\na: do this\nb: then that (after a)"}}, res.Questions)
	for _, a := range []agent.Answer{agent.Words(" \n"), agent.ApproveForSession(), agent.ApproveWith([]byte(`{}`)), {Verdict: "maybe"}, {}} {
		require.ErrorIs(t, run.Answer("review_1", a), agent.ErrUnfit)
	}
	require.ErrorIs(t, run.Answer("review_2", agent.Approve()), agent.ErrNoQuestion)
	require.Equal(t, "a pending, b pending", statuses(state(t, run)))
	require.NoError(t, run.Answer("review_1", agent.Approve()))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
}

// PLAN-E57: a review is a pause, not a goroutine: another process carries on.
func TestReviewInAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	process := func(planner plan.Planner, answer *agent.Answer) agent.Result {
		store, err := journal.Open(dir)
		require.NoError(t, err)
		x := &plan.Executor{Planner: planner, Worker: (&crew{}).loop(), Review: true}
		run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
		require.NoError(t, err)
		if answer != nil {
			require.NoError(t, run.Answer("review_1", *answer))
		}
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		return run.Result()
	}
	require.Equal(t, agent.Waits, process(drafts([]string{"a: x", "b: y after a"}), nil).Reason)
	yes := agent.Approve()
	res := process(drafts(), &yes)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "did y", res.Text)
}

// PLAN-16: a simple goal costs no planner request, and is reviewed all the same.
func TestSimple(t *testing.T) {
	planner := drafts([]string{"a: x"})
	simple := plan.Simple(planner, func(goal string) bool { return len(goal) < 5 })
	run := open(t, &plan.Executor{Planner: simple, Worker: (&crew{}).loop(), Review: true})
	reviews := 0
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if p, ok := event.(agent.Paused); ok {
			reviews++
			require.Equal(t, "Goal: g\n\ntask_1: g", p.Questions[0].Text)
			require.NoError(t, run.Answer("review_1", agent.Approve()))
		}
	}
	require.Equal(t, 1, reviews)
	require.Empty(t, planner.briefs)
	require.Equal(t, "did g", run.Result().Text)

	run = open(t, &plan.Executor{Planner: simple, Worker: (&crew{}).loop()}, "a longer goal")
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Len(t, planner.briefs, 1)
}

// TOOL-E27, B161: a plan that a person must review does not begin where nobody
// can be asked; no run waits for nobody.
func TestReviewNeedsSomebody(t *testing.T) {
	dag, err := plan.NewDAG(plan.Task{ID: "a", Description: "a"})
	require.NoError(t, err)
	x := &plan.Executor{Planner: plan.Fixed(dag), Worker: &agent.Loop{Client: llmtest.Script()}, Review: true}
	_, err = x.Open(t.Context(), agent.Scope{Headless: true}, "go")
	require.ErrorIs(t, err, plan.ErrHeadless)
	x.Review = false
	_, err = x.Open(t.Context(), agent.Scope{Headless: true}, "go")
	require.NoError(t, err)
}
