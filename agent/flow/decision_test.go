package flow

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// AGT-49, AGT-57, TEAM-16: the rules, in order.
func TestChoose(t *testing.T) {
	all := Decision{Mode: Team, Confidence: 1, MultiStep: true, Parallel: true, Risk: High}
	with := func(d Decision, confidence float64) Decision { d.Confidence = confidence; return d }
	for name, c := range map[string]struct {
		chosen Mode
		d      Decision
		want   Mode
	}{
		"the user's word comes first":      {React, all, React},
		"also without confidence":          {Team, Decision{}, Team},
		"and for a plan":                   {Plan, all, Plan},
		"0.59 is too little":               {"", with(all, 0.59), React},
		"0.6 is enough":                    {"", with(all, 0.6), Team},
		"more than 1 is none":              {"", with(all, 1.01), React},
		"NaN is none":                      {"", with(all, math.NaN()), React},
		"negative is none":                 {"", with(all, -1), React},
		"nothing known":                    {"", Decision{}, React},
		"parallel work":                    {"", Decision{Mode: React, Confidence: 0.9, Parallel: true}, Team},
		"a review is needed":               {"", Decision{Mode: Plan, Confidence: 0.9, MultiStep: true, Risk: High}, Team},
		"isolation is needed":              {"", Decision{Mode: Team, Confidence: 0.9}, Team},
		"steps with dependencies":          {"", Decision{Mode: React, Confidence: 0.9, MultiStep: true, Risk: Medium}, Plan},
		"the classifier sees steps":        {"", Decision{Mode: Plan, Confidence: 0.9, Risk: Low}, Plan},
		"needing tools alone is no reason": {"", Decision{Mode: React, Confidence: 1, NeedsTools: true, Risk: Medium}, React},
	} {
		require.Equal(t, c.want, Choose(c.chosen, c.d), name)
	}
}

// AGT-49: a decision is structured; what can't be read has no confidence.
func TestClassifier(t *testing.T) {
	good := `{"mode":"plan","confidence":0.8,"reason":"steps","needs_tools":true,"multi_step":true,"parallel":false,"risk":"medium","spent":{"turns":9}}`
	want := Decision{Mode: Plan, Confidence: 0.8, Reason: "steps", NeedsTools: true, MultiStep: true, Risk: Medium}
	client := llmtest.Script(llmtest.Text(good))
	d, err := (&Classifier{Client: client}).Classify(t.Context(), "Build it.")
	require.NoError(t, err)
	require.Equal(t, 1, d.Spent.Turns)
	d.Spent = budget.Spent{}
	require.Equal(t, want, d)
	require.Contains(t, client.Requests()[0].System, "You decide how a request is worked on.")
	require.Equal(t, "Build it.", client.Requests()[0].Messages[0].Text())

	for _, bad := range []string{
		"plan", "", `{"mode":"swarm","confidence":1}`, `{"mode":"plan","confidence":85}`, `{"mode":"plan","confidence":"high"}`,
		`{"mode":"plan","confidence":1,"risk":"huge"}`, `{"confidence":1}`, `{"mode":"team","confidence":1,"parallel":"true"}`,
	} {
		client := llmtest.Script(llmtest.Text(bad), llmtest.Text(bad))
		d, err := (&Classifier{Client: client, Instructions: "Choose."}).Classify(t.Context(), "Build it.")
		require.NoError(t, err)
		require.Zero(t, d.Confidence, bad)
		require.Contains(t, d.Reason, "can be read", bad)
		require.Equal(t, React, Choose("", d), bad)
		require.Len(t, client.Requests(), 2, "asked once more")
		require.Equal(t, "Choose.", client.Requests()[0].System)
	}
	_, err = (&Classifier{Client: llmtest.Fail(&llm.Error{Kind: llm.ErrAuth})}).Classify(t.Context(), "x")
	require.True(t, errors.Is(err, llm.ErrAuth), err)
	_, err = (&Classifier{}).Classify(t.Context(), "x")
	require.ErrorContains(t, err, "needs a client")
}

// AGT-50: the default is react, and after one run of another mode it is again.
func TestSession(t *testing.T) {
	var s Session
	require.Equal(t, React, s.Mode())
	require.Empty(t, s.Choice("x"), "nothing chosen: the router chooses")
	for _, m := range []Mode{Plan, Team, React} {
		s.Choose(m)
		require.Equal(t, m, s.Mode())
		require.Equal(t, m, s.Choice("x"))
		require.Equal(t, React, s.Mode())
		require.Empty(t, s.Choice("x"))
	}
}
