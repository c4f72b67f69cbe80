package agent

import (
	"errors"
	"slices"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A Step names what may be under way now: [CallModel], [CallTools], [Verify],
// [Note], [Wait] or [Stop].
type Step interface{ step() }

type (
	// CallModel asks for a reply. The tools are added by the one who acts, as
	// they are then. Told is how many of the waiting messages (of those for
	// later, if Later) stand at the end of the request: the reply's fact must
	// say so. WrapUp is the last request, after a limit: it has no tools, its
	// calls are not run, and its fact is [WrappedUp].
	CallModel struct {
		Request llm.Request
		Told    int
		Later   bool
		WrapUp  bool
	}

	// CallTools names all calls that may be under way now. Those that are, are
	// left alone; the others are started. Alone says that no other call of the
	// turn is open.
	CallTools struct {
		Calls []Call
		Alone bool
	}

	// Verify asks the verifier about the answer.
	Verify struct{}

	// Note names facts that follow from what has happened and need no act:
	// results of calls that will not run, a nudge, a reminder, feedback.
	Note struct{ Facts []Fact }

	// Wait is for answers from outside.
	Wait struct{ Questions []Question }

	// Stop ends the run. It has ended when the state holds the fact already.
	Stop struct{ Stopped }
)

func (CallModel) step() {}
func (CallTools) step() {}
func (Verify) step()    {}
func (Note) step()      {}
func (Wait) step()      {}
func (Stop) step()      {}

// A Call is a call that may run. Begun says that it was noted as started: if
// it is not under way, it was cut off.
type Call struct {
	tool.Call
	Place  string // turn and index, such as "7.1"
	Use    tool.Use
	Begun  bool
	Edited bool // a person changed the arguments
}

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
			if stop, ok := c.stops(); ok {
				return l.close(s, stop)
			}
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
		if !c.counted {
			left--
		}
		r, ok := l.settled(s, i)
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

// ask makes the next request, unless a limit, the stall guard or a question of
// theirs comes first.
func (l *Loop) ask(s *State) Step {
	switch {
	case s.cuts >= maxCuts:
		return l.stop(s, Stopped{Reason: Failed, Cause: OutputLimit})
	case s.overflows > maxOverflows:
		return l.stop(s, Stopped{Reason: Failed, Cause: ContextFull, Detail: "the provider refused the request as too long, also after a compaction: " + s.overflow.Error()})
	}
	if stop, ok := l.limit(s); ok {
		return l.wind(s, stop)
	}
	if step := l.guard(s); step != nil {
		return step
	}
	return l.tell(s)
}

// guard reminds the model of a stall, or asks whether to go on.
//
//go:noinline
func (l *Loop) guard(s *State) Step {
	verdict, period := l.Budget.Stall.Judge(&s.trail)
	if verdict == budget.Reminder {
		return Note{[]Fact{Noted{Message: note(llm.FromReminder, l.words().Reminder), Period: period}}}
	}
	if q, ok := l.going(s, verdict); ok {
		return Wait{[]Question{q}}
	}
	return nil
}

// tell makes the request, with what waits to be told.
//
//go:noinline
func (l *Loop) tell(s *State) Step {
	told := s.waiting
	if len(told) > 1 && len(s.messages) > 0 && !l.TellAll {
		told = told[:1]
	}
	later := len(told) == 0 && (s.claim || s.final || len(s.messages) == 0) && len(s.later) > 0
	if later {
		told = s.later[:1]
	}
	return CallModel{Request: l.request(s, told), Told: len(told), Later: later}
}

// request is what the model is told.
func (l *Loop) request(s *State, told []llm.Message) llm.Request {
	r := l.Request
	r.System, r.Messages = l.Instructions, slices.Clip(s.messages)
	if s.system != "" {
		r.System = s.system
	}
	if len(told) > 0 {
		r.Messages = slices.Concat(s.messages, told)
	}
	if s.worked && !l.KeepChoice {
		r.Choice = "" // a model that is forced for ever never answers
	}
	return r
}

// going asks whether to go on where the budget wants that asked.
func (l *Loop) going(s *State, v budget.Verdict) (Question, bool) {
	since := s.turns()
	switch {
	case v == budget.Stalled:
		return Question{ID: guardID("stall", s.spent.Turns), About: AboutGoingOn, Text: l.words().AskStall}, true
	case l.Budget.AskEvery > 0 && since > 0 && since%l.Budget.AskEvery == 0 && s.asked != s.spent.Turns:
		return Question{ID: guardID("turns", s.spent.Turns), About: AboutGoingOn, Text: l.words().askTurns(since)}, true
	}
	return Question{}, false
}

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

//go:noinline
func (l *Loop) timedOut(s *State) *budget.ExceededError {
	return &budget.ExceededError{Limit: budget.Time, Used: s.run().Time.Seconds(), Max: l.bounds(s).Time.Seconds()}
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

// judge says what a reply without calls comes to.
func (l *Loop) judge(s *State) Step {
	switch {
	case s.reply == llm.FinishRefused:
		return l.stop(s, Stopped{Reason: Refused})
	case s.reply == llm.FinishLength:
		return l.stop(s, Stopped{Reason: Failed, Cause: OutputLimit})
	case s.said.text:
		return l.complete(s)
	case s.empties > maxNudges, s.said.reasoning && s.empties > 1, l.NoNudge:
		return l.stop(s, Stopped{Reason: Failed, Cause: EmptyAnswer})
	}
	return Note{[]Fact{Noted{Message: note(llm.FromNudge, l.words().Nudge)}}}
}

// complete ends a run that says it is done, once what waits has been heard and
// the verifier agrees.
func (l *Loop) complete(s *State) Step {
	if len(s.later) > 0 {
		return l.ask(s)
	}
	switch v := s.verdict; {
	case l.Verifier == nil:
		return l.stop(s, Stopped{Reason: Completed})
	case v == nil:
		return Verify{}
	case v.Fault != "":
		return l.stop(s, Stopped{Reason: Failed, Cause: VerifierFault, Detail: v.Fault})
	case v.Pass:
		return l.stop(s, Stopped{Reason: Completed, Detail: v.Why})
	case l.Feedback && s.verifies < l.verifications():
		return Note{[]Fact{Noted{Message: note(llm.FromFeedback, l.words().feedback(v.Why))}}}
	default:
		return l.stop(s, Stopped{Reason: Unverified, Detail: v.Why})
	}
}

func (l *Loop) stop(s *State, stop Stopped) Step {
	stop.Turn = max(1, s.turns())
	return Stop{stop}
}

func note(origin llm.Origin, text string) llm.Message {
	return llm.Message{Role: llm.User, Origin: origin, Parts: llm.Parts{llm.Text(text)}}
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
