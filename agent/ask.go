package agent

import (
	"slices"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

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
