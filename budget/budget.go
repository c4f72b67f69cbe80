// Package budget bounds what a run, or a tree of runs, may spend, and notices
// when a run goes in circles. Everything here but [Pool] is data and pure
// functions: the caller decides what to do about an answer.
package budget

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Budget bounds one run. A nil limit is no limit; 0 allows nothing. Set
// limits with [Max].
//
// Tokens are what costs: input is paid again with every turn, so it grows with
// the square of the turns (see llm.ResentInput) and outweighs output by far.
// An exact repeat is caught by Stall; a model that varies its attempts only by
// a limit, so work that nobody watches wants both (see [Unattended]).
type Budget struct {
	Turns  *int           // model replies, the wrap-up apart
	Tokens *int           // input plus output over all model requests; one reply, and the wrap-up, may exceed it
	Calls  *int           // tool calls begun, failed ones too
	Time   *time.Duration // active time: waiting for a person does not count
	Cost   *float64       // in the currency of Prices

	Prices   Prices // what tokens cost; a Cost limit needs the price of the model
	Stall    Stall  // the zero Stall is on
	AskEvery int    // ask whether to go on after every so many turns; 0 never does
}

// Max is a limit: budget.Budget{Turns: budget.Max(40)}.
func Max[N int | float64 | time.Duration](n N) *N { return &n }

// Interactive is the budget of a run that a person watches: no limits, but a
// stall that outlives its reminder and every 50th turn ask whether to go on.
func Interactive() Budget { return Budget{Stall: Stall{Ask: true}, AskEvery: 50} }

// Unattended is the budget of a run that nobody watches: 40 turns, 60 minutes,
// 2,000,000 tokens, and a stall stops it. Give such a run a verifier too.
func Unattended() Budget {
	return Budget{Turns: Max(40), Tokens: Max(2_000_000), Time: Max(time.Hour)}
}

// A Limit names what a budget bounds.
type Limit string

// The limits.
const (
	Turns  Limit = "turns"
	Tokens Limit = "tokens"
	Calls  Limit = "tool_calls"
	Time   Limit = "time" // in seconds
	Cost   Limit = "cost"
)

// An ExceededError says which limit was met, and by how much.
type ExceededError struct {
	Limit Limit   `json:"limit"`
	Used  float64 `json:"used"` // turns, tokens, calls or cost; seconds of time
	Max   float64 `json:"max"`
}

// Error implements error.
func (e *ExceededError) Error() string {
	return fmt.Sprintf("budget: %s: used %s of %s", e.Limit, number(e.Used), number(e.Max))
}

// Check tells whether another model request may be made: it returns an
// [*ExceededError] if a limit is reached. Of several it names the first in the
// order time, tokens, cost, tool calls, turns.
func (b Budget) Check(s Spent) error { return b.compare(s, func(order int) bool { return order >= 0 }) }

// Crossed tells whether the calls of a reply may still run: it returns an
// [*ExceededError] if a limit is exceeded, not if it is just reached.
func (b Budget) Crossed(s Spent) error {
	return b.compare(s, func(order int) bool { return order > 0 })
}

func (b Budget) compare(s Spent, over func(order int) bool) error {
	switch {
	case b.Time != nil && over(cmp.Compare(s.Time, *b.Time)):
		return &ExceededError{Time, s.Time.Seconds(), b.Time.Seconds()}
	case b.Tokens != nil && over(cmp.Compare(s.Tokens(), *b.Tokens)):
		return &ExceededError{Tokens, float64(s.Tokens()), float64(*b.Tokens)}
	case b.Cost != nil && over(cmp.Compare(s.Cost, *b.Cost)):
		return &ExceededError{Cost, s.Cost, *b.Cost}
	case b.Calls != nil && over(cmp.Compare(s.Calls, *b.Calls)):
		return &ExceededError{Calls, float64(s.Calls), float64(*b.Calls)}
	case b.Turns != nil && over(cmp.Compare(s.Turns, *b.Turns)):
		return &ExceededError{Turns, float64(s.Turns), float64(*b.Turns)}
	}
	return nil
}

// CallsLeft returns how many more tool calls may begin, and whether that is bounded.
func (b Budget) CallsLeft(s Spent) (n int, bounded bool) {
	if b.Calls == nil {
		return 0, false
	}
	return max(0, *b.Calls-s.Calls), true
}

// Over returns b with the limits that more sets in place of its own.
func (b Budget) Over(more Budget) Budget {
	b.Turns, b.Tokens, b.Calls = cmp.Or(more.Turns, b.Turns), cmp.Or(more.Tokens, b.Tokens), cmp.Or(more.Calls, b.Calls)
	b.Time, b.Cost = cmp.Or(more.Time, b.Time), cmp.Or(more.Cost, b.Cost)
	return b
}

// Validate refuses limits that are negative or no number, and stall thresholds
// that make no sense.
func (b Budget) Validate() error {
	switch {
	case b.Turns != nil && *b.Turns < 0:
		return fmt.Errorf("budget: turns: %d is negative", *b.Turns)
	case b.Tokens != nil && *b.Tokens < 0:
		return fmt.Errorf("budget: tokens: %d is negative", *b.Tokens)
	case b.Calls != nil && *b.Calls < 0:
		return fmt.Errorf("budget: tool calls: %d is negative", *b.Calls)
	case b.Time != nil && *b.Time < 0:
		return fmt.Errorf("budget: time: %v is negative", *b.Time)
	case b.Cost != nil && (*b.Cost < 0 || math.IsNaN(*b.Cost)):
		return fmt.Errorf("budget: cost: %v is negative or no number", *b.Cost)
	case b.AskEvery < 0:
		return fmt.Errorf("budget: ask every %d turns: negative", b.AskEvery)
	}
	for name, price := range b.Prices {
		for _, p := range []float64{price.Input, price.Cached, price.Output} {
			if p < 0 || math.IsNaN(p) || math.IsInf(p, 0) {
				return fmt.Errorf("budget: prices: %s: %v is negative or no number", name, p)
			}
		}
	}
	return b.Stall.Validate()
}

// number writes large numbers out, which %v does not.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
