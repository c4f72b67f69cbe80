package compress

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// CMP-E83: a summary that would free less than a tenth of T is not asked for.
func TestLittleToSummarize(t *testing.T) {
	s := newScribe(good("x"))
	v := viewOf(32_000, join(one(says("go")), turns(0, 3, 1_600), turn("z", "look", words(76_000))))
	require.GreaterOrEqual(t, Count(nil, v.Request, v.Dialect), Trigger(32_000))
	require.False(t, mustCompress(t, summarizing(s), v).Changed)
	require.Empty(t, s.requests)
}

// CMP-29: what was not large for the window that was believed is for the one
// that was learned, and goes when that is learned.
func TestLargeForTheLearnedWindow(t *testing.T) {
	tiers := only(t.TempDir())
	v := viewOf(64_000, join(one(says("go")), turn("k", "look", words(16_000)), turns(0, 1, 400)))
	require.False(t, mustCompress(t, tiers, v).Changed)
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Window: 4_000, Input: 4_300}
	c := mustCompress(t, tiers, v)
	require.Equal(t, []string{"offload"}, c.Tiers)
	// The same process knows the window without being told.
	next := after(v, c)
	next.Window = 0
	c = mustCompress(t, tiers, next.with(turn("m", "look", words(4_000))...))
	require.Equal(t, []string{"offload"}, c.Tiers)
}

// CMP-04: the mates of the newest results stay, in one message or in many.
func TestMatesStay(t *testing.T) {
	v := viewOf(8_192, join(one(says("go")), turns(0, 3, 4_000)))
	m := calls()
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		m.Parts = append(m.Parts, llm.ToolCall{ID: id, Name: "look", Arguments: "{}"})
	}
	v = v.with(m)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		v = v.with(llm.Results(llm.ToolResult{CallID: id, Name: "look", Text: words(2_000)}))
	}
	next := compacted(t, clearing, v)
	for i, r := range results(next.Request.Messages) {
		require.Equal(t, i >= 3, r.Text == words(2_000), i)
	}
}

// CMP-35: what a user says after the last reply was not in the request before,
// and stands in no request for a summary; it is kept.
func TestCachedWithoutNews(t *testing.T) {
	s := newScribe(good("x"))
	history := join(one(says("go")), turns(0, 50, 1_600), one(replies("done")))
	v := viewOf(32_000, history).with(says("and now this"))
	v.Client = s
	next := compacted(t, &Tiers{Summarize: &Summarize{Cached: true}}, v)
	require.Len(t, s.requests[0].Messages, len(history)+1)
	require.NotContains(t, told(s.requests[0].Messages), "and now this")
	require.Equal(t, "and now this", next.Request.Messages[len(next.Request.Messages)-1].Text())
}

// CMP-E85: a cancel during a summary leaves the history as it was.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	s := &scribe{answer: func(int, llm.Request) llm.Client {
		cancel(why)
		return llmtest.Hang()
	}}
	v := viewOf(32_000, join(one(says("go")), turns(0, 50, 1_600)))
	was := fmt.Sprint(v.Request.Messages)
	c, err := summarizing(s).Compress(ctx, v)
	require.ErrorIs(t, err, why)
	require.Equal(t, Compaction{}, c)
	require.Equal(t, was, fmt.Sprint(v.Request.Messages))
	require.Zero(t, v.Memory.failures)
}
