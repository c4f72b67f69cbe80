package agent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

const (
	latestResults = 5    // that a run which was cut short hands up
	resultHead    = 2000 // characters of each
)

// Result says how far a run in state s has come.
func (s State) Result() Result { return s.result() }

func (s *State) result() Result {
	r := Result{Spent: s.spent, Turns: s.spent.Turns, Verdict: s.verdict}
	for i := range s.calls {
		if c := &s.calls[i]; !c.ended {
			if q, ok := s.question(c); ok {
				r.Questions = append(r.Questions, q)
			}
		}
	}
	r.Text, r.Reasoning = s.lastText()
	if s.stopped != nil {
		s.finish(&r)
	} else if len(r.Questions) > 0 {
		r.Reason = Waits
	}
	if r.Reason != Completed {
		r.Findings = s.latest()
	}
	return r
}

// finish adds what is known of a run that has stopped.
func (s *State) finish(r *Result) {
	r.Reason, r.Cause, r.Detail, r.Limit, r.Questions = s.stopped.Reason, s.stopped.Cause, s.stopped.Detail, s.stopped.Limit, nil
	switch r.Reason {
	case OverBudget, TimedOut, Stalled:
		r.Partial = s.turns() > 0
	}
	if s.wrapped != nil && s.wrapped.Text != "" {
		r.Text = s.wrapped.Text
	} else if s.wrapped != nil && r.Detail == "" {
		r.Detail = s.wrapped.Error
	}
	if r.Reason == Completed && s.final && r.Text == "" && len(s.messages) > 0 {
		var texts []string
		for _, t := range s.messages[len(s.messages)-1].Results() {
			texts = append(texts, t.Text)
		}
		r.Text = strings.Join(texts, "\n")
	}
}

// lastText returns the last text and reasoning of the model since the user
// spoke last.
func (s *State) lastText() (text, reasoning string) {
	reasoning = s.thought
	for _, m := range slices.Backward(s.messages) {
		if m.Origin == llm.FromUser {
			break
		}
		if m.Role == llm.Assistant && !blank(m.Text()) {
			return m.Text(), reasoning
		}
	}
	return "", reasoning
}

// latest returns the latest results, bounded, the oldest first.
func (s *State) latest() (texts []string) {
	for _, m := range slices.Backward(s.messages) {
		if m.Origin == llm.FromUser {
			break
		}
		for _, r := range slices.Backward(m.Results()) {
			if r.Failed || r.Text == "" {
				continue
			}
			text := []rune(r.Text)
			if len(text) > resultHead {
				text = append(text[:resultHead:resultHead], '…')
			}
			if texts = append(texts, r.Name+": "+string(text)); len(texts) == latestResults {
				slices.Reverse(texts)
				return texts
			}
		}
	}
	slices.Reverse(texts)
	return texts
}

// lastSaid returns what the user said last.
func (s *State) lastSaid() string {
	for _, list := range [][]llm.Message{s.waiting, s.messages} {
		for _, m := range slices.Backward(list) {
			if m.Origin == llm.FromUser {
				return m.Text()
			}
		}
	}
	return ""
}

// History returns what the model of a run in state s has been told and has
// said, as any provider takes it: calls that are open have a result that says
// so, and messages that wait stand at the end.
func (l *Loop) History(s State) []llm.Message {
	history := slices.Clone(s.messages)
	if len(s.calls) > 0 {
		results := make([]llm.ToolResult, len(s.calls))
		for i := range s.calls {
			c := &s.calls[i]
			if results[i] = c.result.Message(c.ID, c.Name); !c.ended {
				results[i] = llm.ToolResult{CallID: c.ID, Name: c.Name, Text: l.words().Open, Failed: true}
			}
		}
		history = append(history, llm.Results(results...))
	}
	return append(append(history, s.waiting...), s.later...)
}

func (g Granted) validate() error {
	b := budget.Budget{Turns: g.Turns, Tokens: g.Tokens, Calls: g.Calls, Time: g.Time, Cost: g.Cost}
	if err := b.Validate(); err != nil {
		return fmt.Errorf("agent: granting more: %w", err)
	}
	if g.Cost != nil && math.IsInf(*g.Cost, 0) {
		return errors.New("agent: granting more: cost is infinite")
	}
	return nil
}
