package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// pooled runs w with so many tokens for all, of which some are used already.
func pooled(t *testing.T, w agent.Worker, tokens, used int) (agent.Result, plan.State) {
	t.Helper()
	pool := &budget.Pool{Budget: budget.Budget{Tokens: budget.Max(tokens)}}
	pool.Add(budget.Spent{Main: llm.Usage{Input: used}})
	run, err := w.Open(t.Context(), agent.Scope{Pool: pool}, "g")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	return run.Result(), state(t, run)
}

// BUD-05, BUD-07, PLAN-15: a shared budget that has nothing left while the plan
// is drafted is a limit, and no bad planning, whoever tells of it and however
// deep; a limit of time is TimedOut.
func TestLimitWhileDrafting(t *testing.T) {
	planner := drafts([]string{"a: x"})
	x := &plan.Executor{Planner: planner, Worker: (&crew{}).loop()}
	res, _ := pooled(t, x, 200, 460)
	require.Equal(t, agent.OverBudget, res.Reason)
	require.Empty(t, res.Cause)
	require.Equal(t, &budget.ExceededError{Limit: budget.Tokens, Used: 460, Max: 200}, res.Limit)
	require.Contains(t, res.Detail, "used 460 of 200")
	require.False(t, res.Partial)
	require.Empty(t, planner.briefs)

	for _, failing := range []plan.Executor{{}, {ErrorsFail: true}} {
		for limit, want := range map[budget.Limit]agent.Reason{budget.Cost: agent.OverBudget, budget.Time: agent.TimedOut} {
			failing.Worker = x.Worker
			failing.Planner = plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
				return plan.Proposal{}, fmt.Errorf("asking: %w", &budget.ExceededError{Limit: limit, Used: 3, Max: 2})
			})
			res, _ := do(t, &failing)
			require.Equal(t, want, res.Reason)
			require.Equal(t, limit, res.Limit.Limit)
			require.NotEmpty(t, res.Detail)
		}
	}

	r := &plan.Research{Client: llmtest.Script(), Worker: x.Worker}
	res, _ = pooled(t, r, 1, 1)
	require.Equal(t, agent.OverBudget, res.Reason)
	require.Equal(t, budget.Tokens, res.Limit.Limit)
}

// BUD-07, PLAN-10, PLAN-15: where the shared budget runs out in the tasks, no
// other plan is asked for, and the end says so whatever the rule for failures.
func TestSharedBudgetEndsInTasks(t *testing.T) {
	zero := 0
	for name, c := range map[string]struct {
		x    plan.Executor
		plan []string
		want agent.Reason
	}{
		"nothing done":              {plan.Executor{}, []string{"a: x", "b: y"}, agent.OverBudget},
		"nothing done, no replans":  {plan.Executor{Replans: &zero}, []string{"a: x", "b: y"}, agent.OverBudget},
		"nothing done, going on":    {plan.Executor{OnFailure: plan.GoOn}, []string{"a: x", "b: y", "c: z after b"}, agent.OverBudget},
		"nothing done, a task list": {plan.Executor{OnFailure: plan.ReplanAlways, Parallel: 1}, []string{"a: x", "b: y"}, agent.OverBudget},
		"some done":                 {plan.Executor{}, []string{"a: x", "b: y after a", "c: z after b"}, agent.Incomplete},
		"some done, going on":       {plan.Executor{OnFailure: plan.GoOn}, []string{"a: x", "b: y after a", "c: z after b"}, agent.Incomplete},
		"enough done":               {plan.Executor{}, []string{"a: x", "b: y after a"}, agent.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			planner, most, id := drafts(c.plan, []string{"n: never"}), 110, "a"
			if c.want == agent.Incomplete {
				most, id = 115, "b"
			}
			c.x.Planner, c.x.Worker = planner, (&crew{}).loop()
			res, s := pooled(t, &c.x, most, 0)
			require.Equal(t, c.want, res.Reason, res.Detail)
			require.Empty(t, res.Cause)
			require.Equal(t, c.want == agent.Incomplete, res.Partial)
			require.Equal(t, budget.Tokens, res.Limit.Limit)
			require.EqualValues(t, most, res.Limit.Max)
			require.Contains(t, res.Detail, fmt.Sprintf("%s: over_budget: tokens: %d of %d", id, int(res.Limit.Used), most))
			require.Len(t, planner.briefs, 1, "nobody plans with nothing")
			task, _ := s.Task(id)
			require.Equal(t, plan.Partial, task.Status)
			require.True(t, task.Shared)
			require.Equal(t, res.Limit, task.Limit)
		})
	}
}

// PLAN-15, BUD-05: an end names the tasks that decided it, and why; a limit that
// all of them met is the run's, also if it is one of the tasks' own.
func TestEndsNameTheTasks(t *testing.T) {
	zero := 0
	one := (&crew{}).loop()
	one.Budget.Turns = budget.Max(1)
	x := &plan.Executor{Planner: drafts([]string{"a: x limit", "b: y after a"}), Worker: one, Replans: &zero}
	res, s := do(t, x)
	require.Equal(t, agent.Failed, res.Reason)
	require.Equal(t, agent.NoTaskDone, res.Cause)
	require.Equal(t, "a: over_budget: turns: 1 of 1", res.Detail)
	require.Equal(t, &budget.ExceededError{Limit: budget.Turns, Used: 1, Max: 1}, res.Limit)
	require.False(t, s.Tasks()[0].Shared)

	x.Planner = drafts([]string{"a: x limit", "b: y fail", "c: z"})
	res, _ = do(t, x)
	require.Equal(t, agent.Incomplete, res.Reason)
	require.Equal(t, "a: over_budget: turns: 1 of 1; b: refused: did y fail", res.Detail)
	require.Nil(t, res.Limit, "not all of them met one")

	x.Planner, x.OnFailure = drafts([]string{"a: x fail"}), plan.ReplanAlways
	res, _ = do(t, x)
	require.Equal(t, agent.Blocked, res.Cause)
	require.Equal(t, "a: refused: did x fail", res.Detail)

	res, _ = do(t, &plan.Executor{Planner: drafts([]string{"a: x fail"}), Worker: one})
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Equal(t, "a: refused: did x fail; planning failed: no draft left", res.Detail)
}

// PLAN-15: a detail is bounded, whatever the tasks say.
func TestDetailIsBounded(t *testing.T) {
	long := strings.Repeat("wrong ", 1000)
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("t%d: x fail %s", i, long))
	}
	zero := 0
	res, _ := do(t, &plan.Executor{Planner: drafts(many), Worker: (&crew{}).loop(), Replans: &zero})
	require.Less(t, len(res.Detail), 1500)
	require.Contains(t, res.Detail, "t0: refused: did ")
	require.Contains(t, res.Detail, "and 1 more", "four began")

	x := &plan.Executor{Worker: (&crew{}).loop(), Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{}, &plan.InvalidError{Faults: []plan.Fault{{Kind: plan.NoPlan, Detail: long}}}
	})}
	res, _ = do(t, x)
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Less(t, len(res.Detail), 1500)
}

// PLAN-15: also who gives no reason gives a run that says what happened.
func TestEveryEndSaysWhy(t *testing.T) {
	x := &plan.Executor{Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop(), Review: true}
	run := open(t, x)
	trace(t, run, answering(t, run, agent.Deny("")))
	require.Equal(t, agent.Canceled, run.Result().Reason)
	require.Equal(t, "the plan was not approved", run.Result().Detail)

	synctest.Test(t, func(t *testing.T) {
		run := open(t, &plan.Executor{Planner: drafts([]string{"a: 5s"}), Worker: (&crew{}).loop()})
		trace(t, run, func(e agent.Event) {
			if _, ok := e.(plan.TaskStarted); ok {
				require.NoError(t, run.Stop(""))
			}
		})
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.Equal(t, "the plan was stopped", run.Result().Detail)
	})

	mute := plan.VerifierFunc(func(context.Context, plan.State) (agent.Verdict, error) { return agent.Verdict{}, nil })
	res, _ := do(t, &plan.Executor{Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop(), Verifier: mute})
	require.Equal(t, agent.Unverified, res.Reason)
	require.Equal(t, "the check did not pass", res.Detail)
}

// BUD-07, PLAN-E62: a critic draws from the shared budget, and what keeps it
// from judging is the limit of the run.
func TestCriticDrawsFromThePool(t *testing.T) {
	client := llmtest.Script(round(1).Costing(10, 0), verdictOf(true, "").Costing(5, 0), llmtest.Text("the report").Costing(3, 0))
	pool := &budget.Pool{}
	r := &plan.Research{Client: client, Worker: (&crew{}).loop()}
	run, err := r.Open(t.Context(), agent.Scope{Pool: pool}, "g")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, run.Result().Spent.Tokens(), pool.Spent().Tokens())

	client = llmtest.Script(round(1).Costing(10, 0))
	r.Client = client
	res, s := pooled(t, r, 15, 0)
	require.Equal(t, "task_1 completed", statuses(s))
	require.Equal(t, budget.Tokens, res.Limit.Limit)
	require.Contains(t, res.Detail, "tokens")
	require.Len(t, client.Requests(), 1)
}

// PLAN-15: a shared budget with nothing left for what a check asks for leaves
// the run Unverified, as the check said.
func TestLimitAfterACheck(t *testing.T) {
	no := plan.VerifierFunc(func(context.Context, plan.State) (agent.Verdict, error) { return agent.Verdict{Why: "no tests"}, nil })
	x := &plan.Executor{Planner: drafts([]string{"a: x"}, []string{"b: y"}), Worker: (&crew{}).loop(), Verifier: no, Feedback: true}
	res, _ := pooled(t, x, 121, 0)
	require.Equal(t, agent.Unverified, res.Reason)
	require.Equal(t, budget.Tokens, res.Limit.Limit)
	require.Contains(t, res.Detail, "no tests; ")
}
