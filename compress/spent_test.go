package compress

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// CMP-21, LLM-E14: attempts that failed below the summary's client count once,
// whether a summary came or not.
func TestFailedAttemptsCountOnce(t *testing.T) {
	down := func(input int) llm.Client {
		return llmtest.Fail(&llm.Error{Kind: llm.ErrUnavailable, Usage: llm.Usage{Input: input}})
	}
	for name, c := range map[string]struct {
		answers []llm.Client
		want    int
	}{
		"a summary in the end": {[]llm.Client{down(5), down(7), good("x")}, 5 + 7 + 110},
		"none":                 {[]llm.Client{down(5), down(7), down(11)}, 5 + 7 + 11},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScribe(c.answers...)
				got := mustCompress(t, summarizing(&llm.Retry{Client: s}), viewOf(32_000, filled(21_000)))
				require.Len(t, s.requests, 3)
				require.Equal(t, c.want, got.Usage.Total())
			})
		})
	}
}

// CMP-21: a client that breaks the contract is named, and harms nothing.
func TestBrokenSummaryClients(t *testing.T) {
	stream := func(seq iter.Seq2[llm.Chunk, error]) llm.Client {
		return llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] { return seq })
	}
	for name, client := range map[string]llm.Client{
		"no function":     llm.ClientFunc(nil),
		"no stream":       stream(nil),
		"nothing in it":   stream(func(func(llm.Chunk, error) bool) {}),
		"a nil chunk":     stream(func(yield func(llm.Chunk, error) bool) { yield(nil, nil) }),
		"more than reply": stream(func(yield func(llm.Chunk, error) bool) { yield(new(llm.Reply), nil) }),
	} {
		t.Run(name, func(t *testing.T) {
			got := mustCompress(t, summarizing(client), viewOf(32_000, filled(21_000)))
			require.False(t, got.Changed)
			require.Contains(t, got.Failed, "client")
		})
	}
}

// What was spent until ctx ended, or until it showed that nothing helps, is
// told with the error.
func TestSpentIsToldWithErrors(t *testing.T) {
	priced := good("x").(llmtest.Answer)
	priced.Reply.Model = "m"
	formless := llmtest.Text("It went well.").Costing(100, 10)
	formless.Reply.Model = "m"
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &scribe{answer: func(n int, _ llm.Request) llm.Client {
		if n == 1 {
			cancel(gone)
		}
		return formless
	}}
	c, err := summarizing(s).Compress(ctx, viewOf(32_000, filled(21_000)))
	require.ErrorIs(t, err, gone)
	require.Equal(t, Compaction{Usage: llm.Usage{Input: 100, Output: 10}, Model: "m"}, c)

	v := viewOf(8_192, join(one(says("go")), turns(0, 10, 1_600), turns(10, 1, 60_000)))
	c, err = summarizing(newScribe(priced)).Compress(t.Context(), v)
	require.ErrorIs(t, err, ErrFull)
	require.Positive(t, c.Usage.Total())
	require.Equal(t, "m", c.Model)
	require.False(t, c.Changed)
	require.Empty(t, c.Messages)
}

// A wrapped is a client of a host's wrapper that tells what it is around.
type wrapped struct{ llm.Client }

func (w wrapped) Unwrap() llm.Client { return w.Client }

// CMP-35: the run's own client is known through wrappers, and none that can't
// be compared panics.
func TestOwnThroughWrappers(t *testing.T) {
	own, other := newScribe(), newScribe()
	fn := llm.ClientFunc(own.Stream)
	for name, c := range map[string]struct {
		summaries, run llm.Client
		own            bool
	}{
		"wrapped":              {own, wrapped{own}, true},
		"wrapped twice":        {own, wrapped{wrapped{own}}, true},
		"the wrapper itself":   {wrapped{own}, wrapped{own}, true},
		"another":              {other, wrapped{own}, false},
		"without a way within": {own, struct{ llm.Client }{own}, false},
		"no client":            {own, nil, false},
		"around nothing":       {own, wrapped{}, false},
		"not to be compared":   {wrapped{fn}, wrapped{fn}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.own, (&Summarize{Client: c.summaries}).own(View{Client: c.run}))
		})
	}
}
