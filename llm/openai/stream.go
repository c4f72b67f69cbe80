package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"

	"github.com/triad-go/triad/llm"
)

// maxRejections is how many optional parameters one request may lose.
const maxRejections = 4

// Stream implements [llm.Client].
//
// The reply is yielded when the stream was whole and its connection is let go
// of. All errors are an [*llm.Error]: what a server refuses is classed by its
// status, code and words; a stream that ended early is [llm.ErrIncomplete], one
// that fell silent [llm.ErrTimeout], and what is not the protocol, or an event
// of more than 32 MiB, [llm.ErrMalformed]. Usage and text so far are in it, and
// the client's key never is.
//
// A request that the server refuses because of an optional parameter is made
// again without it, as long as nothing was shown, and the client leaves the
// parameter out from then on. Nothing else is tried twice: see [llm.Retry].
func (c *Client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := c.check(ctx); err != nil {
			yield(nil, err)
			return
		}
		for try := 0; ; try++ {
			x := exchange{Client: c, yield: yield, draft: c.draft(req)}
			x.dialect, x.req = c.off.apply(c.Dialect(), req)
			err := x.run(ctx)
			if err == nil || x.left {
				return
			}
			if x.shown || try == maxRejections || !c.off.reject(err, x.dialect, x.req) {
				yield(nil, err)
				return
			}
		}
	}
}

// check finds what is wrong before anything is asked.
func (c *Client) check(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return c.broken(ctx, context.Cause(ctx), ctx.Err())
	case c.Model == "":
		return c.fault(llm.ErrBadRequest, "no model: name one, or set OPENAI_MODEL")
	case c.ConnectTimeout < 0 || c.Silence < 0:
		return c.fault(llm.ErrBadRequest, fmt.Sprintf("ConnectTimeout (%v) and Silence (%v) may not be negative", c.ConnectTimeout, c.Silence))
	}
	return nil
}

func (c *Client) draft(req llm.Request) *draft {
	dialect := c.Dialect()
	d := &draft{maker: maker(dialect), newID: c.NewID}
	if d.newID == nil {
		d.newID = func() string { return "call_" + rand.Text() }
	}
	if dialect.Wire.TextCalls && len(req.Tools) > 0 {
		d.hold = &holdback{}
	}
	return d
}

// An exchange is one request and the reading of its answer.
type exchange struct {
	*Client
	dialect llm.Dialect // without what the server would not take
	req     llm.Request // likewise
	yield   func(llm.Chunk, error) bool
	draft   *draft
	shown   bool // a delta was
	left    bool // the reader did
}

// run returns nil when the reply was yielded or the reader left.
func (x *exchange) run(ctx context.Context) *llm.Error {
	body, err := x.encoder.body(x.Model, x.dialect, x.req, x.Extra)
	if err != nil {
		return x.clean(x.asError(err))
	}
	failed := x.ask(ctx, body)
	if failed == nil && !x.left {
		failed = x.finish(ctx)
	}
	if failed != nil {
		failed.Partial = x.scrub()(x.draft.shown())
		failed.Usage = x.draft.reported.usage()
	}
	return failed
}

// ask makes the request and reads the answer into the draft. When it returns,
// also by a panic of the reader's, it has let go of the connection.
func (x *exchange) ask(ctx context.Context, body []byte) *llm.Error {
	a, failed := x.send(ctx, body)
	if failed != nil {
		return failed
	}
	defer a.close()
	return x.read(ctx, a)
}

func (x *exchange) asError(err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		own := *e
		return &own
	}
	return &llm.Error{Kind: llm.ErrBadRequest, Client: x.name(), Message: "making the request", Err: err}
}

// show yields the draft's deltas. It notes when the reader leaves, and fails
// when the context ends.
func (x *exchange) show(ctx context.Context) *llm.Error {
	for _, delta := range x.draft.deltas {
		x.shown = true
		if !x.yield(delta, nil) {
			x.left = true
			return nil
		}
		if ctx.Err() != nil {
			return x.broken(ctx, context.Cause(ctx), ctx.Err())
		}
	}
	return nil
}

// finish yields the reply, after what was kept back of it. A reply that hides
// an overflow, or that the provider itself calls a failure, is an error.
func (x *exchange) finish(ctx context.Context) *llm.Error {
	if !x.draft.begun {
		return x.incomplete("the stream held no choice")
	}
	reply, err := x.draft.reply(x.req)
	if err != nil {
		return x.malformed(err.Error())
	}
	if failed := x.unfit(reply); failed != nil {
		return failed
	}
	failed := x.show(ctx)
	if failed == nil && !x.left {
		x.yield(reply, nil)
	}
	return failed
}

// unfit returns the error that a reply amounts to; nil for most. Some providers
// cut a prompt that is too long, or let nothing come of it, and call it a reply.
func (x *exchange) unfit(reply llm.Reply) *llm.Error {
	const full = 0.99
	window, used := x.dialect.Window, x.draft.reported.usage()
	nothing := used.Output == 0 || len(reply.Message.Parts) == 0
	var failed *llm.Error
	switch {
	case overflowed(reply.Label):
		failed = x.fault(llm.ErrContextLength, "the reply ran against the context window")
	case window > 0 && used.Input > window:
		failed = x.fault(llm.ErrContextLength, "more input was reported than the context window holds")
	case window > 0 && reply.Finish == llm.FinishLength && nothing && float64(used.Input) >= full*float64(window):
		failed = x.fault(llm.ErrContextLength, "the context window is full: no output")
	case reply.Finish == llm.FinishError || reply.Finish == llm.FinishAborted:
		failed = x.fault(llm.ErrUnavailable, "the provider broke off its reply")
		failed.Status = 200
	default:
		return nil
	}
	if !ordinary(reply.Finish) {
		failed.Code = reply.Label
	}
	if failed.Kind == llm.ErrContextLength {
		failed.Window, failed.Input = window, used.Input
	}
	return x.clean(failed)
}

func (x *exchange) complain(a *answer, said complaint) *llm.Error {
	if said.status == 0 {
		said.status = a.status
	}
	return x.told(said, a.header)
}

func (x *exchange) malformed(what string) *llm.Error {
	return x.clean(x.fault(llm.ErrMalformed, what))
}

func (x *exchange) incomplete(what string) *llm.Error {
	return x.clean(x.fault(llm.ErrIncomplete, what))
}
