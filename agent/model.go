package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// An asking is a model request under way. A run makes one at a time, so there
// is one, made anew for each request.
type asking struct {
	*loopMode
	step  CallModel
	trail *budget.Trail // for the repeat guard

	// Of the state when the request was decided on.
	turn, reported, covers int
	window                 int
	compacted              bool
	overflow               *llm.Error

	listener
}

// model makes the job of a model request.
func (m *loopMode) model(step CallModel) Job {
	s, a := &m.state, &m.asking
	if a.loopMode == nil {
		a.loopMode, m.ask, a.hear = m, a.do, a.take
	}
	a.step, a.turn, a.reported, a.covers, a.window = step, s.turns(), s.context, s.covers, s.window
	a.compacted, a.overflow, a.trail = s.compacted, s.overflow, nil
	if m.loop.Repeat != nil {
		t := s.trail.Clone()
		a.trail = &t
	}
	return Job{Key: "model", Do: m.ask}
}

// do makes the request, or says that the history must be compacted first.
func (a *asking) do(ctx context.Context, p Port) (Fact, error) {
	if a.step.WrapUp {
		return a.wrapUp(ctx, p)
	}
	l, list, req := a.loop, a.offer(), a.request()
	req.Tools, a.list = list.Specs(), list
	if f, err := a.compact(ctx, req, p.Tell); f != nil || err != nil {
		return f, err
	}
	settle, err := a.scope.Pool.Reserve(budget.Spent{Turns: 1})
	if exceeded, ok := errors.AsType[*budget.ExceededError](err); ok {
		return Limited{*exceeded}, nil
	}
	s, cost := &a.listener, 0.0
	defer func() { // also if the loop body panics at a delta
		used := budget.Spent{Main: s.reply.Usage, Retry: s.wasted, Cost: cost}
		if s.done {
			used.Turns = 1
		}
		settle(used)
	}()
	a.listen(ctx, req, p.Tell)
	cost = l.cost(s.reply.Model, s.reply.Usage.Plus(s.wasted))
	if s.err != nil {
		return a.failed(ctx, s, cost)
	}
	return Replied{
		Reply: s.reply, Checks: l.checks(list, s.reply, a.trail),
		Told: a.step.Told, Later: a.step.Later, Wasted: s.wasted, Cost: cost,
	}, nil
}

func (a *asking) request() llm.Request {
	req := a.step.Request
	if req.CacheKey == "" {
		req.CacheKey = a.scope.ID
	}
	return req
}

// failed says what comes of a request that came to nothing. One that was too
// long is made again after a compaction; any other ends the ride.
func (a *asking) failed(ctx context.Context, s *listener, cost float64) (Fact, error) {
	e := llm.AsError(s.err)
	switch {
	case ctx.Err() != nil && s.wasted == (llm.Usage{}):
		return nil, s.err // let go of, not failed
	case e.Kind == llm.ErrContextLength && a.loop.Compressor != nil:
		return Overflowed{e, cost}, nil
	}
	return RequestFailed{e, s.wasted, cost}, fmt.Errorf("agent: calling the model: %w", s.err)
}

// A listener reads a stream: it shows what comes, and keeps the reply and what
// failed attempts have used.
type listener struct {
	tell   func(Event) bool
	hear   func(llm.Chunk, error) bool // take
	reply  llm.Reply
	wasted llm.Usage
	done   bool
	err    error
}

// listen makes a request and listens to its end.
func (a *asking) listen(ctx context.Context, req llm.Request, tell func(Event) bool) *listener {
	s := &a.listener
	*s = listener{tell: tell, hear: s.hear}
	if stream := a.loop.Client.Stream(ctx, req); stream != nil {
		stream(s.hear)
	}
	if !s.done && s.err == nil {
		s.err = &llm.Error{Kind: llm.ErrNoReply, Message: "the client's stream ended without a reply and without an error"}
	}
	return s
}

func (s *listener) take(chunk llm.Chunk, err error) bool {
	switch {
	case err != nil:
		if e, ok := errors.AsType[*llm.Error](err); ok {
			s.wasted = e.Usage // of all attempts
		}
		s.err = err
		return false
	case chunk == nil:
		s.err = &llm.Error{Kind: llm.ErrNoReply, Message: "the client yielded neither a chunk nor an error"}
		return false
	}
	switch chunk := chunk.(type) {
	case llm.Reply:
		s.end(chunk)
		return false
	case llm.Restart:
		s.wasted = s.wasted.Plus(used(chunk.Cause))
	case llm.RetryNotice:
		s.wasted = s.wasted.Plus(used(chunk.Cause))
	}
	if !s.tell(chunk) {
		s.err = errLeft
	}
	return s.err == nil
}

// end takes the reply. One that ended in an error is an error, and the message
// of one that did not is a model's.
func (s *listener) end(r llm.Reply) {
	if r.Finish == llm.FinishError || r.Finish == llm.FinishAborted {
		s.wasted = s.wasted.Plus(r.Usage)
		s.err = &llm.Error{
			Kind: llm.ErrIncomplete, Message: "the reply ended with " + string(r.Finish) + " " + r.Label,
			Partial: r.Message.Text(), Usage: r.Usage,
		}
		return
	}
	r.Message.Role, r.Message.Origin = llm.Assistant, llm.FromModel
	s.reply, s.done = r, true
}

func used(e *llm.Error) llm.Usage {
	if e == nil {
		return llm.Usage{}
	}
	return e.Usage
}

// wrapUp makes the last request. Whatever comes of it, the run ends.
func (a *asking) wrapUp(ctx context.Context, p Port) (Fact, error) {
	l, outer, req := a.loop, ctx, a.request()
	ctx, cancel := context.WithTimeout(ctx, wrapUpLimit)
	defer cancel()
	var summary Compacted // for this request only
	if f, err := a.compact(ctx, req, p.Tell); err == nil {
		if c, ok := f.(Compacted); ok {
			summary = c
		}
		if summary.Changed {
			req.Messages = slices.Concat(req.Messages[:summary.Keep], summary.Messages)
		}
	}
	s := a.listen(ctx, req, func(Event) bool { return ctx.Err() == nil })
	f := WrappedUp{Text: s.reply.Message.Text(), Usage: s.reply.Usage.Plus(s.wasted)}
	f.Cost = l.cost(s.reply.Model, f.Usage)
	a.scope.Pool.Add(budget.Spent{WrapUp: f.Usage, Cost: f.Cost})
	f.Usage, f.Cost = f.Usage.Plus(summary.Usage), f.Cost+summary.Cost
	switch {
	case outer.Err() != nil && s.err != nil:
		return nil, s.err
	case s.err != nil:
		f.Error = s.err.Error()
	case blank(f.Text):
		f.Error = "the model said nothing"
	}
	return f, nil
}

func (l *Loop) cost(model string, u llm.Usage) float64 {
	return l.Budget.Prices.Cost(u, model, llm.DialectOf(l.Client).Model)
}
