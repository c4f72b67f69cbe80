package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Signal is an error by which a tool says something else than that it
// failed, to the one who runs it: a [Pause] is one. It ends no call.
type Signal interface {
	error
	Signal()
}

// An Ending is how [Tool.Do] came back.
type Ending struct {
	// Result is what the call came to; it is ready to be told. It says nothing
	// if Signal is set.
	Result Result

	// Signal is what the tool returned in place of a result: a [*Pause], say.
	Signal Signal

	// Late is set when the call was given up while it was still running. It is
	// closed when the call does return. What it returns then is thrown away.
	Late <-chan struct{}
}

// Do runs one call, whose arguments have been checked, and comes back within
// the call's limit and the tool's grace, whatever the tool does.
//
// An error, a panic and a result over [Tool.MaxText] become a result; nothing
// of them leaves the call. At its limit, or when ctx ends, the call is
// canceled. If it comes back within the grace, after its limit it has timed
// out, with what it said; after the end of ctx its result counts if it is a
// good one, and else it is [Canceled]. If it does not, it is given up: see
// [Ending.Late]. If ctx has ended before, the call is [NotStarted]. A context
// error that the tool made by itself is an error like any other.
//
// [Call.Report] is called on the goroutine that called Do, one progress at a
// time, from whatever goroutine the tool reports; after the call was canceled
// or has ended, what it reports is thrown away.
func (t Tool) Do(ctx context.Context, call Call) Ending {
	words := t.words()
	switch {
	case t.err != nil || t.Run == nil:
		return Ending{Result: Result{Text: errors.Join(t.err, ErrNoRun).Error(), Outcome: Failed}}
	case ctx.Err() != nil:
		return Ending{Result: Result{Text: words.Stopped, Outcome: NotStarted}}
	}
	limit := t.limitOf(call.Arguments)
	within, cancel := withLimit(ctx, limit)
	defer cancel()
	f := newFlight(within, t.Run, call, t.Access == ReadOnly)
	go f.run(within)
	if !f.lands(within, call.Report) && !f.returns(t.grace()) {
		return t.givenUp(ctx, f, limit)
	}
	good := f.err == nil && !f.result.Failed()
	switch {
	case good && (!f.stopped || ctx.Err() != nil):
		return Ending{Result: t.told(f.result)}
	case f.stopped:
		return Ending{Result: t.stopped(ctx, limit, t.back(f), f.result.Changed)}
	}
	return t.failed(f)
}

func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == Unlimited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// A flight is a call that is running. Its goroutine writes result, err and
// stopped before it closes done; nobody reads them before.
type flight struct {
	fn    func(context.Context, Call) (Result, error)
	call  Call
	twice bool        // a transient error is tried once more
	told  chan string // what the tool reports; nil if nobody listens

	done    chan struct{}
	result  Result
	err     error
	stopped bool // it had been canceled by the time it came back
}

func newFlight(within context.Context, fn func(context.Context, Call) (Result, error), call Call, twice bool) *flight {
	f := &flight{fn: fn, call: call, twice: twice, done: make(chan struct{})}
	if call.Report != nil {
		f.told = make(chan string)
		f.call.Report = func(progress string) {
			select {
			case f.told <- progress:
			case <-within.Done():
			}
		}
	}
	return f
}

// lands waits for the end of the call, and says whether it came before that of
// within.
func (f *flight) lands(within context.Context, report func(string)) bool {
	for {
		select {
		case <-f.done:
			return true
		case progress := <-f.told:
			report(progress)
		case <-within.Done():
			return false
		}
	}
}

// run runs the call to its end. A panic, and a goroutine that the tool ends by
// itself (as runtime.Goexit does), end the call like an error.
func (f *flight) run(ctx context.Context) {
	defer close(f.done)
	returned := false
	defer func() {
		if !returned {
			f.result, f.err = Result{}, &panicked{recover()}
		}
		f.stopped = ctx.Err() != nil
	}()
	deepen(len(f.call.Arguments))
	f.result, f.err = f.fn(ctx, f.call)
	if f.err != nil && f.twice && ctx.Err() == nil && IsTransient(f.err) {
		f.result, f.err = f.fn(ctx, f.call)
	}
	returned = true
}

// deepen makes the goroutine's stack grow once, while there is next to nothing
// on it. Left to itself it doubles step by step below the decoding of arguments
// and is copied each time, which costs as much as the decoding.
//
//go:noinline
func deepen(n int) byte {
	var room [6 << 10]byte
	room[n%len(room)] = 1
	return room[0]
}

// returns waits for the end of the call, no longer than grace.
func (f *flight) returns(grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-f.done:
		return true
	case <-timer.C:
		return false
	}
}

type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprint(p.value) }

// transient marks an error that may pass.
type transient struct{ error }

func (t transient) Unwrap() error { return t.error }

// Transient marks err as one that may be gone at the next try, such as a lost
// connection. A call of a [ReadOnly] tool that returns it is run once more at
// once, within the same limit; other calls never are. Transient(nil) is nil.
func Transient(err error) error {
	if err == nil {
		return nil
	}
	return transient{err}
}

// IsTransient tells whether err is, or wraps, one that [Transient] marked.
func IsTransient(err error) bool {
	_, ok := errors.AsType[transient](err)
	return ok
}

func (t *Tool) grace() time.Duration {
	if t.Grace == 0 {
		return DefaultGrace
	}
	return t.Grace
}

// limitOf returns the limit of a call: the one that it asks for, if it may and
// does, cut to the cap, and else the tool's.
func (t *Tool) limitOf(arguments json.RawMessage) time.Duration {
	limit := t.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if t.LimitParam == "" {
		return limit
	}
	most := t.LimitCap
	if most == 0 {
		most = max(DefaultLimitCap, limit)
	}
	var object map[string]json.RawMessage
	var seconds float64
	if json.Unmarshal(arguments, &object) != nil || json.Unmarshal(object[t.LimitParam], &seconds) != nil || seconds <= 0 {
		return min(limit, most)
	}
	if seconds >= most.Seconds() {
		return most
	}
	return time.Duration(seconds * float64(time.Second))
}
