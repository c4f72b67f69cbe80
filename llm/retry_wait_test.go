package llm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-E9, B105, B108: the wait that the provider asks for is waited, whether it
// came in a header, as a date or in the body: the client says how long.
func TestRetryAfterIsHonored(t *testing.T) {
	for name, test := range map[string]struct{ asked, waited time.Duration }{
		"B105 2 s":          {2 * time.Second, 2 * time.Second},
		"LLM-E9 5 s":        {5 * time.Second, 5 * time.Second},
		"B108 7 s":          {7 * time.Second, 7 * time.Second},
		"the cap":           {30 * time.Second, 30 * time.Second},
		"LLM-E9 less":       {10 * ms, 10 * ms},
		"LLM-E9 negative":   {-time.Second, 500 * ms},
		"nothing asked for": {0, 500 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				results := llm.Results(llm.ToolResult{CallID: "1", Text: "saved"})
				req := llm.Request{Messages: []llm.Message{llm.UserText("go on"), results}}
				s := scripted(fails(later(test.asked)), says("done"))
				// The jitter would spoil the wait if it were applied to it.
				chunks, err := watch(t.Context(), &llm.Retry{Client: s, Jitter: func(d time.Duration) time.Duration {
					require.Equal(t, 500*ms, d)
					return d
				}}, req)
				require.NoError(t, err)
				require.Equal(t, []time.Duration{0, test.waited}, s.at)
				require.Equal(t, test.waited, of[llm.RetryNotice](chunks)[0].Wait)
				require.Equal(t, req, s.asked[1], "the results are not lost")
			})
		})
	}
}

// LLM-E9, B105: a wait over the cap fails at once and is named.
func TestWaitOverTheCap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const day = 86_400 * time.Second
		s := scripted(fails(later(day)), says("done"))
		r := &llm.Retry{Client: s}
		start := time.Now()
		chunks, err := watch(t.Context(), r, hello())
		require.Zero(t, time.Since(start))
		require.Equal(t, 1, s.requests())
		require.Equal(t, day, failure(t, err).RetryAfter)
		require.ErrorContains(t, err, "retry after 24h0m0s")
		require.Equal(t, llm.Chunks{llm.RetryNotice{Attempt: 1, Wait: day, Cause: later(day), GaveUp: true}}, chunks)

		_, err = watch(t.Context(), r, hello())
		require.NoError(t, err, "the next request asks for itself")
		require.Zero(t, time.Since(start))
	})
}

// LLM-E9, B105: a cancel during a wait returns at once, with what was spent and seen.
func TestCancelDuringAWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stopped by a person")
		time.AfterFunc(3*time.Second, func() { cancel(stop) })
		failed := later(20 * time.Second)
		failed.Usage = llm.Usage{Input: 9}
		s := scripted(fails(failed, llm.TextDelta("Hel")), says("x"))
		start := time.Now()
		_, err := watch(ctx, &llm.Retry{Client: s}, hello())
		require.Equal(t, 3*time.Second, time.Since(start))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, llm.ErrCanceled)
		require.ErrorIs(t, err, stop)
		require.ErrorContains(t, err, "rate limited", "it says what was waited for")
		require.NotErrorIs(t, err, llm.ErrRateLimit)
		require.Equal(t, llm.Usage{Input: 9}, failure(t, err).Usage)
		require.Equal(t, "Hel", failure(t, err).Partial)
		require.Equal(t, 1, s.requests())
	})
}

// LLM-31: a wait that the provider asked of one request holds all of them back.
func TestWaitsAreShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(later(5*time.Second)), says("a"), says("b"), says("c"))
		r := &llm.Retry{Client: s}
		var all sync.WaitGroup
		ask := func(at time.Duration) {
			all.Go(func() {
				time.Sleep(at)
				_, err := watch(t.Context(), r, hello())
				require.NoError(t, err)
			})
		}
		ask(0)
		ask(time.Second)     // held back
		ask(8 * time.Second) // the wait is over
		all.Wait()
		require.Equal(t, []time.Duration{0, 5 * time.Second, 5 * time.Second, 8 * time.Second}, s.at)
	})
}

// LLM-31: a wait grows while others wait for it, and its cancel is at once. The
// waits of a Retry's own making are its request's alone.
func TestSharedWaitsGrow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		slow := fails(later(10 * time.Second))
		slow.takes = 2 * time.Second
		s := scripted(slow, fails(later(5*time.Second)), says("a"), says("b"), says("c"))
		r := &llm.Retry{Client: s}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := watch(t.Context(), r, hello())
				require.NoError(t, err)
			})
		}
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			time.Sleep(time.Second)
			start := time.Now()
			_, err := watch(ctx, r, hello())
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "as the provider asked")
			require.Equal(t, 3*time.Second, time.Since(start))
		})
		all.Wait()
		require.Equal(t, []time.Duration{0, 0, 12 * time.Second, 12 * time.Second}, s.at)

		own := scripted(fails(status(503)), says("b"), says("a"))
		r = &llm.Retry{Client: own, First: 20 * time.Second, Jitter: pinned}
		all.Go(func() { _, _ = watch(t.Context(), r, hello()) })
		time.Sleep(time.Second)
		_, err := watch(t.Context(), r, hello())
		require.NoError(t, err)
		all.Wait()
		require.Equal(t, []time.Duration{0, time.Second, 20 * time.Second}, own.at)
	})
}

// LLM-31: a later and shorter wait does not end an earlier one.
func TestSharedWaitsDoNotShrink(t *testing.T) {
	bubble(t, func(t *testing.T) {
		slow := fails(later(time.Second))
		slow.takes = 2 * time.Second
		s := scripted(slow, fails(later(10*time.Second)), says("a"), says("b"))
		r := &llm.Retry{Client: s}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { _, _ = watch(t.Context(), r, hello()) })
		}
		all.Wait()
		require.Equal(t, []time.Duration{0, 0, 10 * time.Second, 10 * time.Second}, s.at)
	})
}

// LLM-31: the last attempt's wait holds others back as well.
func TestTheLastWaitIsSharedToo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(later(4*time.Second)), says("a"))
		r := &llm.Retry{Client: s, Attempts: 1}
		_, err := watch(t.Context(), r, hello())
		require.ErrorIs(t, err, llm.ErrRateLimit)
		_, err = watch(t.Context(), r, hello())
		require.NoError(t, err)
		require.Equal(t, []time.Duration{0, 4 * time.Second}, s.at)
	})
}
