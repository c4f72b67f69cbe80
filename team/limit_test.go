package team_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// pooled runs a team with so many tokens for all. A plan costs 110, and each
// request of a worker or a reviewer 11.
func pooled(t *testing.T, o *team.Orchestrator, tokens int) (agent.Result, *agent.Run) {
	t.Helper()
	pool := &budget.Pool{Budget: budget.Budget{Tokens: budget.Max(tokens)}}
	run, err := o.Open(t.Context(), agent.Scope{Pool: pool}, "the goal")
	require.NoError(t, err)
	return drain(t, run), run
}

// BUD-05, BUD-07, TEAM-E71: where the shared budget runs out is told by the end,
// behind the counts: while it is planned, worked, or reviewed.
func TestSharedBudget(t *testing.T) {
	lines := "step_1 work 0s: one\nstep_1 review: " + approve + "\nstep_2 work 0s: two\nstep_2 review: " + approve
	for name, c := range map[string]struct {
		tokens         int
		want           agent.Reason
		detail, status string
	}{
		"planning":         {0, agent.OverBudget, "budget: tokens: used 0 of 0", ""},
		"working":          {110, agent.OverBudget, "1 failed, 1 skipped; step_1: over_budget: tokens: 110 of 110", "failed skipped"},
		"reviewing":        {115, agent.Incomplete, "1 unreviewed, 1 failed; step_2: over_budget: tokens: 121 of 115", "unreviewed failed"},
		"working later":    {130, agent.Incomplete, "1 approved, 1 failed; step_2: over_budget: tokens: 132 of 130", "approved failed"},
		"the last review":  {140, agent.Unverified, "1 approved, 1 unreviewed; step_2: nobody could review it: the review ended as over_budget: tokens: 143 of 140", "approved unreviewed"},
		"there was enough": {150, agent.Completed, "2 approved", "approved approved"},
	} {
		t.Run(name, func(t *testing.T) {
			crew := script(lines)
			res, run := pooled(t, crew.team("step_1", "step_2 after step_1"), c.tokens)
			require.Equal(t, c.want, res.Reason, res.Detail)
			require.Empty(t, res.Cause)
			require.Equal(t, c.status, statuses(t, run))
			if c.want == agent.Completed {
				require.Nil(t, res.Limit)
				require.Equal(t, c.detail, res.Detail)
				return
			}
			require.Equal(t, budget.Tokens, res.Limit.Limit)
			require.EqualValues(t, c.tokens, res.Limit.Max)
			require.Equal(t, c.detail, res.Detail)
			require.True(t, strings.HasPrefix(res.Detail, team.Count(tasks(t, run)).String()))
		})
	}
}

// TEAM-11, TEAM-12, BUD-05: a redo that a limit cuts short before it gives
// anything uses up a retry and keeps the earlier result, which is not reviewed
// again; the limit is told.
func TestSharedBudgetEndsInARedo(t *testing.T) {
	c := script("step_1 work 0s: one\nstep_1 review: {\"approved\":false,\"issues\":[\"too short\"]}")
	res, run := pooled(t, c.team("step_1"), 132)
	require.Equal(t, agent.Unverified, res.Reason)
	require.Equal(t, "1 not_accepted; step_1: too short", res.Detail)
	require.Equal(t, &budget.ExceededError{Limit: budget.Tokens, Used: 132, Max: 132}, res.Limit)
	require.Equal(t, "one", tasks(t, run)[0].Result)
	require.Len(t, c.of("review", ""), 1)
}

// TEAM-07, TEAM-E71: a failed team names the tasks and their reasons, and the
// limit that all of them met.
func TestEndsNameTheTasks(t *testing.T) {
	c := script("step_1 work 0s: refuse\nstep_2 work 0s: refuse")
	res := drain(t, open(t, c.team("step_1", "step_2", "step_3 after step_2")))
	require.Equal(t, agent.NoTaskDone, res.Cause)
	require.Equal(t, "2 failed, 1 skipped; step_1: refused: refuse; step_2: refused: refuse", res.Detail)
	require.Nil(t, res.Limit)

	o := c.team("step_1")
	none := team.NewWorker("w", c.client("work"), tool.NewRegistry())
	none.Budget.Turns = budget.Max(0)
	o.Workers = []agent.Worker{none}
	run := open(t, o)
	res = drain(t, run)
	require.Equal(t, agent.Failed, res.Reason)
	require.Equal(t, agent.NoTaskDone, res.Cause, "the limit is the worker's own")
	require.Equal(t, "1 failed; step_1: over_budget: turns: 0 of 0", res.Detail)
	require.Equal(t, &budget.ExceededError{Limit: budget.Turns}, res.Limit)
	require.Empty(t, c.of("review", ""), "TEAM-E68: there is no result to review")
}

// TOOL-E27, B161: a headless team holds for the runs within: what a worker of
// the caller's would ask is refused, and nothing pauses.
func TestHeadlessHoldsWithin(t *testing.T) {
	c := script("step_1 work 0s: call done\nstep_1 review: " + approve)
	write := note
	write.Access = tool.SideEffecting
	w := team.NewWorker("w", c.client("work"), tool.NewRegistry(write))
	w.Policy = tool.AskForSideEffects
	o := c.team("step_1")
	o.Workers, o.Headless = []agent.Worker{w}, true
	run := open(t, o)
	refused := 0
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if in, ok := event.(agent.Inner); ok {
			event = in.Event
		}
		require.NotEqual(t, "paused", event.Kind())
		if e, ok := event.(agent.Replied); ok && len(e.Checks) == 1 && e.Checks[0].Outcome == tool.Refused {
			refused++
		}
	}
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Equal(t, 1, refused)

	o.Review = true
	var config *agent.ConfigError
	require.ErrorAs(t, o.Validate(), &config)
	require.Equal(t, "Review", config.Field)
	require.ErrorIs(t, o.Validate(), plan.ErrHeadless)
}

// AGT-41, BUD-E48: the roles are looked at before any request, too.
func TestValidateLooksInside(t *testing.T) {
	client := llmtest.Script()
	for name, c := range map[string]struct {
		o     team.Orchestrator
		field string
	}{
		"no client":             {team.Orchestrator{}, "Client"},
		"planner, no client":    {team.Orchestrator{Client: client, Planner: plan.NewPlanner(nil)}, "Planner"},
		"no planner":            {team.Orchestrator{Client: client, Planner: (*plan.ModelPlanner)(nil)}, "Planner"},
		"worker, no client":     {team.Orchestrator{Client: client, Workers: []agent.Worker{&agent.Loop{}}}, "Workers"},
		"reviewer, no client":   {team.Orchestrator{Client: client, Reviewer: &agent.Loop{}}, "Reviewer"},
		"no reviewer":           {team.Orchestrator{Client: client, Reviewer: (*agent.Loop)(nil)}, "Reviewer"},
		"asks whether to go on": {team.Orchestrator{Client: client, Headless: true, Budget: budget.Interactive()}, "Budget"},
		"memory":                {team.Orchestrator{Client: client, Memory: &agent.Memory{MaxTokens: -1}}, "Memory"},
		"unknown price":         {team.Orchestrator{Client: client, Budget: budget.Budget{Cost: budget.Max(1.0)}}, "Budget"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.o.Open(t.Context(), agent.Scope{}, "g")
			var config *agent.ConfigError
			require.ErrorAs(t, err, &config)
			require.Equal(t, c.field, config.Field)
		})
	}
	require.NoError(t, (&team.Orchestrator{Client: client}).Validate())
}
