package llm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

func cut() *llm.Error {
	return &llm.Error{Kind: llm.ErrIncomplete, Client: "fake", Message: "it ended early"}
}

// LLM-28: a replay after a delta is never silent.
func TestRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(cut(), llm.TextDelta("Hello"), llm.TextDelta(" wo")), says("Hello world"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s, Jitter: pinned}, hello())
		require.NoError(t, err)
		require.Equal(t, 2, s.requests())
		cause := cut()
		cause.Partial = "Hello wo"
		require.Equal(t, []llm.Restart{{Attempt: 2, Wait: 500 * ms, Cause: cause}}, of[llm.Restart](chunks))
		require.Empty(t, of[llm.RetryNotice](chunks), "one chunk a failure")
		require.Equal(t, "Hello world", text(chunks))
		require.Equal(t, replying("Hello world"), chunks[len(chunks)-1])
	})
}

// LLM-28: with the option it fails instead, once something was shown.
func TestFailAfterOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(status(503)), fails(cut(), llm.TextDelta("Hello wo")), says("Hello world"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s, FailAfterOutput: true}, hello())
		require.ErrorIs(t, err, llm.ErrIncomplete)
		require.Equal(t, "Hello wo", failure(t, err).Partial)
		require.Equal(t, 2, s.requests(), "what fails before output is still retried")
		require.Equal(t, []string{"retry_notice", "text_delta"}, kinds(chunks))
	})
}

// LLM-28, B248: three early ends. Reset before any byte and reset after a chunk
// with only the role show nothing; reset after text does. Each counts once.
func TestEarlyEnds(t *testing.T) {
	reset := &llm.Error{Kind: llm.ErrConnection, Message: "reset"}
	onlyRole := []llm.Chunk{llm.TextDelta(""), llm.ReasoningDelta("")}
	for name, test := range map[string]struct {
		shown   []llm.Chunk
		restart bool
	}{
		"B248 before any byte": {nil, false},
		"B248 only the role":   {onlyRole, false},
		"B248 text":            {[]llm.Chunk{llm.TextDelta("Hel")}, true},
		"reasoning":            {[]llm.Chunk{llm.ReasoningDelta("hm")}, true},
		"a call":               {[]llm.Chunk{llm.CallDelta{Name: "look"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(fails(reset, test.shown...), says("done"))
				chunks, err := watch(t.Context(), &llm.Retry{Client: s, Attempts: 2}, hello())
				require.NoError(t, err)
				require.Equal(t, "done", text(chunks))
				require.Equal(t, test.restart, len(of[llm.Restart](chunks)) == 1)
				require.Equal(t, test.restart, len(of[llm.RetryNotice](chunks)) == 0)

				s = scripted(fails(reset, test.shown...), fails(reset, test.shown...), says("too late"))
				_, err = watch(t.Context(), &llm.Retry{Client: s, Attempts: 2}, hello())
				require.ErrorIs(t, err, llm.ErrConnection)
				require.Equal(t, 2, s.requests())
			})
		})
	}
}

// LLM-28: when the attempts are used up, the error holds the partial text: the
// last that was seen.
func TestPartialTextOfTheLastAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		answers []answer
		want    string
	}{
		"last":    {[]answer{fails(cut(), llm.TextDelta("a")), fails(cut(), llm.TextDelta("b")), fails(cut(), llm.TextDelta("c"))}, "c"},
		"earlier": {[]answer{fails(cut(), llm.TextDelta("a")), fails(status(503)), fails(status(503))}, "a"},
		"none":    {[]answer{fails(status(503)), fails(status(503)), fails(status(503))}, ""},
		"not retried": {
			[]answer{fails(cut(), llm.TextDelta("a")), fails(status(400))}, "a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, err := watch(t.Context(), &llm.Retry{Client: scripted(test.answers...)}, hello())
				require.Equal(t, test.want, failure(t, err).Partial)
			})
		})
	}
}

func costing(err *llm.Error, input int) *llm.Error {
	err.Usage = llm.Usage{Input: input, Output: 1}
	return err
}

// failed adds up what notices say, as a reader that counts does.
func failed(chunks llm.Chunks) (spent llm.Usage) {
	for _, c := range chunks {
		switch c := c.(type) {
		case llm.Restart:
			spent = spent.Plus(c.Cause.Usage)
		case llm.RetryNotice:
			spent = spent.Plus(c.Cause.Usage)
		}
	}
	return spent
}

// LLM-E14: what failed attempts cost is in the notices if a reply comes, and
// all of it in the error if none does; nothing stands twice, also through
// wrappers of wrappers.
func TestUsageOfFailedAttempts(t *testing.T) {
	first := func(s *script) llm.Client { return &llm.Retry{Client: s} }
	nested := func(s *script) llm.Client {
		return &llm.Retry{Client: &llm.Fallback{Clients: []llm.Named{
			{Client: &llm.Retry{Client: s, Attempts: 2}}, {Client: &llm.Retry{Client: s, Attempts: 1}},
		}}}
	}
	for name, wrap := range map[string]func(*script) llm.Client{"retry": first, "nested": nested} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(fails(costing(status(503), 100)), fails(costing(cut(), 20)), says("done"))
				chunks, err := watch(t.Context(), wrap(s), hello())
				require.NoError(t, err)
				require.Equal(t, llm.Usage{Input: 120, Output: 2}, failed(chunks))
				require.Equal(t, llm.Usage{Input: 10, Output: 5}, of[llm.Reply](chunks)[0].Usage)

				var answers []answer
				for i := range 9 {
					answers = append(answers, fails(costing(status(503), 1<<i)))
				}
				s = scripted(answers...)
				chunks, err = watch(t.Context(), wrap(s), hello())
				want := llm.Usage{Input: 1<<s.requests() - 1, Output: s.requests()}
				require.Equal(t, want, failure(t, err).Usage)
				require.Equal(t, want, failed(chunks))
			})
		})
	}
}

// LLM-E14: an attempt that is not retried counts as well.
func TestUsageOfTheLastAttempt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(costing(cut(), 7), llm.TextDelta("a")), fails(costing(status(400), 20)))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s}, hello())
		require.Equal(t, llm.Usage{Input: 27, Output: 2}, failure(t, err).Usage)
		require.Equal(t, llm.Usage{Input: 7, Output: 1}, failed(chunks))
	})
}

// Notices of a client below are passed on; a restart of its own drops what was
// shown before it.
func TestRetryAroundRetry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(cut(), llm.TextDelta("a")), fails(status(503)), says("done"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: &llm.Retry{Client: s, Attempts: 2}, First: time.Second}, hello())
		require.NoError(t, err)
		require.Equal(t, []string{"text_delta", "restart", "retry_notice", "retry_notice", "text_delta", "reply"}, kinds(chunks))
		require.Equal(t, "done", text(chunks))
	})
}

// What was dropped at a restart below is no part of the partial text.
func TestPartialTextAfterARestartBelow(t *testing.T) {
	s := scripted(fails(status(400), llm.TextDelta("a"), llm.Restart{Attempt: 2, Cause: cut()}, llm.TextDelta("b")))
	_, err := watch(t.Context(), &llm.Retry{Client: s}, hello())
	require.Equal(t, "b", failure(t, err).Partial)

	s = scripted(fails(status(400), llm.TextDelta("a"), llm.Restart{Attempt: 2, Cause: cut()}))
	_, err = watch(t.Context(), &llm.Retry{Client: s}, hello())
	require.Equal(t, "a", failure(t, err).Partial, "the last that was seen")
}
