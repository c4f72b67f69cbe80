package compress

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// filled is a history of about that many tokens without results to clear.
func filled(tokens int) []llm.Message {
	all := one(says("the first words"))
	for i := 0; i < tokens; i += 413 {
		all = append(all, turns(i, 1, 1_600)...)
	}
	return all
}

// CMP-21, B136, B138: whatever goes wrong, the history stays as it is while it
// fits, the failure is told, and there is one try.
func TestSummaryFails(t *testing.T) {
	network := &llm.Error{Kind: llm.ErrConnection, Message: "reset", Usage: llm.Usage{Input: 5}}
	refused := llmtest.Text("No.")
	refused.Reply.Finish = llm.FinishRefused
	aborted := good("x").(llmtest.Answer)
	aborted.Reply.Finish = llm.FinishAborted
	for name, c := range map[string]struct {
		answer llm.Client
		tries  int
	}{
		"nothing":                {llmtest.Text(""), 1},
		"blanks":                 {llmtest.Text(" \n\t"), 1},
		"a call":                 {llmtest.Call("k", "look", "{}"), 1},
		"a call beside text":     {llmtest.Calls(good("x").(llmtest.Answer), llmtest.Call("k", "look", "{}")), 1},
		"a refusal":              {refused, 1},
		"a line like a refusal":  {llmtest.Text("I can't help with that."), 2}, // CMP-12 asks once more
		"a network error":        {llmtest.Fail(network), 1},
		"an error after text":    {llmtest.Fail(network, llm.TextDelta("## Goal")), 1},
		"a stream without reply": {llmtest.Answer{}, 1},
		"broken off":             {aborted, 1},
		"the end of the window":  {llmtest.Fail(&llm.Error{Kind: llm.ErrContextLength}), 4}, // CMP-28
	} {
		t.Run("CMP-21 "+name, func(t *testing.T) {
			s := newScribe(c.answer)
			v := viewOf(32_000, filled(21_000))
			got := mustCompress(t, summarizing(s), v)
			require.False(t, got.Changed)
			require.NotEmpty(t, got.Failed)
			require.Len(t, s.requests, c.tries)
			require.Zero(t, got.Messages)
			if name == "a network error" {
				require.Equal(t, 5, got.Usage.Input, "what failed attempts cost counts")
			}
		})
	}
	c := mustCompress(t, summarizing(nil), viewOf(32_000, filled(21_000)))
	require.Contains(t, c.Failed, "no client")
}

// CMP-32, CMP-21: after three failures in a row no summary is tried until a
// fallback; without room the fallback drops old messages and says so.
func TestFallback(t *testing.T) {
	s := newScribe(llmtest.Fail(&llm.Error{Kind: llm.ErrConnection}))
	tiers := summarizing(s)
	v := viewOf(32_000, filled(21_000))
	v.Request.System = "Be good."
	for i := range 6 {
		c := mustCompress(t, tiers, v)
		require.False(t, c.Changed)
		require.Equal(t, i < 3, c.Failed != "")
		require.Len(t, s.requests, min(i+1, 3))
		v = v.with(turns(50_000+i, 1, 400)...)
	}
	v = v.with(turns(60_000, 6, 1_600)...)
	require.Greater(t, Count(nil, v.Request, v.Dialect), Capacity(32_000))
	c := mustCompress(t, tiers, v)
	require.Equal(t, []string{"fallback"}, c.Tiers)
	require.Len(t, s.requests, 3, "no fourth request for a summary")
	next := after(v, c)
	require.NoError(t, llmtest.Validate(next.Request))
	require.Contains(t, next.Request.Messages[0].Text(), "the first words")
	require.Contains(t, next.Request.Messages[0].Text(), fmt.Sprintf("%d older messages were dropped", c.Dropped))
	kept := len(next.Request.Messages) - 1
	require.Equal(t, 10, kept)
	require.Equal(t, len(v.Request.Messages), c.Dropped+kept+1)
	require.NotEqual(t, llm.Tool, next.Request.Messages[1].Role)

	// The count begins anew.
	next = next.with(turns(70_000, 45, 1_600)...)
	c = mustCompress(t, tiers, next)
	require.NotEmpty(t, c.Failed)
	require.Len(t, s.requests, 4)
}

// CMP-32: a success resets the count, and an earlier summary outlives a fallback.
func TestFailuresReset(t *testing.T) {
	answer := llm.Client(good("PRECIOUS"))
	s := &scribe{answer: func(int, llm.Request) llm.Client { return answer }}
	tiers := summarizing(s)
	v := compacted(t, tiers, viewOf(32_000, filled(21_000)))
	answer = llmtest.Fail(&llm.Error{Kind: llm.ErrConnection})
	v = v.with(turns(90_000, 35, 1_600)...)
	for range 2 {
		require.NotEmpty(t, mustCompress(t, tiers, v).Failed)
	}
	answer = good("PRECIOUS")
	v = compacted(t, tiers, v)
	require.Zero(t, v.Memory.failures)
	answer = llmtest.Fail(&llm.Error{Kind: llm.ErrConnection})
	for round := range 8 {
		v = v.with(turns(100_000+100*round, 60, 1_600)...)
		c := mustCompress(t, tiers, v)
		require.Equal(t, []string{"fallback"}, c.Tiers)
		require.NotEmpty(t, c.Failed)
		v = after(v, c)
		require.NoError(t, llmtest.Validate(v.Request))
		require.Contains(t, v.Request.Messages[0].Text(), "PRECIOUS")
		require.Less(t, Count(nil, llm.Request{Messages: v.Request.Messages[:1]}, v.Dialect), 2_400, "fallback after fallback does not grow")
	}
}

// CMP-15, B132: what can't be made to fit is one clear error, which says what
// fills the window, and one try.
func TestFull(t *testing.T) {
	s := newScribe(good("x"))
	v := viewOf(32_000, one(says(words(200_000))))
	_, err := Default(s, "").Compress(t.Context(), v)
	require.ErrorIs(t, err, ErrFull)
	var full *FullError
	require.ErrorAs(t, err, &full)
	require.Equal(t, 32_000, full.Window)
	require.Equal(t, Capacity(32_000), full.Limit)
	require.Equal(t, 50_004, full.Largest)
	require.Equal(t, 0, full.Place)
	require.Equal(t, full.Request, full.System+full.Tools+full.Messages)
	require.ErrorContains(t, err, "window of 32000")
	require.Empty(t, s.requests, "there is nothing to summarize")

	// One kept unit is larger than the window: one try.
	v = viewOf(32_000, join(filled(21_000), turn("z", "load_skill", words(200_000))))
	_, err = Default(s, "").Compress(t.Context(), v)
	require.ErrorIs(t, err, ErrFull)
	require.LessOrEqual(t, len(s.requests), 3, "the parts of one summary")
}

// CMP-15, B132 (b): an exchange over the trigger is not compacted in every turn.
func TestNoCompactionEveryTurn(t *testing.T) {
	s := newScribe(good("x"))
	v := viewOf(32_000, join(one(says("go")), turn("z", "load_skill", words(76_000)))) // 19,000 of 20,000
	compactions := 0
	for i := range 60 {
		v = v.with(turns(i, 1, 200)...)
		c := mustCompress(t, summarizing(s), v)
		if c.Changed {
			compactions++
			v = after(v, c)
		}
	}
	require.LessOrEqual(t, compactions, 3)
}

// CMP-E83: 100 turns around the trigger: few compactions, each followed by
// growth of at least a tenth of T, the beginning the same in between.
func TestPrefixStays(t *testing.T) {
	for name, tiers := range map[string]*Tiers{"Default": Default(newScribe(good("x")), ""), "Lean": Lean(newScribe(good("x")), "")} {
		t.Run("CMP-E83 "+name, func(t *testing.T) {
			v := viewOf(32_000, one(says("go")))
			size, compactions := 0, 0
			for i := range 150 {
				v = v.with(turns(i, 1, 1_200+i%7*200)...)
				c := mustCompress(t, tiers, v)
				if c.Changed {
					require.GreaterOrEqual(t, c.Before-c.After, 2_000)
					if compactions++; compactions > 1 {
						require.GreaterOrEqual(t, c.Before-size, 2_000)
					}
					size = c.After
					v = after(v, c)
				}
			}
			require.Positive(t, compactions)
			require.LessOrEqual(t, compactions, 30)
		})
	}
}

// CMP-29, B152, B149: the window that a refusal names is used from then on, for
// the request for a summary too; in another process as well.
func TestWindowLearned(t *testing.T) {
	own := newScribe(good("x"))
	v := viewOf(64_000, filled(9_000))
	v.Client = own
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Window: 8_000, Input: 9_400}
	tiers := summarizing(nil)
	c := mustCompress(t, tiers, v)
	require.Equal(t, 8_000, c.Window)
	require.True(t, c.Changed)
	require.LessOrEqual(t, c.After, Trigger(8_000)/2)
	for _, r := range own.requests {
		require.LessOrEqual(t, Count(nil, r, v.Dialect), Capacity(8_000))
	}
	for _, memory := range []*Memory{v.Memory, {}} {
		next := after(v, c)
		next.Memory = memory
		next = next.with(turns(80_000, 12, 1_600)...)
		c := mustCompress(t, tiers, next)
		require.True(t, c.Changed)
		require.Zero(t, c.Window)
		require.LessOrEqual(t, c.After, Trigger(8_000)/2)
	}
	v = viewOf(400_000, filled(9_000))
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Window: 262_144, Input: 400_013}
	c = mustCompress(t, summarizing(own), v)
	require.Equal(t, 262_144, c.Window, "B149")
}

// B152, CMP-29: where no window can be learned, the request is taken for the
// measure, and an error names both sizes.
func TestWindowNotLearned(t *testing.T) {
	v := viewOf(64_000, filled(9_000))
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Message: "too long"}
	c := mustCompress(t, summarizing(newScribe(good("x"))), v)
	require.Less(t, Count(nil, after(v, c).Request, v.Dialect), 9_000*2/3)
	require.Zero(t, c.Window)

	v = viewOf(64_000, one(says(words(40_000))))
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Message: "too long", Window: 8_000}
	_, err := Default(nil, "").Compress(t.Context(), v)
	require.ErrorIs(t, err, ErrFull)
	require.ErrorIs(t, err, llm.ErrContextLength)
	require.ErrorContains(t, err, "8000")
	require.ErrorContains(t, err, "too long")
}

// CMP-29, LLM-27: a refusal leads to a compaction whatever was estimated, and
// if the summary fails, to the fallback at once.
func TestOverflowForces(t *testing.T) {
	v := viewOf(200_000, filled(9_000))
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Input: 210_000}
	c := mustCompress(t, Default(newScribe(good("x")), ""), v)
	require.True(t, c.Changed)

	v = viewOf(32_000, filled(9_000))
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength}
	c = mustCompress(t, summarizing(newScribe(llmtest.Fail(errors.New("down")))), v)
	require.Equal(t, []string{"fallback"}, c.Tiers)
	require.Contains(t, c.Failed, "down")
}

// B131: an old call without a result gets a stand-in, and compaction works.
func TestUnansweredCall(t *testing.T) {
	torn := calls(llm.ToolCall{ID: "a", Name: "look", Arguments: "{}"}, llm.ToolCall{ID: "b", Name: "look", Arguments: "{}"})
	for name, tiers := range map[string]*Tiers{"clear": clearing, "summarize": summarizing(newScribe(good("x"))), "age": {Age: &Age{}}} {
		t.Run("B131 "+name, func(t *testing.T) {
			history := join(one(says("go"), torn, llm.Results(llm.ToolResult{CallID: "b", Name: "look", Text: "B"}), says("more")), turns(0, 50, 1_600))
			v := viewOf(32_000, history)
			require.Error(t, llmtest.Validate(v.Request))
			c := mustCompress(t, tiers, v)
			require.True(t, c.Changed)
			next := after(v, c)
			require.NoError(t, llmtest.Validate(next.Request))
			if name != "summarize" {
				all := results(next.Request.Messages)
				require.Contains(t, all[0].Text, "no result")
				require.Equal(t, "B", all[1].Text)
			}
		})
	}
}

// CMP-10, B128: a cut that falls between two results moves.
func TestPairsStay(t *testing.T) {
	for keep := 1_000; keep < 8_000; keep += 150 {
		v := viewOf(32_000, one(says("go")))
		for i := range 20 {
			a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
			v = v.with(calls(llm.ToolCall{ID: a, Name: "look", Arguments: "{}"}, llm.ToolCall{ID: b, Name: "look", Arguments: "{}"}),
				llm.Results(llm.ToolResult{CallID: a, Name: "look", Text: words(2_000)}), llm.Results(llm.ToolResult{CallID: b, Name: "look", Text: words(2_000)}))
		}
		tiers := summarizing(newScribe(good("x")))
		tiers.Summarize.Keep = Bound{Tokens: keep}
		next := compacted(t, tiers, v)
		require.LessOrEqual(t, len(results(next.Request.Messages)), 16)
	}
}

// CMP-E87, CMP-07: a shared compressor keeps runs apart.
func TestShared(t *testing.T) {
	tiers := Default(newScribe(good("x")), t.TempDir())
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			v := viewOf(32_000, one(says(fmt.Sprint("run ", i))))
			v.Run = fmt.Sprint("run-", i)
			for k := range 60 {
				v = v.with(turns(k, 1, 1_000+i*500+k%9/8*40_000)...)
				v = compacted(t, tiers, v)
				require.True(t, strings.HasPrefix(told(v.Request.Messages[:1]), fmt.Sprint("run ", i)))
			}
		})
	}
}
