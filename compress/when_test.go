package compress

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// CMP-02, CMP-04, CMP-07: the triggers at every size of window.
func TestTriggers(t *testing.T) {
	for window, want := range map[int][2]int{
		1_000_000: {967_000, 100_000}, 200_000: {167_000, 100_000}, 128_000: {95_000, 57_000},
		32_000: {20_000, 12_000}, 8_192: {5_120, 3_072},
	} {
		t.Run(fmt.Sprintf("CMP-02 CMP-04 %d", window), func(t *testing.T) {
			require.Equal(t, want[0], Trigger(window))
			require.Equal(t, want[1], Bound{100_000, 0.6}.of(Trigger(window)))
			require.Greater(t, Capacity(window), Trigger(window))
		})
	}
}

// CMP-02: the history is summarized at T, and not one token below.
func TestSummarizeAtT(t *testing.T) {
	for _, reported := range []int{94_999, 95_000} {
		v := viewOf(128_000, join(one(says("go")), turns(0, 100, 3_900), one(replies("so"))))
		v.Reported, v.Covers = reported, len(v.Request.Messages)
		c, err := (&Tiers{Summarize: &Summarize{Client: newScribe(good("x"))}}).Compress(t.Context(), v)
		require.NoError(t, err)
		require.Equal(t, reported == 95_000, c.Changed)
	}
}

// CMP-07: a large window is compacted too.
func TestLargeWindow(t *testing.T) {
	v := viewOf(1_000_000, join(one(says("go")), turns(0, 100, 39_000), one(replies("so"))))
	v.Reported, v.Covers = 967_000, len(v.Request.Messages)
	c, err := (&Tiers{Summarize: &Summarize{Client: newScribe(good("x"))}}).Compress(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, []string{"summarize"}, c.Tiers)
	require.LessOrEqual(t, c.After, 967_000/2)
}

// CMP-20, CMP-24: numbers are options with defaults; none is above the formula.
func TestOptions(t *testing.T) {
	history := join(one(says("go")), turns(0, 100, 2_400)) // 60 thousand tokens and more
	summarized := func(s *Summarize, window int) Compaction {
		s.Client = newScribe(good("x"))
		c, err := (&Tiers{Summarize: s}).Compress(t.Context(), viewOf(window, history))
		require.NoError(t, err)
		return c
	}
	require.False(t, summarized(&Summarize{}, 200_000).Changed)
	require.True(t, summarized(&Summarize{Trigger: Bound{Tokens: 60_000}}, 200_000).Changed)
	require.LessOrEqual(t, summarized(&Summarize{Trigger: Bound{Tokens: 60_000}}, 1_000_000).After, 30_000)
	require.True(t, summarized(&Summarize{Trigger: Bound{Tokens: 500_000}}, 64_000).Changed, "never above T")

	cleared := func(c *Clear, window int) Compaction {
		out, err := (&Tiers{Clear: c}).Compress(t.Context(), viewOf(window, history))
		require.NoError(t, err)
		return out
	}
	require.False(t, cleared(&Clear{}, 200_000).Changed)
	require.True(t, cleared(&Clear{Trigger: Bound{Tokens: 60_000}}, 200_000).Changed)
	// A trigger of tier 2 above T − 1 is lowered to it: it comes before the summary.
	v := viewOf(128_000, history)
	v.Reported, v.Covers = 94_999, len(history)
	c, err := (&Tiers{Clear: &Clear{Trigger: Bound{Tokens: 500_000}}}).Compress(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, []string{"clear"}, c.Tiers)
}

// CMP-24: with 0 kept exchanges all but system text, first message and the
// open exchange is summarized.
func TestNoExchangeKept(t *testing.T) {
	history := one(says("first"))
	for i := range 5 {
		history = append(history, turn(fmt.Sprint("k", i), "look", words(4_000))...)
		history = append(history, replies("done"), says(fmt.Sprint("question ", i)))
	}
	for exchanges, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 3} {
		tiers := &Tiers{Summarize: &Summarize{Client: newScribe(good("x")), Trigger: Bound{Tokens: 5_000}, Exchanges: &exchanges, Keep: Bound{Tokens: 5_000}}}
		v := viewOf(200_000, history)
		c, err := tiers.Compress(t.Context(), v)
		require.NoError(t, err)
		got := 0
		for _, m := range after(v, c).Request.Messages {
			if fromUser(m) {
				got++
			}
		}
		require.Equal(t, min(want, 2), got, "half of T bounds them too") // one exchange has 1,000 tokens
		require.Contains(t, told(c.Messages), "first")
	}
}

// CMP-06: if clearing gets below T, no summary is made.
func TestCheapFirst(t *testing.T) {
	s := newScribe(good("x"))
	c, err := Default(s, "").Compress(t.Context(), viewOf(32_000, join(one(says("go")), turns(0, 24, 3_200))))
	require.NoError(t, err)
	require.Equal(t, []string{"clear"}, c.Tiers)
	require.Empty(t, s.requests)
}

// CMP-E86, B132: system text and tools that alone exceed T are an error at start.
func TestFits(t *testing.T) {
	d := llm.Dialect{Window: 8_192}
	fits := func(system int) error {
		return Default(nil, "store").Fits(llm.Request{System: words(system)}, d)
	}
	require.NoError(t, fits(4*4_500))
	err := fits(4 * 5_200)
	require.ErrorIs(t, err, ErrFull)
	var full *FullError
	require.ErrorAs(t, err, &full)
	require.Equal(t, 8_192, full.Window)
	require.Equal(t, 5_120, full.Limit)
	require.Equal(t, 5_204, full.System)
	require.Positive(t, full.Tools, "read_result counts too")
	require.ErrorIs(t, Lean(nil, "").Fits(llm.Request{Tools: []llm.Spec{{Name: "a", Description: words(30_000)}}}, d), ErrFull)
	tiers := Default(nil, "")
	tiers.Window = 100_000
	require.NoError(t, tiers.Fits(llm.Request{System: words(4 * 5_200)}, d), "the field comes before the dialect")
}

// CMP-20: numbers that make no sense are refused, all at once.
func TestValidate(t *testing.T) {
	for name, tiers := range map[string]*Tiers{
		"window":    {Window: -1},
		"chars":     {Offload: &Offload{Chars: -1}},
		"share":     {Clear: &Clear{Trigger: Bound{Share: math.NaN()}}},
		"share > 1": {Summarize: &Summarize{Trigger: Bound{Share: 1.5}}},
		"keep":      {Clear: &Clear{Keep: new(-1)}},
		"exchanges": {Summarize: &Summarize{Exchanges: new(-2)}},
		"turns":     {Age: &Age{Turns: new(-1)}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, tiers.Validate())
			require.Error(t, tiers.Fits(llm.Request{}, llm.Dialect{}))
			_, err := tiers.Compress(t.Context(), viewOf(1000, one(says("go"))))
			require.Error(t, err)
		})
	}
	require.NoError(t, Default(nil, "d").Validate())
	require.NoError(t, Lean(nil, "d").Validate())
	require.ErrorContains(t, (&Tiers{Window: -1, Age: &Age{Argument: -3}}).Validate(), "Age.Argument: -3")
}

// BUD-08: the room left is T less system text, tools and history.
func TestRoom(t *testing.T) {
	req := llm.Request{
		System: words(4_000), Tools: []llm.Spec{{Name: "look", Description: words(40)}},
		Messages: one(says(words(400))),
	}
	require.Equal(t, 95_000-1_004-11-104, Room(req, llm.Dialect{Window: 128_000}))
	require.Equal(t, Room(req, llm.Dialect{Window: 128_000}), Room(req, llm.Dialect{}), "the window that is taken where none is known")
	require.Negative(t, Room(req, llm.Dialect{Window: 1_000}))
}
