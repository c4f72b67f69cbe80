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
	f := &flight{call: call, told: make(chan told)}
	if call.Report != nil {
		f.call.Report = func(progress string) {
			select {
			case f.told <- told{progress: progress}:
			case <-within.Done():
			}
		}
	}
	go f.run(within, t.Run, t.Access == ReadOnly)
	reporting := true
	defer func() {
		if reporting { // the one who listens has panicked
			cancel()
			if !f.returns(t.grace()) {
				f.late()
			}
		}
	}()
	back := f.lands(within, call.Report) || f.returns(t.grace())
	reporting = false
	if !back {
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

// A flight is a call that is running. Its goroutine writes all but call and
// told before it tells that it is back; nobody reads them before. Somebody
// always listens until then.
type flight struct {
	call    Call
	told    chan told
	result  Result
	err     error
	said    string // the text of err
	signal  Signal // in err's chain
	stopped bool   // it had been canceled by the time it came back
}

// What is told is a progress, or that the call is back, which is the last.
type told struct {
	progress string
	back     bool
}

// lands waits for the end of the call, and says whether it came before that of
// within.
func (f *flight) lands(within context.Context, report func(string)) bool {
	for {
		select {
		case t := <-f.told:
			if t.back {
				return true
			}
			report(t.progress)
		case <-within.Done():
			return false
		}
	}
}

// run runs the call to its end. If it may be run twice, a transient error is
// tried once more. A panic, and a goroutine that the tool ends by itself (as
// runtime.Goexit does), end the call like an error.
func (f *flight) run(ctx context.Context, fn func(context.Context, Call) (Result, error), twice bool) {
	returned := false
	defer func() {
		if !returned {
			value := recover()
			f.result, f.signal, f.err, f.said = Result{}, nil, &panicked{value}, wordsOf(value)
		}
		f.stopped = ctx.Err() != nil
		f.told <- told{back: true}
	}()
	f.result, f.err = fn(ctx, f.call)
	if f.err != nil && twice && ctx.Err() == nil && IsTransient(f.err) {
		f.result, f.err = fn(ctx, f.call)
	}
	f.hear()
	returned = true
}

// hear takes from the error what is told of it. The methods of an error are the
// tool's code like the rest, and may panic (those of a nil pointer often do) or
// hang: they are called here, and nowhere once the call is back.
func (f *flight) hear() {
	if f.err != nil {
		f.signal, _ = errors.AsType[Signal](f.err)
		f.said = f.err.Error()
	}
}

// wordsOf returns what the value of a panic says, which may panic in its turn.
func wordsOf(value any) (said string) {
	defer func() {
		if recover() != nil {
			said = fmt.Sprintf("a %T, whose text can't be had", value)
		}
	}()
	return fmt.Sprint(value)
}

// returns waits for the end of the call, no longer than grace.
func (f *flight) returns(grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for {
		select {
		case t := <-f.told:
			if t.back {
				return true
			}
		case <-timer.C:
			return false
		}
	}
}

// late listens until the call is back, and closes the channel then.
func (f *flight) late() <-chan struct{} {
	late := make(chan struct{})
	go func() { // it ends with the call, which ignores its cancel
		defer close(late)
		for t := range f.told {
			if t.back {
				return
			}
		}
	}()
	return late
}

// panicked is the error of a call that did not return. Its value is nil if the
// call ended its goroutine.
type panicked struct{ value any }

func (*panicked) Error() string { return "tool: the call panicked" }

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
