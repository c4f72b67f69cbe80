package compress

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

func (t *Tiers) estimate(v View) int { return t.begin(v).now }

// CMP-25: what was reported, plus the estimate of what came after.
func TestCalibrated(t *testing.T) {
	tiers := &Tiers{}
	v := viewOf(100_000, one(says(words(400)), replies(words(400))))
	raw := Count(nil, v.Request, v.Dialect)
	require.Equal(t, raw, tiers.estimate(v), "nothing reported")
	v.Reported, v.Covers = 2*raw, 2
	require.Equal(t, 2*raw, tiers.estimate(v))
	v = v.with(says(words(400)))
	require.Equal(t, 2*raw+104, tiers.estimate(v))

	// After a compaction the ratio scales the new estimate.
	v.Reported, v.Covers = 0, 0
	v.Request.Messages = one(says(words(800)))
	require.Equal(t, 2*Count(nil, v.Request, v.Dialect), tiers.estimate(v))
}

// CMP-25: the ratio is kept between 0.5 and 3.
func TestRatioClamped(t *testing.T) {
	for factor, want := range map[float64]float64{0.1: 0.5, 0.5: 0.5, 2.5: 2.5, 3: 3, 40: 3} {
		v := viewOf(1_000_000, one(says(words(40_000))))
		v.Reported, v.Covers = int(factor*float64(Count(nil, v.Request, v.Dialect))), 1
		(&Tiers{}).estimate(v)
		require.InDelta(t, want, v.Memory.ratio, 0.001)
	}
}

// CMP-25: over ten turns in which a provider counts twice as much, the ratio
// stays two: it does not feed on itself.
func TestRatioStays(t *testing.T) {
	tiers := &Tiers{}
	v := viewOf(1_000_000, one(says(words(400))))
	for range 10 {
		v.Reported, v.Covers = 2*Count(nil, v.Request, v.Dialect), len(v.Request.Messages)
		require.Equal(t, v.Reported, tiers.estimate(v))
		require.InDelta(t, 2, v.Memory.ratio, 0.001)
		v.Reported, v.Covers = 0, 0 // as after a compaction
		require.InDelta(t, 2*Count(nil, v.Request, v.Dialect), tiers.estimate(v), 1)
		require.InDelta(t, 2, v.Memory.ratio, 0.001)
		v = v.with(turns(len(v.Request.Messages), 1, 400)...)
	}
}

// CMP-25: with another client the old figure is void.
func TestOtherClient(t *testing.T) {
	tiers := &Tiers{}
	v := viewOf(1_000_000, one(says(words(4_000))))
	raw := Count(nil, v.Request, v.Dialect)
	v.Reported, v.Covers = 2*raw, 1
	require.Equal(t, 2*raw, tiers.estimate(v))
	v.Dialect.Name = "other"
	v = v.with(replies(words(400)))
	require.Equal(t, 2*(raw+104), tiers.estimate(v), "by the ratio alone")
	v.Reported, v.Covers = raw, 2
	require.Equal(t, raw, tiers.estimate(v), "what the new one reports counts")
}

// CMP-25: figures that make no sense are passed over.
func TestReportedNonsense(t *testing.T) {
	v := viewOf(100_000, one(says(words(400))))
	raw := Count(nil, v.Request, v.Dialect)
	for _, bad := range [][2]int{{-5, 1}, {500, 0}, {500, 2}, {500, -1}} {
		v.Reported, v.Covers = bad[0], bad[1]
		require.Equal(t, raw, (&Tiers{}).estimate(v))
	}
}

// CMP-25: there is no second compaction right after one, although the
// provider counts more than is estimated.
func TestNoSecondCompaction(t *testing.T) {
	s := newScribe(good("x"))
	tiers := Default(s, "")
	v := viewOf(32_000, join(one(says("go")), turns(0, 30, 1_600)))
	for i, m := range v.Request.Messages {
		if m.Role == llm.Assistant { // no results to clear
			v.Request.Messages[i] = replies(words(1_600))
			v.Request.Messages[i+1] = note(llm.FromReminder, "go on")
		}
	}
	v.Reported, v.Covers = 2*Count(nil, v.Request, v.Dialect), len(v.Request.Messages)
	c, err := tiers.Compress(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, []string{"summarize"}, c.Tiers)
	require.LessOrEqual(t, c.After, 10_000)
	require.Equal(t, v.Reported, c.Before)
	v = after(v, c)
	again, err := tiers.Compress(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, Compaction{}, again)
	require.Equal(t, c.After, tiers.estimate(v))
}

// GEN-13 for compress: counting goes on where it stopped, and what a
// compaction changed is counted anew.
func TestIncremental(t *testing.T) {
	e := &counted{}
	tiers := &Tiers{Estimator: e}
	v := viewOf(1_000_000, join(one(says("go")), turns(0, 50, 400)))
	tiers.estimate(v)
	e.texts = 0
	v = v.with(turns(50, 1, 400)...)
	require.Equal(t, Count(nil, v.Request, v.Dialect), tiers.estimate(v))
	require.Equal(t, 3, e.texts, "name, arguments and result of the one new turn")

	// A change in the middle that leaves number and end the same.
	v.Memory.kept = 8
	v.Request.Messages = join(v.Request.Messages)
	v.Request.Messages[8] = llm.Results(llm.ToolResult{CallID: "k3", Name: "look", Text: "short"})
	require.Equal(t, Count(nil, v.Request, v.Dialect), tiers.estimate(v))
	v.Request.System = words(4_000)
	require.Equal(t, Count(nil, v.Request, v.Dialect), tiers.estimate(v))
	v.Request.Messages = v.Request.Messages[:4]
	require.Equal(t, Count(nil, v.Request, v.Dialect), tiers.estimate(v))
}

// counted counts what it is asked.
type counted struct {
	Characters
	texts int
}

func (c *counted) Tokens(text string, json bool) int {
	c.texts++
	return c.Characters.Tokens(text, json)
}
