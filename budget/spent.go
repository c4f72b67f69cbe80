package budget

import (
	"time"

	"github.com/triad-go/triad/llm"
)

// Spent is what a run has used, in sums over all its model requests. It is not
// the size of the context, which is that of the last request alone.
type Spent struct {
	Turns   int           `json:"turns,omitempty"`
	Calls   int           `json:"calls,omitempty"`         // tool calls begun
	Unknown int           `json:"unknown_tools,omitempty"` // calls of tools that do not exist: a hint that prompt or descriptions are bad
	Time    time.Duration `json:"time,omitempty"`          // active, in nanoseconds
	Cost    float64       `json:"cost,omitempty"`

	// Tokens by what they were spent on. Each stands in one label only.
	Main    llm.Usage `json:"main,omitzero"`
	Retry   llm.Usage `json:"retry,omitzero"` // attempts that failed
	Summary llm.Usage `json:"summary,omitzero"`
	Review  llm.Usage `json:"review,omitzero"`
	WrapUp  llm.Usage `json:"wrap_up,omitzero"`
}

// Usage returns the usage of all labels together.
func (s Spent) Usage() llm.Usage {
	return s.Main.Plus(s.Retry).Plus(s.Summary).Plus(s.Review).Plus(s.WrapUp)
}

// Tokens returns input plus output of all labels.
func (s Spent) Tokens() int {
	return s.Main.Total() + s.Retry.Total() + s.Summary.Total() + s.Review.Total() + s.WrapUp.Total()
}

// Plus returns the sum.
func (s Spent) Plus(t Spent) Spent {
	s.Turns += t.Turns
	s.Calls += t.Calls
	s.Unknown += t.Unknown
	s.Time += t.Time
	s.addInner(&t, 1)
	return s
}

// PlusInner returns s with the tokens and the cost of a run within the run.
// That run's turns, calls and time are its own and do not count here.
func (s Spent) PlusInner(t Spent) Spent {
	s.addInner(&t, 1)
	return s
}

// Since returns what s has more than t, which it grew from.
func (s Spent) Since(t Spent) Spent {
	s.Turns -= t.Turns
	s.Calls -= t.Calls
	s.Unknown -= t.Unknown
	s.Time -= t.Time
	s.addInner(&t, -1)
	return s
}

func (s *Spent) addInner(t *Spent, sign int) {
	s.Cost += float64(sign) * t.Cost
	add(&s.Main, &t.Main, sign)
	add(&s.Retry, &t.Retry, sign)
	add(&s.Summary, &t.Summary, sign)
	add(&s.Review, &t.Review, sign)
	add(&s.WrapUp, &t.WrapUp, sign)
}

func add(u, v *llm.Usage, sign int) {
	u.Input += sign * v.Input
	u.Cached += sign * v.Cached
	u.Output += sign * v.Output
	u.Reasoning += sign * v.Reasoning
	u.Estimated = u.Estimated || sign > 0 && v.Estimated
}
