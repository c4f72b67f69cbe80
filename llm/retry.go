package llm

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"
)

// Defaults of [Retry].
const (
	DefaultAttempts  = 3
	DefaultFirstWait = 500 * time.Millisecond
	DefaultMaxWait   = 30 * time.Second
)

// Retry is a client that asks Client again when it fails in a way that may
// pass, see [Error.Retryable]. It looks at the client's own errors and at
// nothing else. Each retry is told of in the stream: by a [RetryNotice], or by
// a [Restart] where a delta had been shown.
//
// A wait that the provider asks for holds for all requests that go through the
// same Retry: none goes out before it is over. So give each provider and model
// one Retry and share it. It must not be copied after its first use.
type Retry struct {
	Client Client

	// Attempts is how often a request is made at most; 0 is [DefaultAttempts],
	// 1 never retries.
	Attempts int

	// First is the wait after the first attempt, doubled after each further one
	// and never longer than Max; 0 is [DefaultFirstWait] and [DefaultMaxWait].
	// Where the provider asks for a wait, that is waited instead. If it is
	// longer than Max the request fails at once with the wait in its error, and
	// others go on, since they would only wait for nothing.
	First, Max time.Duration

	// Jitter spreads the waits that no provider asked for. Nil draws from the
	// upper half: between half of the wait and all of it. The result is kept
	// between 0 and Max.
	Jitter func(time.Duration) time.Duration

	// FailAfterOutput ends the stream with its error, the partial text in it,
	// once a delta was shown, in place of a [Restart].
	FailAfterOutput bool

	mu    sync.Mutex
	until time.Time // no request goes out before, since the provider said so
}

// Dialect implements [Speaker].
func (r *Retry) Dialect() Dialect { return DialectOf(r.Client) }

// Stream implements [Client].
func (r *Retry) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := r.check(); err != nil {
			yield(nil, err)
			return
		}
		tries := attempts{yield: yield}
		for n := 1; ; n++ {
			if !r.hold(ctx) {
				tries.fail(canceled(ctx, "waiting as the provider asked"))
				return
			}
			failed := tries.try(ctx, r.Client, req)
			if failed == nil {
				return
			}
			next := r.decide(ctx, failed, n)
			if next.chunk != nil && !yield(next.chunk, nil) {
				return
			}
			if !next.again {
				tries.fail(failed.err)
				return
			}
			if !sleep(ctx, next.wait) {
				tries.fail(canceled(ctx, "waiting to ask again after "+failed.err.Error()))
				return
			}
		}
	}
}

// A decision is what follows a failed attempt.
type decision struct {
	chunk Chunk // what the reader is told; nil for nothing
	again bool
	wait  time.Duration
}

func (r *Retry) decide(ctx context.Context, f *failure, attempt int) decision {
	asked := max(f.cause.RetryAfter, 0)
	if !f.cause.Retryable() || ctx.Err() != nil {
		return decision{}
	}
	if asked > r.max() {
		return decision{chunk: RetryNotice{Attempt: attempt, Wait: asked, Cause: f.cause, GaveUp: true}}
	}
	r.pause(asked)
	switch {
	case f.shown && r.FailAfterOutput:
		return decision{}
	case attempt >= r.attempts():
		return decision{chunk: RetryNotice{Attempt: attempt, Cause: f.cause, GaveUp: true}}
	}
	wait := asked
	if wait == 0 {
		wait = r.backoff(attempt)
	}
	if f.shown {
		return decision{Restart{Attempt: attempt + 1, Wait: wait, Cause: f.cause}, true, wait}
	}
	return decision{RetryNotice{Attempt: attempt, Wait: wait, Cause: f.cause}, true, wait}
}

// backoff returns the wait after the attempt of this number.
func (r *Retry) backoff(attempt int) time.Duration {
	wait := r.First
	if wait == 0 {
		wait = DefaultFirstWait
	}
	for ; attempt > 1 && wait < r.max(); attempt-- {
		wait += min(wait, r.max()-wait) // doubled, and never past what can be counted
	}
	wait = min(wait, r.max())
	if r.Jitter != nil {
		return min(max(r.Jitter(wait), 0), r.max())
	}
	return wait - rand.N(wait/2+1)
}

func (r *Retry) attempts() int {
	if r.Attempts == 0 {
		return DefaultAttempts
	}
	return r.Attempts
}

func (r *Retry) max() time.Duration {
	if r.Max == 0 {
		return DefaultMaxWait
	}
	return r.Max
}

func (r *Retry) check() error {
	if r.Attempts < 0 || r.First < 0 || r.Max < 0 {
		return &Error{Kind: ErrNotAllowed, Message: fmt.Sprintf("retry: Attempts (%d), First (%v) and Max (%v) may not be negative", r.Attempts, r.First, r.Max)}
	}
	return nil
}

// pause keeps all requests back for so long.
func (r *Retry) pause(wait time.Duration) {
	if wait == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := time.Now().Add(wait); until.After(r.until) {
		r.until = until
	}
}

// hold waits while requests are kept back, also if the wait grows meanwhile.
// It tells whether ctx goes on.
func (r *Retry) hold(ctx context.Context) bool {
	for {
		r.mu.Lock()
		wait := time.Until(r.until)
		r.mu.Unlock()
		if wait <= 0 {
			return true
		}
		if !sleep(ctx, wait) {
			return false
		}
	}
}

// sleep waits and tells whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
