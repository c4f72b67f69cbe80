package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

const ms = time.Millisecond

// bubble runs fn with a fake clock.
func bubble(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, fn)
}

// LLM-25: two retries, 0.5 s and 1 s apart, each told of.
func TestRetry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(status(503)), fails(status(503)), says("done"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s, Jitter: pinned}, hello())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 500 * ms, 1500 * ms}, s.at)
		require.Equal(t, []string{"retry_notice", "retry_notice", "text_delta", "reply"}, kinds(chunks))
		require.Equal(t, llm.RetryNotice{Attempt: 1, Wait: 500 * ms, Cause: status(503)}, chunks[0])
		require.Equal(t, llm.RetryNotice{Attempt: 2, Wait: time.Second, Cause: status(503)}, chunks[1])
		require.Equal(t, []llm.Request{hello(), hello(), hello()}, s.asked)
	})
}

// LLM-25: when attempts are used up, the stream says so before its error.
func TestRetriesUsedUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(status(503)), fails(status(502)), fails(status(504)), says("too late"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s, Jitter: pinned}, hello())
		require.Equal(t, 504, failure(t, err).Status)
		require.Equal(t, 3, s.requests())
		require.Equal(t, llm.RetryNotice{Attempt: 3, Cause: status(504), GaveUp: true}, chunks[len(chunks)-1])
		require.Len(t, of[llm.RetryNotice](chunks), 3)
	})
}

// LLM-25: waits double up to the cap, and jitter stays within bounds.
func TestRetryWaits(t *testing.T) {
	many := func() (answers []answer) {
		for range 12 {
			answers = append(answers, fails(status(500)))
		}
		return answers
	}
	waits := func(t *testing.T, r *llm.Retry) (waits []time.Duration) {
		r.Client = scripted(many()...)
		chunks, err := watch(t.Context(), r, hello())
		require.Error(t, err)
		for _, n := range of[llm.RetryNotice](chunks) {
			if !n.GaveUp {
				waits = append(waits, n.Wait)
			}
		}
		return waits
	}
	bubble(t, func(t *testing.T) {
		require.Equal(t, []time.Duration{
			500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 16000 * ms, 30000 * ms, 30000 * ms,
		}, waits(t, &llm.Retry{Attempts: 9, Jitter: pinned}))
		require.Equal(t, []time.Duration{2 * ms, 3 * ms, 3 * ms}, waits(t, &llm.Retry{Attempts: 4, First: 2 * ms, Max: 3 * ms, Jitter: pinned}))
		require.Equal(t, []time.Duration{ms}, waits(t, &llm.Retry{Attempts: 2, First: 5 * ms, Max: ms, Jitter: pinned}))
		require.Empty(t, waits(t, &llm.Retry{Attempts: 1}))

		for i, wait := range waits(t, &llm.Retry{Attempts: 9}) {
			whole := min(500*ms<<i, 30*time.Second)
			require.GreaterOrEqual(t, wait, whole/2-1)
			require.LessOrEqual(t, wait, whole)
		}
		odd := func(d time.Duration) func(time.Duration) time.Duration {
			return func(time.Duration) time.Duration { return d }
		}
		require.Equal(t, []time.Duration{0}, waits(t, &llm.Retry{Attempts: 2, Jitter: odd(-time.Hour)}))
		require.Equal(t, []time.Duration{time.Second}, waits(t, &llm.Retry{Attempts: 2, Max: time.Second, Jitter: odd(time.Hour)}))
		const forever = time.Duration(1<<63 - 1)
		require.Equal(t, []time.Duration{forever/2 + 1, forever}, waits(t, &llm.Retry{Attempts: 3, First: forever/2 + 1, Max: forever, Jitter: pinned}))
	})
}

// GEN-07: negative limits are refused before anything is asked.
func TestRetryRefusesNegativeLimits(t *testing.T) {
	s := scripted(says("x"))
	for _, r := range []*llm.Retry{{Attempts: -1}, {First: -1}, {Max: -1}} {
		r.Client = s
		_, err := watch(t.Context(), r, hello())
		require.ErrorIs(t, err, llm.ErrNotAllowed)
		require.ErrorContains(t, err, "may not be negative")
	}
	require.Zero(t, s.requests())
}

// LLM-26, B107: what another attempt would not better is asked once.
func TestNotRetried(t *testing.T) {
	tests := map[string]error{
		"B107 invalid request": status(400),
		"not found":            status(404),
		"key":                  &llm.Error{Kind: llm.ErrAuth, Status: 401},
		"quota as 429":         &llm.Error{Kind: llm.ErrQuota, Status: 429, RetryAfter: time.Second},
		"refusal":              &llm.Error{Kind: llm.ErrRefused, Status: 400},
		"overflow":             &llm.Error{Kind: llm.ErrContextLength, Status: 400},
		"malformed":            &llm.Error{Kind: llm.ErrMalformed, Status: 200},
		"501":                  status(501),
		"B102 a path":          &fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT},
		"B102 any error":       errors.New("rate limit 429 timeout connection reset"),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := scripted(fails(err), says("x"))
				chunks, got := watch(t.Context(), &llm.Retry{Client: s}, hello())
				require.ErrorIs(t, got, err)
				require.Equal(t, llm.AsError(err).Kind, failure(t, got).Kind)
				require.Empty(t, chunks)
				require.Equal(t, 1, s.requests())
			})
		})
	}
}

// B102: results of tools are content. Only the client's own error decides,
// whatever the history says.
func TestRetryNeverLooksAtResults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		inner := later(time.Second)
		req := llm.Request{Messages: []llm.Message{
			llm.UserText("save and look"),
			llm.Results(
				llm.ToolResult{CallID: "1", Text: "saved"},
				llm.ToolResult{CallID: "2", Text: fmt.Sprintf("look: %v: connection reset by peer", inner), Failed: true},
			),
		}}
		s := scripted(says(inner.Error()), says("x"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s}, req)
		require.NoError(t, err)
		require.Equal(t, []string{"text_delta", "reply"}, kinds(chunks))
		require.Equal(t, 1, s.requests())
	})
}

// An error that a host's wrapper put words around is still the client's own,
// and the words stay.
func TestRetryKeepsWhatWrapsAnError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		mark := errors.New("proxy 7")
		wrapped := fmt.Errorf("%w: %w", mark, status(503))
		s := scripted(fails(costing(cut(), 7)), fails(wrapped), fails(wrapped))
		_, err := watch(t.Context(), &llm.Retry{Client: s}, hello())
		require.Equal(t, 3, s.requests())
		require.Equal(t, 7, failure(t, err).Usage.Input)
		require.ErrorIs(t, err, mark)
		require.ErrorIs(t, err, llm.ErrUnavailable)
		require.Equal(t, 503, failure(t, err).Status)
	})
}

// LLM-25, B104: a try that fails before the headers and one that fails in the
// body, before any delta, count alike: the caller's number is obeyed.
func TestAttemptsAreCountedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refused := &llm.Error{Kind: llm.ErrConnection, Message: "connection refused"}
		cut := &llm.Error{Kind: llm.ErrIncomplete, Status: 200, Message: "it ended early"}
		s := scripted(fails(refused), fails(cut), says("done"))
		chunks, err := watch(t.Context(), &llm.Retry{Client: s, Attempts: 3}, hello())
		require.NoError(t, err)
		require.Equal(t, "done", text(chunks))
		require.Equal(t, 3, s.requests())

		s = scripted(fails(refused), fails(cut), says("too late"))
		_, err = watch(t.Context(), &llm.Retry{Client: s, Attempts: 2}, hello())
		require.ErrorIs(t, err, llm.ErrIncomplete)
		require.Equal(t, 2, s.requests())
	})
}

// A Retry may be shared, and a stream that ends well leaves no trace in it.
func TestRetryEndsWithItsReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(status(503)), says("x"))
		for range (&llm.Retry{Client: s}).Stream(t.Context(), hello()) {
			break
		}
		require.Equal(t, 1, s.requests(), "a reader that leaves at a notice wants no retry")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s = scripted(fails(status(503)), says("x"))
		chunks, err := watch(ctx, &llm.Retry{Client: s}, hello())
		require.ErrorIs(t, err, llm.ErrUnavailable)
		require.Empty(t, chunks)
		require.Equal(t, 1, s.requests(), "nothing is retried after the end of the context")
	})
}
