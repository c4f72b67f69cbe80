package agent

import (
	"maps"
	"slices"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A State is what has happened in a run of a [Loop]: the fold of its log. It
// keeps no facts and is never stored. It is a value; With returns a new one.
type State struct {
	system   string
	messages []llm.Message   // what the model has been told and has said
	waiting  []llm.Message   // said, and not told yet
	later    []llm.Message   // said, to be told when the run would end
	ids      map[string]bool // of all calls in messages

	calls []call        // of the last reply, until all have ended
	order tool.Schedule // which of them wait for which

	context   int // tokens of the last request and its reply; 0 after a compaction
	covers    int // how many messages those are
	window    int // learned from a refusal; 0 is none
	overflows int // requests in a row that were too long
	overflow  *llm.Error

	thought string           // the reasoning of the last reply
	reply   llm.FinishReason // of the last reply
	said    heard            // what the last reply held

	compacted bool // since the last reply: once is enough
	claim     bool // the last reply had no calls, and nothing came since
	final     bool // all results of the last turn ask to end
	worked    bool // there was a turn with calls since the last prompt
	late      bool // the calls have run for as long as a turn's may
	timeUp    bool // of the run
	stopping  bool // a person's stop is not carried out yet
	again     bool // a message came since: it is the next prompt

	more *Granted // since then

	spent   budget.Spent
	base    *budget.Spent  // when this run of the log began; nil is at nothing
	granted *budget.Budget // bounds that were granted, counted from base
	limited *budget.ExceededError
	trail   budget.Trail
	asked   int // the turn at which a guard's question was answered with a yes

	allowed map[string]bool // tools approved for the session
	denials []denial

	prompts  int // messages of the user so far
	empties  int // empty replies in a row
	cuts     int // replies with calls in a row that the output limit cut
	refusals int // calls that the repeat guard refused
	verifies int
	verdict  *Verified
	wrapped  *WrappedUp
	halt     *Stopped // a person's no to going on
	stopped  *Stopped
}

// heard says what kinds of things a reply held.
type heard struct{ text, reasoning bool }

type call struct {
	llm.ToolCall             // as the history has it
	place        string      // turn and index, "7.1"
	check        Check       // what the gates say
	begun        bool        // noted as started
	counted      bool        // among the calls spent
	edited       bool        // a person changed the arguments
	paused       *CallPaused // it asks
	answer       *Answer     // the last answer it got
	result       tool.Result // once ended
	ended        bool
}

type denial struct {
	sum    uint64
	reason string
}

// Fold returns the state that a log tells of.
func Fold(log ...Entry) State {
	var s State
	for _, e := range log {
		s.fold(e)
	}
	return s
}

// With returns s with facts added, at the same active time. s stays as it was.
func (s State) With(facts ...Fact) State {
	s = s.fork()
	for _, f := range facts {
		s.fold(Entry{Fact: f, Active: s.spent.Time})
	}
	return s
}

// WithEntries is With for facts and their times: active time counts.
func (s State) WithEntries(entries ...Entry) State {
	s = s.fork()
	for _, e := range entries {
		s.fold(e)
	}
	return s
}

// fork returns a copy that can be folded into without s seeing it.
func (s State) fork() State {
	s.messages, s.waiting, s.later = slices.Clip(s.messages), slices.Clip(s.waiting), slices.Clip(s.later)
	s.calls, s.denials = slices.Clone(s.calls), slices.Clip(s.denials)
	s.ids, s.allowed, s.trail = maps.Clone(s.ids), maps.Clone(s.allowed), s.trail.Clone()
	return s
}

// Spent returns what the run has used, over all its log.
func (s State) Spent() budget.Spent { return s.spent }

// Turn returns the number of the last turn.
func (s State) Turn() int { return s.spent.Turns }

// Context returns how many tokens the last request and its reply held, as the
// provider reported or the client guessed. It is not the spend.
func (s State) Context() int { return s.context }

// fold adds an entry in place. It is for the one who owns s.
func (s *State) fold(e Entry) {
	s.spent.Time = max(s.spent.Time, e.Active)
	switch f := e.Fact.(type) {
	case Said:
		s.hear(f)
	case Answered:
		s.settle(f)
	case Granted:
		s.grant(f)
	case StopAsked:
		if s.stopped == nil {
			s.halting(f.Why)
		}
	case Stopped:
		s.stopped, s.halt = &f, nil
		s.goOn()
	case Instructed:
		s.system = f.System
	case Replied:
		s.listen(f)
	case RequestFailed:
		s.spent.Retry, s.spent.Cost = s.spent.Retry.Plus(f.Wasted), s.spent.Cost+f.Cost
	case CallStarted:
		c := s.call(f.Call)
		c.begun = true
		if !c.counted {
			c.counted = true
			s.spent.Calls++
		}
	case CallPaused:
		c := s.call(f.Call)
		c.begun, c.paused, c.answer = f.CutOff, &f, nil
	case CallEnded:
		if f.Spent != nil {
			s.spent = s.spent.PlusInner(*f.Spent)
		}
		c := s.call(f.Call)
		c.result, c.ended = f.Result, true
		s.endTurn()
	case TimeUp:
		s.timeUp, s.late = s.timeUp || f.Run, s.late || !f.Run && len(s.calls) > 0
	case Limited:
		s.limited = &f.Limit
	case Noted:
		s.messages, s.claim, s.final, s.verdict = append(s.messages, f.Message), false, false, nil
		if f.Period > 0 {
			s.trail.Remind(f.Period)
		}
	case Compacted:
		s.compact(f)
	case Overflowed:
		s.overflow, s.overflows, s.compacted = f.Error, s.overflows+1, false
		s.spent.Retry, s.spent.Cost = s.spent.Retry.Plus(used(f.Error)), s.spent.Cost+f.Cost
	case Verified:
		s.verdict, s.verifies = &f, s.verifies+1
	case WrappedUp:
		s.wrapped = &f
		s.spent.WrapUp, s.spent.Cost = s.spent.WrapUp.Plus(f.Usage), s.spent.Cost+f.Cost
	}
}
