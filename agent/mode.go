package agent

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// loopMode is a Loop at work, as [Run] sees it.
type loopMode struct {
	loop  *Loop
	state State
	told  int // messages of the user for which the prompt source was asked, or -1

	list   *tool.List       // that the last request advertised
	memory *compress.Memory // nil until there is a compressor

	mu         sync.Mutex // guards the two below
	own, whole *tool.List // the registry's last list, and that with the compressor's tools
	extracted  int        // messages of the user when the memory was last offered what was done

	scope  Scope
	asking asking
	ask    func(context.Context, Port) (Fact, error) // of asking
	alone  *calling                                  // of calls that are alone; nil until there was one

	// Room for the work of one turn.
	jobs   []Job
	alarms []Alarm
}

func (m *loopMode) Kinds(kind string) Decoder { return loopKinds(kind) }
func (m *loopMode) Fold(e Entry)              { m.state.fold(e) }
func (m *loopMode) Images() bool              { return true }

// Result adds to what the state says the question of a guard, which depends on
// the loop's budget.
func (m *loopMode) Result() Result {
	r := m.state.result()
	if r.Reason == Going {
		if step, ok := m.loop.next(&m.state).(Wait); ok && len(step.Questions) > 0 {
			r.Reason, r.Questions = Waits, step.Questions
		}
	}
	return r
}

func (m *loopMode) Work(scope Scope) Work {
	if m.scope.inner == nil { // once: calls under way read it
		m.scope = scope
	}
	w := Work{Alarms: m.alarms[:0]}
	m.runAlarm(&w)
	switch step := m.loop.next(&m.state).(type) {
	case CallModel:
		w.Boundary, w.Alone = !step.WrapUp, true
		if m.loop.asksPrompt() && m.told != m.state.prompts && !step.WrapUp {
			w.Jobs = append(m.jobs[:0], m.instruct())
			break
		}
		w.Jobs = append(m.jobs[:0], m.model(step))
	case CallTools:
		m.tools(step, &w)
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
	until := *bound
	if m.state.base != nil {
		until += m.state.base.Time
	}
	if until < *bound { // more than can be counted
		return
	}
	w.Alarms = append(w.Alarms, Alarm{Key: "run", After: until, Active: true, Fact: TimeUp{Run: true}, Cancel: true})
}

// tools makes a job of each call that may be under way. One in whose way an
// earlier call may still be has its result instead.
func (m *loopMode) tools(step CallTools, w *Work) {
	list := m.offer()
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
		w.Jobs = append(w.Jobs, m.call(c, step.Alone))
	}
	if timed { // one call alone has its own limit
		w.Alarms = append(w.Alarms, Alarm{Key: "turn", Round: m.state.spent.Turns, After: cmp.Or(m.loop.TurnLimit, tool.DefaultTurnLimit), Fact: TimeUp{}})
	}
}

func (m *loopMode) blocked(c Call) (running string, ok bool) {
	s := m.scope.inner.stragglers(m.scope.ID, false)
	if s == nil || c.Begun || m.loop.OverlapLate {
		return "", false
	}
	return s.Block(m.state.spent.Turns, c.Name, c.Use)
}

// grants refuses a bound of cost that could never be met.
func (m *loopMode) grants(more Granted) error {
	if model := llm.DialectOf(m.loop.Client).Model; more.Cost != nil && !m.loop.Budget.Prices.Known(model) {
		return &budget.UnpricedError{Model: model}
	}
	return nil
}

// check takes an answer's changed arguments through the gates again.
func (m *loopMode) check(f Answered) func() (Answered, error) {
	c, list := *m.state.call(f.ID), m.offer()
	return func() (Answered, error) {
		check := m.loop.check(list, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(f.Answer.Arguments)})
		if check.Stopped() {
			return f, fmt.Errorf("%w: %s: the model would be told: %s", ErrUnfit, f.ID, check.Text)
		}
		check.Ask = "" // the person who changed the arguments has approved them
		f.Check = &check
		return f, nil
	}
}

// check takes a call through the gates.
func (l *Loop) check(list *tool.List, c llm.ToolCall) Check {
	policy := l.Policy
	if l.Headless && policy != nil {
		policy = tool.Headless(policy)
	}
	check := Check{Check: list.Check(c, policy)}
	check.Sum = budget.SumCall(c.Name, list.Same(c, check.Check))
	return check
}

// Check takes the calls of a reply in state s through the gates: what a
// [Replied] must hold. It is for who drives a run by hand; a [Run] does it.
func (l *Loop) Check(s State, reply llm.Reply) []Check {
	if l.Repeat == nil {
		return l.checks(l.Tools.List(), reply, nil)
	}
	return l.checks(l.Tools.List(), reply, &s.trail)
}

// checks takes the calls of a reply through the gates, the repeat guard last.
func (l *Loop) checks(list *tool.List, reply llm.Reply, trail *budget.Trail) (checks []Check) {
	for _, p := range reply.Message.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		check := l.check(list, c)
		switch {
		case reply.Finish == llm.FinishLength: // it may not be whole, so not even its faults are known
			check.Check = tool.Check{Outcome: tool.NotStarted, Text: l.words().OutputCut}
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
