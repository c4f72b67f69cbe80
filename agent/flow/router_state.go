package flow

import (
	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// Facts of a [Router], beside those of every mode.
type (
	// Routed says in which mode a prompt is done, and what is told to it. Number
	// counts the prompts from 1.
	Routed struct {
		Number   int      `json:"number"`
		Mode     Mode     `json:"mode"`
		Prompt   string   `json:"prompt"`
		Decision Decision `json:"decision,omitzero"`

		// Escalated is the reason that a react run gave for handing over to a plan.
		Escalated string `json:"escalated,omitempty"`
	}

	// Worked is what the run of a mode has come to.
	Worked struct {
		Mode     Mode            `json:"mode"`
		Stopped  agent.Stopped   `json:"stopped"`
		Text     string          `json:"text,omitempty"`
		Partial  bool            `json:"partial,omitempty"`
		Findings []string        `json:"findings,omitempty"`
		Verdict  *agent.Verified `json:"verdict,omitempty"`
		Spent    budget.Spent    `json:"spent,omitzero"` // over all the log of that run
	}
)

// Kind implements [agent.Event].
func (Routed) Kind() string { return "routed" }
func (Worked) Kind() string { return "worked" }

// Fact implements [agent.Fact].
func (Routed) Fact() {}
func (Worked) Fact() {}

// An exchange is a prompt and what came of it.
type exchange struct {
	prompt string
	mode   Mode
	text   string
}

// A state is what has happened in a run of a router.
type state struct {
	prompts []string // that are not done, the first of them under way
	number  int      // of that one, from 1
	routed  *Routed  // its latest
	worked  *Worked  // what that came to

	told    []string     // all that react was told
	unheard []exchange   // done by others since
	latest  exchange     // the last that is done
	ours    budget.Spent // spent on react before the run's last end
	spent   budget.Spent

	halt    *agent.Stopped
	again   []string // said since: the next prompts
	stopped *agent.Stopped
	last    *Worked // of the last exchange
}

func (s *state) fold(e agent.Entry) {
	s.spent.Time = max(s.spent.Time, e.Active)
	switch f := e.Fact.(type) {
	case agent.Said:
		if s.halt != nil && s.stopped == nil {
			s.again = append(s.again, f.Text)
			break
		}
		if s.stopped != nil || s.number == 0 {
			s.number++
		}
		s.prompts, s.stopped = append(s.prompts, f.Text), nil
	case agent.StopAsked:
		if s.stopped == nil {
			s.halt, s.again = &agent.Stopped{Reason: agent.Canceled, Detail: f.Why, Turn: s.number}, nil
		}
	case agent.Stopped:
		s.stopped, s.halt, s.last = &f, nil, s.worked
		s.advance()
		if f.Reason == agent.Canceled {
			s.prompts = nil
		}
		if len(s.again) > 0 {
			s.number++
			s.prompts, s.again, s.stopped = append(s.prompts, s.again...), nil, nil
		}
	case Routed:
		if s.worked != nil && f.Number != s.number {
			s.advance()
			s.number = f.Number
		}
		s.routed, s.worked = &f, nil
		s.spent = s.spent.Plus(f.Decision.Spent)
		if f.Mode == React {
			s.told, s.unheard = append(s.told, f.Prompt), nil
		}
	case Worked:
		s.worked = &f
		if f.Mode == React {
			s.spent, s.ours = s.spent.PlusInner(f.Spent.Since(s.ours)), f.Spent
		} else {
			s.spent = s.spent.PlusInner(f.Spent)
		}
	}
}

// advance puts the prompt under way behind the run.
func (s *state) advance() {
	if len(s.prompts) == 0 {
		return
	}
	if s.routed != nil {
		s.latest = exchange{prompt: s.prompts[0], mode: s.routed.Mode}
		if s.worked != nil {
			s.latest.text = s.worked.Text
		}
		if s.latest.mode != React {
			s.unheard = append(s.unheard, s.latest)
		}
	}
	s.prompts, s.routed, s.worked = s.prompts[1:], nil, nil
}

// A step is what may be under way next.
type step int

const (
	wait step = iota
	decide
	work
	look // whether react has handed over
	stop
)

// next decides. It is pure. Looks says whether it is to be looked yet whether
// react has handed over.
func (s *state) next(looks bool) (step, agent.Stopped) {
	switch {
	case s.stopped != nil:
		return stop, *s.stopped
	case s.halt != nil:
		return stop, *s.halt
	case len(s.prompts) == 0:
		return wait, agent.Stopped{}
	case s.routed == nil:
		return decide, agent.Stopped{}
	case s.worked == nil:
		return work, agent.Stopped{}
	case looks && s.routed.Mode == React && s.worked.Stopped.Reason == agent.Completed:
		return look, agent.Stopped{}
	case len(s.prompts) > 1:
		return decide, agent.Stopped{}
	}
	f := s.worked.Stopped // it ends as its work did
	f.Turn = s.number
	return stop, f
}
