package agent

import (
	"cmp"
	"time"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// hear takes in a message. After a stop it begins the next run of this log.
func (s *State) hear(f Said) {
	m := llm.Message{Role: llm.User, Origin: llm.FromUser}
	if f.Text != "" {
		m.Parts = append(m.Parts, llm.Text(f.Text))
	}
	for _, image := range f.Images {
		m.Parts = append(m.Parts, image)
	}
	if f.Later && s.stopped == nil && !s.stopping {
		s.later = append(s.later, m)
	} else {
		s.waiting = append(s.waiting, m)
	}
	s.prompts++
	s.denials, s.refusals, s.worked = nil, 0, false
	s.trail.Reset()
	s.again = s.stopping
	if s.stopped != nil {
		s.begin()
	}
}

// halting notes that a person wants the run to end. What was said after an
// earlier stop has no turn of its own any more.
func (s *State) halting(why string) {
	s.halt = &Stopped{Reason: Canceled, Detail: why}
	s.stopping, s.again, s.more = true, false, nil
}

// goOn takes up, at a stop, what has come since it was asked for.
func (s *State) goOn() {
	again, more := s.again, s.more
	s.stopping, s.again, s.more = false, false, nil
	if again {
		s.begin()
	}
	if more != nil {
		s.grant(*more)
	}
}

// begin begins the next run of this log.
func (s *State) begin() {
	base := s.spent
	s.base, s.granted = &base, nil
	s.empties, s.cuts, s.verifies = 0, 0, 0
	s.resume()
}

// grant lets the run go on from where it is, with more.
func (s *State) grant(f Granted) {
	if s.stopping {
		s.more = f.over(s.more)
		return
	}
	since, granted := s.run(), budget.Budget{}
	if s.granted != nil {
		granted = *s.granted
	}
	granted = granted.Over(budget.Budget{
		Turns: from(since.Turns, f.Turns), Tokens: from(since.Tokens(), f.Tokens), Calls: from(since.Calls, f.Calls),
		Time: from(since.Time, f.Time), Cost: from(since.Cost, f.Cost),
	})
	s.granted = &granted
	s.refusals = 0
	s.trail.Reset()
	s.resume()
}

// over returns what an earlier grant and f come to together.
func (f Granted) over(earlier *Granted) *Granted {
	if earlier != nil {
		f.Turns, f.Tokens, f.Calls = cmp.Or(f.Turns, earlier.Turns), cmp.Or(f.Tokens, earlier.Tokens), cmp.Or(f.Calls, earlier.Calls)
		f.Time, f.Cost = cmp.Or(f.Time, earlier.Time), cmp.Or(f.Cost, earlier.Cost)
	}
	return &f
}

func from[N int | float64 | time.Duration](used N, more *N) *N {
	if more == nil {
		return nil
	}
	bound := used + *more
	if bound < used { // more than can be counted
		bound = *more
	}
	return &bound
}

func (s *State) resume() {
	s.stopped, s.limited, s.timeUp, s.wrapped, s.verdict = nil, nil, false, nil, nil
}

// settle takes in an answer.
func (s *State) settle(f Answered) {
	if c := s.call(f.ID); c.place != "" {
		c.answer = &f.Answer
		switch {
		case f.Answer.Denied():
			s.denials = append(s.denials, denial{c.check.Sum, f.Answer.Text})
		case f.Answer.Verdict == approveForSession:
			if s.allowed == nil {
				s.allowed = map[string]bool{}
			}
			s.allowed[c.Name] = true
		case f.Answer.Text == StopTheRun && c.paused != nil && c.paused.CutOff:
			s.halting(f.Answer.Text)
		case f.Answer.Text == DidNot && c.paused != nil && c.paused.CutOff:
			yes := Approve() // it was allowed to run when it was cut off
			c.begun, c.paused, c.answer = false, nil, &yes
		}
		if f.Check != nil {
			c.check, c.edited = *f.Check, true
			s.schedule()
		}
		return
	}
	if f.Answer.Yes() {
		s.asked = s.spent.Turns
		s.trail.Reset()
		return
	}
	s.halting(f.Answer.Text)
}

// listen takes in a reply. Calls that the gates stopped have their results at once.
func (s *State) listen(f Replied) {
	s.tell(f.Told, f.Later)
	s.spent.Turns++
	s.spent.Main, s.spent.Retry = s.spent.Main.Plus(f.Reply.Usage), s.spent.Retry.Plus(f.Wasted)
	s.spent.Cost += f.Cost
	s.context = f.Reply.Usage.Total()
	m, calls := f.Reply.Message, s.open(f)
	s.reply, s.final, s.claim, s.verdict = f.Reply.Finish, false, len(calls) == 0, nil
	s.thought = m.Reasoning()
	s.said = heard{text: !blank(m.Text()), reasoning: s.thought != ""}
	s.empties, s.cuts = s.empties+1, s.cuts+1
	if s.said.text || !s.claim {
		s.empties = 0
		s.messages = append(s.messages, rename(m, calls))
	}
	if s.claim || s.reply != llm.FinishLength {
		s.cuts = 0
	}
	s.covers, s.compacted, s.overflow, s.overflows = len(s.messages), false, nil, 0
	s.calls = calls
	s.schedule()
	s.endTurn()
}

// compact puts other messages in the place of those after the first few.
func (s *State) compact(f Compacted) {
	s.spent.Summary, s.spent.Cost = s.spent.Summary.Plus(f.Usage), s.spent.Cost+f.Cost
	s.compacted = f.Changed || f.Failed != ""
	if f.Window > 0 {
		s.window = f.Window
	}
	if f.Changed {
		s.tell(f.Told, f.Later)
		keep := max(0, min(f.Keep, len(s.messages)))
		s.messages = append(s.messages[:keep:keep], f.Messages...)
		s.context, s.covers = 0, 0
	}
}

// tell moves what the request told of from the waiting messages into the history.
func (s *State) tell(n int, later bool) {
	queue := &s.waiting
	if later {
		queue = &s.later
	}
	n = max(0, min(n, len(*queue)))
	s.messages = append(s.messages, (*queue)[:n]...)
	*queue = (*queue)[n:]
}
