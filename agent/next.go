package agent

import (
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/tool"
)

// Next says what may be under way in a run in state s. It does nothing itself:
// the same loop and state always give the same step. Ask it again after every fact.
func (l *Loop) Next(s State) Step { return l.next(&s) }

func (l *Loop) next(s *State) Step {
	switch {
	case s.stopped != nil:
		return Stop{*s.stopped}
	case s.halt != nil:
		return l.close(s, *s.halt)
	case len(s.calls) > 0:
		return l.calls(s)
	case len(s.waiting) > 0:
		return l.ask(s)
	case s.claim:
		return l.judge(s)
	case s.final:
		return l.complete(s)
	case len(s.messages) == 0 && len(s.later) == 0:
		return Wait{} // for a first message
	}
	return l.ask(s)
}

// calls splits the open calls into those that have a result without running,
// those that may run, and those that ask. Questions come last, so that one
// pause has them all.
func (l *Loop) calls(s *State) Step {
	if f := l.unrun(s); len(f) > 0 {
		return Note{f}
	}
	var asked []Question
	open := 0
	for i := range s.calls {
		if c := &s.calls[i]; !c.ended {
			open++
			if q, ok := s.question(c); ok {
				asked = append(asked, q)
			}
		}
	}
	if run := s.runnable(l.Unordered); len(run) > 0 {
		return CallTools{Calls: run, Alone: open == 1}
	}
	return Wait{asked}
}

// unrun gives the results of the open calls that will not run, or not again.
func (l *Loop) unrun(s *State) (facts []Fact) {
	left, bounded := l.bounds(s).CallsLeft(s.run())
	over := l.bounds(s).Crossed(s.run())
	for i := range s.calls {
		c := &s.calls[i]
		if c.ended {
			continue
		}
		r, ok := l.settled(s, i)
		if !c.counted && !ok {
			left--
		}
		switch {
		case ok || c.begun:
		case over != nil:
			r, ok = notStarted(l.words().limit(over)), true
		case bounded && !c.counted && left < 0:
			bound := float64(*l.bounds(s).Calls)
			r, ok = notStarted(l.words().limit(&budget.ExceededError{Limit: budget.Calls, Used: bound, Max: bound})), true
		}
		if ok {
			facts = append(facts, CallEnded{Call: c.place, Name: c.Name, Result: r})
		}
	}
	return facts
}

// settled gives the result of call i if what has happened settles it.
func (l *Loop) settled(s *State, i int) (tool.Result, bool) {
	c := &s.calls[i]
	again, repeated := s.denied(c)
	switch {
	case s.timeUp && c.begun:
		return tool.Result{Text: l.words().TimedOut, Outcome: tool.TimedOut}, true
	case s.timeUp:
		return notStarted(l.words().RunTimeUp), true
	case c.paused != nil && c.paused.CutOff && c.answer != nil && c.answer.Text == Happened:
		return tool.Result{Text: l.words().Happened, Outcome: tool.Unknown}, true
	case l.Headless && s.asks(c): // it was asked while there was somebody
		return l.unasked(s, c), true
	case c.begun:
		return tool.Result{}, false
	case c.answer != nil && c.answer.Denied():
		return tool.Result{Text: l.words().denied(c.answer.Text), Outcome: tool.Denied}, true
	case repeated && c.answer == nil && (c.check.Ask != "" || c.paused != nil):
		return tool.Result{Text: l.words().denied(again), Outcome: tool.Denied}, true
	case s.late:
		return notStarted(l.words().TurnTimeUp), true
	}
	return tool.Result{}, false
}

// unasked is the result of a call that would ask, where nobody can be asked.
func (l *Loop) unasked(s *State, c *call) tool.Result {
	q, _ := s.question(c)
	switch {
	case q.About == AboutOutcome:
		return tool.Result{Text: l.words().Unknown, Outcome: tool.Unknown}
	case c.paused != nil:
		return notStarted(fill(l.words().Nobody, "question", q.Text))
	}
	return tool.Result{Text: fill(l.words().Nobody, "question", q.Text), Outcome: tool.Refused}
}

func notStarted(text string) tool.Result { return tool.Result{Text: text, Outcome: tool.NotStarted} }

// close gives the open calls their ends, and then the run.
func (l *Loop) close(s *State, stop Stopped) Step {
	var facts []Fact
	for i := range s.calls {
		c := &s.calls[i]
		switch {
		case c.ended:
		case c.begun:
			facts = append(facts, CallEnded{Call: c.place, Name: c.Name, Result: tool.Result{Text: l.words().WasRunning, Outcome: tool.Canceled}})
		default:
			facts = append(facts, CallEnded{Call: c.place, Name: c.Name, Result: notStarted(l.words().NotRun)})
		}
	}
	if len(facts) > 0 {
		return Note{facts}
	}
	return l.stop(s, stop)
}
