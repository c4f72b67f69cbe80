package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// loopMode is a Loop at work, as [Run] sees it.
type loopMode struct {
	loop  *Loop
	state State
	told  int // messages of the user for which the prompt source was asked, or -1

	stragglers tool.Stragglers
	list       *tool.List // that the last request advertised
	extracted  int        // messages of the user when the memory was last offered what was done

	// Room for the work of one turn.
	jobs   []Job
	alarms []Alarm
}

func (m *loopMode) Kinds(kind string) Decoder { return loopKinds(kind) }
func (m *loopMode) Fold(e Entry)              { m.state.fold(e) }

// Result adds to what the state says the question of a guard, which depends on
// the loop's budget.
func (m *loopMode) Result() Result {
	r := m.state.Result()
	if r.Reason == Going {
		if step, ok := m.loop.next(&m.state).(Wait); ok && len(step.Questions) > 0 {
			r.Reason, r.Questions = Waits, step.Questions
		}
	}
	return r
}

func (m *loopMode) Work(scope Scope) Work {
	w := Work{Alarms: m.alarms[:0]}
	m.runAlarm(&w)
	next := m.loop.next(&m.state)
	switch step := next.(type) {
	case CallModel:
		w.Boundary, w.Alone = !step.WrapUp, true
		if m.loop.asksPrompt() && m.told != m.state.prompts && !step.WrapUp {
			w.Jobs = append(m.jobs[:0], m.instruct())
			break
		}
		w.Jobs = append(m.jobs[:0], m.model(next, scope))
	case CallTools:
		m.tools(step, scope, &w)
	case Verify:
		w.Alone, w.Jobs = true, append(m.jobs[:0], m.verify())
	case Note:
		w.Note = step.Facts
	case Stop:
		if m.keeps(step) {
			w.Alone, w.Jobs = true, append(m.jobs[:0], m.extract())
			break
		}
		w.Stop = &step.Stopped
	}
	m.jobs, m.alarms = w.Jobs, w.Alarms
	return w
}

// runAlarm sets the limit of the run's active time. A new bound is a new alarm.
func (m *loopMode) runAlarm(w *Work) {
	bound := m.loop.bounds(&m.state).Time
	if bound == nil || m.state.timeUp || m.state.stopped != nil {
		return
	}
	until := m.state.base.Time + *bound
	w.Alarms = append(w.Alarms, Alarm{Key: "run", After: until, Active: true, Fact: TimeUp{Run: true}, Cancel: true})
}

// tools makes a job of each call that may be under way. One in whose way an
// earlier call may still be has its result instead.
func (m *loopMode) tools(step CallTools, scope Scope, w *Work) {
	list := m.loop.Tools.List()
	w.AtOnce, w.Alone, w.Jobs = m.loop.Parallel, step.Alone, m.jobs[:0]
	if m.loop.Unordered {
		w.AtOnce = len(step.Calls)
	}
	timed := len(m.state.calls) > 1 && !m.state.late && m.loop.TurnLimit != tool.Unlimited
	for _, c := range step.Calls {
		if timed && list.Limit(c.Name) == tool.Unlimited {
			timed = false // a run within has its own budget
		}
		if running, ok := m.blocked(c); ok {
			w.Note = append(w.Note, CallEnded{Call: c.Place, Name: c.Name, Result: list.Blocked(c.Name, running)})
			continue
		}
		w.Jobs = append(w.Jobs, m.call(c, scope))
	}
	if timed { // one call alone has its own limit
		w.Alarms = append(w.Alarms, Alarm{Key: "turn", Round: m.state.turn, After: cmp.Or(m.loop.TurnLimit, tool.DefaultTurnLimit), Fact: TimeUp{}})
	}
}

func (m *loopMode) blocked(c Call) (running string, ok bool) {
	if c.Begun || m.loop.OverlapLate {
		return "", false
	}
	return m.stragglers.Block(m.state.turn, c.Name, c.Use)
}

// check takes an answer's changed arguments through the gates again.
func (m *loopMode) check(f Answered) (Answered, error) {
	if len(f.Answer.Arguments) == 0 {
		return f, nil
	}
	c := m.state.call(f.ID)
	check := m.loop.check(m.loop.Tools.List(), llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(f.Answer.Arguments)})
	if check.Stopped() {
		return f, fmt.Errorf("%w: %s: %s", ErrUnfit, f.ID, check.Text)
	}
	check.Ask = "" // the person who changed the arguments has approved them
	f.Check = &check
	return f, nil
}

// check takes a call through the gates.
func (l *Loop) check(list *tool.List, c llm.ToolCall) Check {
	policy := l.Policy
	if l.Headless && policy != nil {
		policy = tool.Headless(policy)
	}
	check := Check{Check: list.Check(c, policy)}
	check.Sum = budget.Sum(c.Name, list.Same(c, check.Check))
	return check
}

// Check takes the calls of a reply in state s through the gates: what a
// [Replied] must hold. It is for who drives a run by hand; a [Run] does it.
func (l *Loop) Check(s State, reply llm.Message) []Check {
	if l.Repeat == nil {
		return l.checks(l.Tools.List(), reply, nil)
	}
	return l.checks(l.Tools.List(), reply, &s.trail)
}

// checks takes the calls of a reply through the gates, the repeat guard last.
func (l *Loop) checks(list *tool.List, m llm.Message, trail *budget.Trail) (checks []Check) {
	for _, p := range m.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		check := l.check(list, c)
		switch {
		case len(checks) >= tool.MaxCalls:
			check.Check = tool.Check{Outcome: tool.NotStarted, Text: list.TooMany().Text}
		case trail != nil && !check.Stopped():
			seen := trail.Seen(check.Sum)
			for _, other := range checks {
				if other.Sum == check.Sum {
					seen++
				}
			}
			if l.Repeat(c, seen) {
				check.Check = tool.Check{Outcome: tool.Repeated, Text: l.words().Repeated, Use: check.Use}
			}
		}
		checks = append(checks, check)
	}
	return checks
}

// model makes the job of a model request.
func (m *loopMode) model(step Step, scope Scope) Job {
	var trail *budget.Trail
	if m.loop.Repeat != nil {
		t := m.state.trail.Clone()
		trail = &t
	}
	l := m.loop
	return Job{Key: "model", Do: func(ctx context.Context, p Port) (Fact, error) {
		step := step.(CallModel) // here, so that it is made once
		req := step.Request
		if req.CacheKey == "" {
			req.CacheKey = scope.ID
		}
		if step.WrapUp {
			return l.wrapUp(ctx, req, scope)
		}
		list := l.Tools.List()
		req.Tools, m.list = list.Specs(), list
		settle, err := scope.Pool.Reserve(budget.Spent{Turns: 1})
		if exceeded, ok := errors.AsType[*budget.ExceededError](err); ok {
			return Limited{*exceeded}, nil
		}
		s := l.stream(ctx, req, p.Tell)
		cost := l.cost(s.reply.Model, s.reply.Usage.Plus(s.wasted))
		settle(budget.Spent{Turns: 1, Main: s.reply.Usage, Retry: s.wasted, Cost: cost})
		if s.err != nil {
			if ctx.Err() != nil && s.wasted == (llm.Usage{}) {
				return nil, s.err // let go of, not failed
			}
			return RequestFailed{llm.AsError(s.err), s.wasted, cost}, fmt.Errorf("agent: calling the model: %w", s.err)
		}
		return Replied{
			Reply: s.reply, Checks: l.checks(list, s.reply.Message, trail),
			Told: step.Told, Later: step.Later, Wasted: s.wasted, Cost: cost,
		}, nil
	}}
}

// A listener reads a stream: it shows what comes, and keeps the reply and what
// failed attempts have used.
type listener struct {
	tell   func(Event) bool
	reply  llm.Reply
	wasted llm.Usage
	done   bool
	err    error
}

// stream makes a request.
func (l *Loop) stream(ctx context.Context, req llm.Request, tell func(Event) bool) *listener {
	s := &listener{tell: tell}
	l.Client.Stream(ctx, req)(s.take)
	if !s.done && s.err == nil {
		s.err = &llm.Error{Kind: llm.ErrNoReply, Message: "the client's stream ended without a reply and without an error"}
	}
	return s
}

func (s *listener) take(chunk llm.Chunk, err error) bool {
	switch {
	case err != nil:
		if e, ok := errors.AsType[*llm.Error](err); ok {
			s.wasted = s.wasted.Plus(e.Usage)
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
func (l *Loop) wrapUp(ctx context.Context, req llm.Request, scope Scope) (Fact, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, wrapUpLimit)
	defer cancel()
	s := l.stream(ctx, req, func(Event) bool { return ctx.Err() == nil })
	f := WrappedUp{Text: s.reply.Message.Text(), Usage: s.reply.Usage.Plus(s.wasted)}
	f.Cost = l.cost(s.reply.Model, f.Usage)
	scope.Pool.Add(budget.Spent{WrapUp: f.Usage, Cost: f.Cost})
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
	price, ok := l.Budget.Prices.Of(model)
	if !ok {
		price, _ = l.Budget.Prices.Of(llm.DialectOf(l.Client).Model)
	}
	return price.Cost(u)
}
