package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
)

// linger is how long the end of a body is waited for after the done marker, so
// that the connection can be used again.
const linger = 20 * time.Millisecond

// maxRejections is how many optional parameters one request may lose.
const maxRejections = 4

// Stream implements [llm.Client].
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
		return c.broken(ctx, ctx, ctx.Err())
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

// run returns nil when the reply was yielded or the reader left. By then it has
// let go of the connection, also where it yields the reply.
func (x *exchange) run(ctx context.Context) *llm.Error {
	body, err := x.encoder.body(x.Model, x.dialect, x.req, x.Extra)
	if err != nil {
		return x.clean(x.asError(err))
	}
	a, failed := x.send(ctx, body)
	if failed != nil {
		return failed
	}
	failed = x.read(ctx, a)
	a.close()
	if x.left {
		return nil
	}
	if failed == nil {
		var reply llm.Reply
		if reply, failed = x.reply(ctx); failed == nil {
			x.yield(reply, nil)
			return nil
		}
	}
	failed.Partial = x.scrub()(x.draft.shown())
	failed.Usage = x.draft.reported.usage()
	return failed
}

func (x *exchange) asError(err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		own := *e
		return &own
	}
	return &llm.Error{Kind: llm.ErrBadRequest, Client: x.name(), Message: "making the request", Err: err}
}

// read reads the answer into the draft until it is whole, and shows what comes.
func (x *exchange) read(ctx context.Context, a *answer) *llm.Error {
	events := newEvents(a.body)
	switch events.first() {
	case '{', '[':
		return x.readWhole(ctx, a, events)
	case '<':
		page, _ := events.all()
		return x.malformed("the answer is a page, not a stream: " + pageWords(page))
	}
	for {
		event, err := events.next()
		if err != nil {
			return x.ended(ctx, a, events, err)
		}
		done, failed := x.take(ctx, a, events, event)
		if failed != nil || x.left {
			return failed
		}
		if done {
			a.drain()
			return nil
		}
	}
}

// take takes in one event, and tells whether it is the done marker. Several
// data lines are one JSON text, or, from careless servers, one a line.
func (x *exchange) take(ctx context.Context, a *answer, events *events, e event) (done bool, failed *llm.Error) {
	if v, ok := parse(e.data); ok && !isDone(e.data) {
		return false, x.chunk(ctx, a, e.name, v)
	}
	for line := range strings.SplitSeq(string(e.data), "\n") {
		if isDone([]byte(line)) {
			return true, nil
		}
		v, ok := parse([]byte(line))
		switch {
		case ok:
			if failed = x.chunk(ctx, a, e.name, v); failed != nil || x.left {
				return false, failed
			}
		case strings.TrimSpace(line) == "":
		case e.name == "error":
			return false, x.complain(a, complaint{message: line})
		case events.ended: // the stream was cut within this line
			return false, x.ended(ctx, a, events, io.EOF)
		default:
			return false, x.malformed(fmt.Sprintf("a chunk is not JSON: %.200q", line))
		}
	}
	return false, nil
}

func isDone(data []byte) bool { return string(trim(data)) == "[DONE]" }

// chunk takes in one chunk and shows what it brought, then fails if it holds an
// error.
func (x *exchange) chunk(ctx context.Context, a *answer, name string, v value) *llm.Error {
	if err := x.draft.add(v); err != nil {
		return x.malformed(err.Error())
	}
	if failed := x.show(ctx); failed != nil || x.left {
		return failed
	}
	said, ok := complaintOf(v)
	if !ok && name == "error" {
		said, ok = complaint{message: string(v)}, true
	}
	if ok {
		return x.complain(a, said)
	}
	return nil
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
			return x.broken(ctx, ctx, ctx.Err())
		}
	}
	return nil
}

// readWhole reads an answer that is one JSON text, though a stream was asked for.
func (x *exchange) readWhole(ctx context.Context, a *answer, events *events) *llm.Error {
	data, err := events.all()
	if err != nil {
		return x.broken(ctx, a.within, err)
	}
	v, ok := parse(data)
	if !ok {
		return x.incomplete(fmt.Sprintf("the answer is not JSON, or was cut: %.200q", data))
	}
	if failed := x.chunk(ctx, a, "", v); failed != nil || x.left {
		return failed
	}
	if !x.draft.begun {
		return x.malformed(fmt.Sprintf("the answer holds no choice: %.200q", data))
	}
	return nil
}

// ended says what the end of the data means: nothing, if a finish label came.
// Without one the reply is not whole, however the end came about.
func (x *exchange) ended(ctx context.Context, a *answer, events *events, err error) *llm.Error {
	switch {
	case ctx.Err() == nil && x.draft.label != "":
		return nil
	case !errors.Is(err, io.EOF) || ctx.Err() != nil:
		return x.broken(ctx, a.within, err)
	case x.draft.begun:
		return x.incomplete("the stream ended without a finish label and without the done marker")
	case events.stray != "":
		return x.incomplete("the stream held no data but this: " + events.stray)
	}
	return x.incomplete("the stream held no data")
}

// reply makes the reply, and shows what was kept back. A reply that hides an
// overflow, or that the provider itself calls a failure, is an error.
func (x *exchange) reply(ctx context.Context) (llm.Reply, *llm.Error) {
	if !x.draft.begun {
		return llm.Reply{}, x.incomplete("the stream held no choice")
	}
	reply, err := x.draft.reply(x.req)
	if err != nil {
		return llm.Reply{}, x.malformed(err.Error())
	}
	if failed := x.unfit(reply); failed != nil {
		return llm.Reply{}, failed
	}
	failed := x.show(ctx)
	return reply, failed
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

// drain waits a moment for the end of the body.
func (a *answer) drain() {
	a.body.silence = min(a.body.silence, linger)
	io.Copy(io.Discard, io.LimitReader(a.body, 4<<10))
}
