package agent

import (
	"slices"
	"strconv"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// open makes the calls of a reply, in the room that the last turn's had. An id
// that is missing, or that this log has seen, is replaced by one made from
// turn and position, so that every result finds its own call.
func (s *State) open(f Replied) []call {
	calls := s.calls[:0]
	for _, p := range f.Reply.Message.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		i := len(calls)
		place := placeOf(s.spent.Turns, i)
		if c.ID == "" || s.ids[c.ID] {
			c.ID = "call_" + place
		}
		if s.ids == nil {
			s.ids = map[string]bool{}
		}
		s.ids[c.ID] = true
		next := call{ToolCall: c, place: place}
		if i < len(f.Checks) {
			next.check = f.Checks[i]
		}
		switch next.check.Outcome {
		case tool.OK:
		case tool.UnknownTool:
			s.spent.Unknown++
			fallthrough
		default:
			if next.check.Outcome == tool.Repeated {
				s.refusals++
			}
			next.result, next.ended = tool.Result{Text: next.check.Text, Outcome: next.check.Outcome}, true
		}
		calls = append(calls, next)
	}
	return calls
}

// placeOf names the call of a turn: "7.1" is the first of turn 7.
func placeOf(turn, i int) string {
	var room [24]byte
	place := append(strconv.AppendInt(room[:0], int64(turn), 10), '.')
	return string(strconv.AppendInt(place, int64(i)+1, 10))
}

// rename returns m with the ids that its calls have in the history.
func rename(m llm.Message, calls []call) llm.Message {
	i, copied := 0, false
	for at, p := range m.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		if c.ID != calls[i].ID {
			if !copied {
				m.Parts, copied = slices.Clone(m.Parts), true
			}
			m.Parts[at] = calls[i].ToolCall
		}
		i++
	}
	return m
}

// call returns the open or ended call of that place; one of a turn that is
// over has none, and what is said of it is lost on purpose.
func (s *State) call(place string) *call {
	for i := range s.calls {
		if s.calls[i].place == place {
			return &s.calls[i]
		}
	}
	return &call{}
}

// schedule works out which calls wait for which. One alone waits for none.
func (s *State) schedule() {
	s.order = tool.Schedule{}
	if len(s.calls) < 2 {
		return
	}
	uses := make([]tool.Use, len(s.calls))
	for i := range s.calls {
		uses[i] = s.calls[i].check.Use
	}
	s.order = tool.Order(uses)
}

// runnable returns the open calls that wait for none of the others, and for
// no answer.
func (s *State) runnable(unordered bool) (run []Call) {
	add := func(i int) {
		if c := &s.calls[i]; !c.ended {
			if !s.asks(c) {
				run = append(run, c.use())
			}
		}
	}
	if len(s.calls) > 1 && !unordered {
		s.eachReady(add)
		return run
	}
	for i := range s.calls {
		add(i)
	}
	return run
}

func (s *State) eachReady(add func(int)) {
	calls := s.calls
	for i := range s.order.Ready(func(i int) bool { return calls[i].ended }) {
		add(i)
	}
}

// endTurn tells the model the results, in the order of the calls, once all are there.
func (s *State) endTurn() {
	for i := range s.calls {
		if !s.calls[i].ended {
			return
		}
	}
	if len(s.calls) == 0 {
		return
	}
	m := llm.Message{Role: llm.Tool, Origin: llm.FromTool, Parts: make(llm.Parts, len(s.calls))}
	var room [4]budget.Mark
	marks := room[:0]
	s.final, s.worked = true, true
	for i := range s.calls {
		c := &s.calls[i]
		m.Parts[i] = c.result.Message(c.ID, c.Name)
		s.final = s.final && c.result.End
		marks = append(marks, budget.Mark{
			Call: c.check.Sum, Outcome: string(c.result.Outcome), Text: c.result.Text, OK: !c.result.Failed(),
			Read: c.check.Use.Access == tool.ReadOnly, Changed: string(c.result.Changed),
		})
	}
	s.trail.Turn(marks)
	s.messages = append(s.messages, m)
	s.calls, s.late = s.calls[:0], false
}

// denied returns the reason if a person has refused this very call before.
func (s *State) denied(c *call) (string, bool) {
	for _, d := range s.denials {
		if d.sum == c.check.Sum {
			return d.reason, true
		}
	}
	return "", false
}

// question returns what an open call asks, if it waits for an answer.
func (s *State) question(c *call) (Question, bool) {
	var q Question
	switch {
	case c.answer != nil:
		return q, false
	case c.paused != nil:
		q = c.paused.Question
	case c.check.Ask != "" && !s.allowed[c.Name]:
		q = Question{About: AboutCall, Text: c.check.Ask}
	default:
		return q, false
	}
	q.ID, q.Call, q.Name, q.Arguments = c.place, c.place, c.Name, c.check.Arguments
	return q, true
}

// asks tells whether an open call waits for an answer.
func (s *State) asks(c *call) bool {
	_, asks := s.question(c)
	return asks
}

// use returns the call as it is run.
func (c *call) use() Call {
	u := Call{Place: c.place, Begun: c.begun, counted: c.counted, Edited: c.edited, Use: c.check.Use, Call: tool.Call{ID: c.ID, Name: c.Name, Arguments: c.check.Arguments}}
	if c.paused != nil {
		u.Saved = c.paused.Saved
		if c.answer != nil {
			u.Answer = c.answer.Text
		}
	}
	return u
}

// guardID names the question of a guard. It is no place of a call.
func guardID(guard string, turn int) string { return guard + "_" + strconv.Itoa(turn) }
