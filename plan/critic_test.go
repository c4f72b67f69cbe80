package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// PLAN-25, PLAN-E62: a verdict is a reply that is one JSON object and nothing
// else, whole, whose "passed" is a boolean.
func TestCriticVerdict(t *testing.T) {
	refused, cut := verdictOf(true, ""), verdictOf(true, "")
	refused.Reply.Finish, cut.Reply.Finish = llm.FinishRefused, llm.FinishLength
	for name, c := range map[string]struct {
		reply llmtest.Answer
		want  string
	}{
		"object":            {verdictOf(true, ""), ""},
		"fence":             {llmtest.Text("```json\n{\"passed\":true,\"feedback\":null}\n```"), ""},
		"between sentences": {llmtest.Text(`I would say {"passed":true,"feedback":""}, but look again.`), "not one complete"},
		"two":               {llmtest.Text(`{"passed":true} {"passed":false}`), "more stands after"},
		"a list":            {llmtest.Text(`[{"passed":true}]`), "no object"},
		"a key twice":       {llmtest.Text(`{"passed":true,"x":[{"y":1,"y":2}]}`), "stands twice"},
		"another object":    {llmtest.Text(`{"verdict":{"passed":true}}`), "is missing"},
		"text":              {llmtest.Text(`{"passed":"true"}`), "must be the boolean"},
		"no words":          {llmtest.Text(`{"passed":true,"feedback":5}`), "feedback"},
		"refused":           {refused, "refused"},
		"cut":               {cut, "cut"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := (&plan.ModelCritic{Client: llmtest.Script(c.reply)}).Judge(t.Context(), plan.Fold())
			if c.want == "" {
				require.NoError(t, err)
				require.True(t, v.Pass)
				return
			}
			require.ErrorIs(t, err, plan.ErrNoVerdict)
			require.ErrorContains(t, err, "plan: ")
			require.ErrorContains(t, err, c.want)
			require.False(t, v.Pass)
		})
	}
}

// BUD-04: where the reply's model has no price, that of the model that was asked
// for counts.
func TestCriticCost(t *testing.T) {
	prices := budget.Prices{"asked": {Input: 1e6}}
	for name, model := range map[string]string{"no name": "", "another name": "asked-2026-01-01", "its name": "asked"} {
		answer := verdictOf(true, "").Costing(3, 0)
		answer.Reply.Model = model
		client := dialect{llmtest.Script(answer)}
		v, err := (&plan.ModelCritic{Client: client, Prices: prices}).Judge(t.Context(), plan.Fold())
		require.NoError(t, err, name)
		require.InDelta(t, 3, v.Spent.Cost, 1e-9, name)

		answer = llmtest.Text(`{"tasks":[{"id":"1","description":"x"}]}`).Costing(3, 0)
		answer.Reply.Model = model
		p := plan.ModelPlanner{Client: dialect{llmtest.Script(answer)}, Prices: prices}
		made, err := p.Plan(t.Context(), plan.Brief{Goal: "g"})
		require.NoError(t, err, name)
		require.InDelta(t, 3, made.Spent.Cost, 1e-9, name)
	}
}

// dialect is a client of the model "asked".
type dialect struct{ llm.Client }

func (dialect) Dialect() llm.Dialect { return llm.Dialect{Model: "asked"} }
