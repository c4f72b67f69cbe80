package plan_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// TOOL-E27, B161: a headless executor holds for the runs within: what a worker
// would ask is refused, and nothing pauses.
func TestHeadlessHoldsWithin(t *testing.T) {
	for _, policy := range []tool.Policy{nil, tool.AskForSideEffects} {
		what := "x ask" // a tool that asks
		if policy != nil {
			what = "x write" // a policy that does
		}
		loop := (&crew{}).loop()
		loop.Policy = policy
		run := open(t, &plan.Executor{Planner: drafts([]string{"a: " + what}), Worker: loop, Headless: true})
		refused := 0
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if in, ok := event.(agent.Inner); ok {
				event = in.Event
			}
			require.NotEqual(t, "paused", event.Kind())
			switch e := event.(type) {
			case agent.CallEnded:
				refused++
			case agent.Replied:
				if len(e.Checks) == 1 && e.Checks[0].Outcome == tool.Refused {
					refused++
				}
			}
		}
		require.Equal(t, 1, refused)
		require.Equal(t, agent.Completed, run.Result().Reason)
	}
}

// TOOL-E27, AGT-41: nobody reviews for a headless executor.
func TestHeadlessReview(t *testing.T) {
	x := &plan.Executor{Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop(), Headless: true, Review: true}
	var config *agent.ConfigError
	require.ErrorAs(t, x.Validate(), &config)
	require.Equal(t, "Review", config.Field)
	require.ErrorIs(t, x.Validate(), plan.ErrHeadless)
}

// AGT-41: what a recipe is made of is looked at before any request, too.
func TestValidateLooksInside(t *testing.T) {
	minus, good := -1, (&crew{}).loop()
	for name, c := range map[string]struct {
		w     interface{ Validate() error }
		field string
	}{
		"no client":          {&plan.Executor{Planner: plan.NewPlanner(nil), Worker: good}, "Planner"},
		"no planner at all":  {&plan.Executor{Planner: (*plan.ModelPlanner)(nil), Worker: good}, "Planner"},
		"behind Simple":      {&plan.Executor{Planner: plan.Simple(plan.NewPlanner(nil), func(string) bool { return true }), Worker: good}, "Planner"},
		"repairs":            {&plan.Executor{Planner: &plan.ModelPlanner{Client: llmtest.Script(), Repairs: &minus}, Worker: good}, "Planner"},
		"worker":             {&plan.Executor{Planner: drafts(), Worker: &agent.Loop{}}, "Worker"},
		"no worker":          {&plan.Executor{Planner: drafts(), Worker: (*agent.Loop)(nil)}, "Worker"},
		"memory":             {&plan.Executor{Planner: drafts(), Worker: good, Memory: &agent.Memory{MaxTokens: -1}}, "Memory"},
		"check limit":        {&plan.Executor{Planner: drafts(), Worker: good, VerifyLimit: -1}, "VerifyLimit"},
		"solver":             {&plan.Executor{Planner: drafts(), Worker: good, Solve: &agent.Loop{}}, "Solve"},
		"research: planner":  {&plan.Research{Client: llmtest.Script(), Worker: good, Planner: plan.NewPlanner(nil)}, "Planner"},
		"research: critic":   {&plan.Research{Client: llmtest.Script(), Worker: good, Critic: &plan.ModelCritic{}}, "Critic"},
		"research: reporter": {&plan.Research{Client: llmtest.Script(), Worker: good, Reporter: &agent.Loop{}}, "Reporter"},
		"research: worker":   {&plan.Research{Client: llmtest.Script(), Worker: &agent.Loop{}}, "Worker"},
	} {
		t.Run(name, func(t *testing.T) {
			var config *agent.ConfigError
			require.True(t, errors.As(c.w.Validate(), &config))
			require.Equal(t, c.field, config.Field)
		})
	}
	require.NoError(t, (&plan.Executor{Planner: plan.NewPlanner(llmtest.Script()), Worker: good}).Validate())
	require.NoError(t, (&plan.Research{Client: llmtest.Script(), Worker: good}).Validate())
}
