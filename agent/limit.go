package agent

import (
	"errors"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// limit says why no more requests may be made, in the order: time, stall, then
// tokens, cost, tool calls and turns.
func (l *Loop) limit(s *State) (Stopped, bool) {
	exceeded := l.exceeded(s)
	if s.timeUp && (exceeded == nil || exceeded.Limit != budget.Time) {
		exceeded = l.timedOut(s)
	}
	verdict, _ := l.Budget.Stall.Judge(&s.trail)
	stop := Stopped{Limit: exceeded}
	switch {
	case exceeded != nil && exceeded.Limit == budget.Time:
		stop.Reason = TimedOut
	case s.refusals >= maxRefusals, verdict == budget.Stalled && !l.Budget.Stall.Ask:
		stop.Reason, stop.Limit = Stalled, nil
	case s.limited != nil:
		stop.Reason, stop.Limit = OverBudget, s.limited
	case exceeded != nil:
		stop.Reason = OverBudget
	}
	return stop, stop.Reason != ""
}

// timedOut is the limit that a [TimeUp] is about, which the recipe may have
// lost since then.
//
//go:noinline
func (l *Loop) timedOut(s *State) *budget.ExceededError {
	e := &budget.ExceededError{Limit: budget.Time, Used: s.run().Time.Seconds()}
	if most := l.bounds(s).Time; most != nil {
		e.Max = most.Seconds()
	}
	return e
}

// exceeded says which limit is reached, if one is. It has a frame of its own,
// which is gone while a run waits.
//
//go:noinline
func (l *Loop) exceeded(s *State) *budget.ExceededError {
	used := s.run()
	if s.wrapped != nil { // it may go over, and is no reason
		used.WrapUp, used.Cost = llm.Usage{}, used.Cost-s.wrapped.Cost
	}
	e, _ := errors.AsType[*budget.ExceededError](l.bounds(s).Check(used))
	if e != nil && e.Limit == budget.Calls && used.Calls == 0 && !s.worked {
		return nil // no call is allowed, and none was asked for: it may answer without
	}
	return e
}

// wind ends a run that met a limit: with one last request, if any work was done.
func (l *Loop) wind(s *State, stop Stopped) Step {
	if s.wrapped == nil && !l.NoWrapUp && s.turns() > 0 {
		r := l.request(s, nil)
		r.Messages = append(r.Messages, note(llm.FromReminder, l.words().WrapUp))
		r.Choice, r.Format = "", nil
		return CallModel{Request: r, WrapUp: true}
	}
	if l.Verifier != nil && l.VerifyAlways && s.verdict == nil {
		return Verify{}
	}
	return l.stop(s, stop)
}

// bounds are the limits in force.
func (l *Loop) bounds(s *State) budget.Budget {
	if s.granted == nil {
		return l.Budget
	}
	return l.Budget.Over(*s.granted)
}

// turns is how many of them this run of the log has had.
func (s *State) turns() int {
	if s.base == nil {
		return s.spent.Turns
	}
	return s.spent.Turns - s.base.Turns
}

// run is what this run of the log has used, which the limits count.
func (s *State) run() budget.Spent {
	if s.base == nil {
		return s.spent
	}
	return s.spent.Since(*s.base)
}
