package llm

import (
	"context"
	"errors"
	"strings"
)

// An attempts reads streams, one after the other, for a wrapper that may ask
// again, and keeps the account of those that failed.
type attempts struct {
	yield func(Chunk, error) bool

	shown   bool   // the reader has seen a delta, also one that it was told to drop
	partial string // the last text that it saw
	spent   Usage  // of all failed attempts
}

// A failure is what became of an attempt that failed.
type failure struct {
	err   error  // as the client gave it
	cause *Error // the same with the partial text, and the usage that no chunk has told of yet
	shown bool   // a delta of this attempt stands before the reader's eyes
}

// try makes one request and yields what comes. It returns nil when nothing is
// left to do: the reply was yielded, or the reader left.
func (a *attempts) try(ctx context.Context, c Client, req Request) *failure {
	var text strings.Builder
	var told Usage // what the client's own notices have told of
	var failed failure
	reply, err := read(ctx, c, req, func(chunk Chunk) bool {
		switch chunk := chunk.(type) {
		case TextDelta:
			text.WriteString(string(chunk))
			failed.shown = failed.shown || chunk != ""
		case ReasoningDelta:
			failed.shown = failed.shown || chunk != ""
		case CallDelta:
			failed.shown = true
		case Restart:
			a.see(text.String())
			text.Reset()
			failed.shown = false
			told = told.Plus(usageOf(chunk.Cause))
		case RetryNotice:
			told = told.Plus(usageOf(chunk.Cause))
		}
		a.shown = a.shown || failed.shown
		return a.yield(chunk, nil)
	})
	if err == nil || err == ErrLeft {
		end(a.yield, reply, err)
		return nil
	}
	a.see(text.String())
	failed.err, failed.cause = err, asOwn(err)
	if failed.cause.Partial == "" {
		failed.cause.Partial = text.String()
	}
	a.see(failed.cause.Partial)
	a.spent = a.spent.Plus(failed.cause.Usage)
	failed.cause.Usage = failed.cause.Usage.minus(told)
	return &failed
}

func (a *attempts) see(text string) {
	if text != "" {
		a.partial = text
	}
}

// fail ends the stream: what all attempts cost and what was seen is in the
// error. One that says so already is passed on as it is.
func (a *attempts) fail(err error) {
	last := asOwn(err)
	if e, ok := errors.AsType[*Error](err); !ok || e == nil || e.Usage != a.spent || e.Partial != a.partial {
		last.Usage, last.Partial = a.spent, a.partial
		err = last
	}
	a.yield(nil, err)
}

// asOwn returns err as an Error that may be changed. What a host's wrapper put
// around the client's own stays in the chain.
func asOwn(err error) *Error {
	inner, ok := errors.AsType[*Error](err)
	if !ok || inner == nil {
		return AsError(err)
	}
	own := *inner
	if err != error(inner) {
		own.Err = err
	}
	return &own
}

func usageOf(cause *Error) Usage {
	if cause == nil {
		return Usage{}
	}
	return cause.Usage
}
