package llm

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"
)

// Limit is a client that keeps requests back: at most AtOnce are under way,
// and they begin no faster than Rate. All who use the same Limit share it.
// Requests are served in the order in which they came; one whose context ends
// while it waits leaves the line at once. It must not be copied after its
// first use.
//
// A request holds its place until its reply or error is there or its reader
// leaves. A [Retry] around a Limit holds none while it waits; a Limit around a
// Retry holds one.
type Limit struct {
	Client Client

	// AtOnce is how many requests may be under way; 0 sets no bound.
	AtOnce int

	// Rate is how many requests may begin in a second, such as 500.0/60; 0 sets
	// no bound. After a pause Burst of them may begin together; 0 means 1.
	Rate  float64
	Burst int

	mu      sync.Mutex
	running int
	line    []chan struct{} // those that wait, in order; a send makes the first look again
	due     time.Time       // when the next request would begin at an even rate
}

// Dialect implements [Speaker].
func (l *Limit) Dialect() Dialect { return DialectOf(l.Client) }

// Stream implements [Client].
func (l *Limit) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := l.check(); err != nil {
			yield(nil, err)
			return
		}
		if !l.enter(ctx) {
			yield(nil, canceled(ctx, "waiting for a place among the requests"))
			return
		}
		reply, err := l.read(ctx, req, yield)
		end(yield, reply, err)
	}
}

func (l *Limit) read(ctx context.Context, req Request, yield func(Chunk, error) bool) (Reply, error) {
	defer l.leave()
	return read(ctx, l.Client, req, func(c Chunk) bool { return yield(c, nil) })
}

func (l *Limit) check() error {
	if l.AtOnce < 0 || l.Burst < 0 || !(l.Rate >= 0) || math.IsInf(l.Rate, 1) {
		return &Error{Kind: ErrNotAllowed, Message: fmt.Sprintf("limit: AtOnce (%d), Rate (%v) and Burst (%d) must be finite and not negative", l.AtOnce, l.Rate, l.Burst)}
	}
	return nil
}

// enter waits for a place and tells whether it got one. Only the first in line
// looks for it, so nobody is overtaken.
func (l *Limit) enter(ctx context.Context) bool {
	turn := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, turn)
	for ctx.Err() == nil {
		var wait time.Duration // 0 until something else happens
		if l.line[0] == turn && (l.AtOnce == 0 || l.running < l.AtOnce) {
			now := time.Now()
			if wait = l.early(now); wait <= 0 {
				l.begin(now)
				l.quit(turn)
				return true
			}
		}
		l.mu.Unlock()
		await(ctx, turn, wait)
		l.mu.Lock()
	}
	l.quit(turn)
	return false
}

// await returns when there is reason to look again: it is turn's turn, the wait
// (if there is one) is over, or ctx has ended.
func await(ctx context.Context, turn <-chan struct{}, wait time.Duration) {
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-turn:
	case <-over:
	case <-ctx.Done():
	}
}

// quit takes turn out of the line and lets the first one look.
func (l *Limit) quit(turn chan struct{}) {
	i := slices.Index(l.line, turn)
	l.line = slices.Delete(l.line, i, i+1)
	l.call()
}

// call lets the first in line look whether there is a place.
func (l *Limit) call() {
	if len(l.line) == 0 {
		return
	}
	select {
	case l.line[0] <- struct{}{}:
	default: // told already
	}
}

func (l *Limit) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.call()
}

// early returns how long before its time a request would begin now. The rate
// is kept by the generic cell rate algorithm: each request moves due on by one
// interval, and may begin up to Burst-1 intervals ahead of it.
func (l *Limit) early(now time.Time) time.Duration {
	if l.Rate == 0 || l.due.Before(now) {
		return 0
	}
	ahead := float64(l.interval()) * float64(max(l.Burst, 1)-1)
	return l.due.Sub(now) - duration(ahead)
}

func (l *Limit) begin(now time.Time) {
	l.running++
	if l.Rate == 0 {
		return
	}
	if l.due.Before(now) {
		l.due = now
	}
	l.due = l.due.Add(l.interval())
}

func (l *Limit) interval() time.Duration { return duration(float64(time.Second) / l.Rate) }

// duration keeps what is longer than a century to a century, which can be counted.
func duration(ns float64) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	return time.Duration(min(ns, float64(century)))
}
