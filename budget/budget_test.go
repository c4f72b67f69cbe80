package budget_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

func tokens(in, out int) budget.Spent { return budget.Spent{Main: llm.Usage{Input: in, Output: out}} }

// BUD-03: a request is refused at the limit, calls of a reply only beyond it.
func TestReachedAndCrossed(t *testing.T) {
	b := budget.Budget{Tokens: budget.Max(100)}
	require.NoError(t, b.Check(tokens(60, 30)))
	require.Error(t, b.Check(tokens(60, 40)))
	require.NoError(t, b.Crossed(tokens(60, 40)))
	require.Error(t, b.Crossed(tokens(60, 41)))
}

// BUD-04, BUD-05, BUD-10, GEN-07: each limit works alone, unset is none, 0
// allows nothing, and the error names the limit, the amount and the bound. The
// counts stay exact beyond 2^31.
func TestEachLimitAlone(t *testing.T) {
	const beyond = 1 << 32
	cases := map[budget.Limit]struct {
		of   func(n int) budget.Budget
		used func(n int) budget.Spent
	}{
		budget.Turns: {func(n int) budget.Budget { return budget.Budget{Turns: &n} }, func(n int) budget.Spent { return budget.Spent{Turns: n} }},
		budget.Calls: {func(n int) budget.Budget { return budget.Budget{Calls: &n} }, func(n int) budget.Spent { return budget.Spent{Calls: n} }},
		budget.Tokens: {
			func(n int) budget.Budget { return budget.Budget{Tokens: &n} },
			func(n int) budget.Spent { return tokens(n-n/3, n/3) },
		},
		budget.Time: {
			func(n int) budget.Budget { return budget.Budget{Time: budget.Max(time.Duration(n) * time.Second)} },
			func(n int) budget.Spent { return budget.Spent{Time: time.Duration(n) * time.Second} },
		},
		budget.Cost: {
			func(n int) budget.Budget { return budget.Budget{Cost: budget.Max(float64(n))} },
			func(n int) budget.Spent { return budget.Spent{Cost: float64(n)} },
		},
	}
	for limit, c := range cases {
		t.Run(string(limit), func(t *testing.T) {
			require.NoError(t, budget.Budget{}.Check(c.used(beyond)))
			require.NoError(t, c.of(beyond).Check(c.used(beyond-1)))
			require.NoError(t, c.of(beyond).Crossed(c.used(beyond)))
			var exceeded *budget.ExceededError
			require.ErrorAs(t, c.of(beyond).Check(c.used(beyond)), &exceeded)
			require.Equal(t, &budget.ExceededError{Limit: limit, Used: beyond, Max: beyond}, exceeded)
			require.Contains(t, exceeded.Error(), string(limit))
			require.Error(t, c.of(0).Check(c.used(0)), "0 allows nothing")
			require.NoError(t, c.of(0).Validate())
			require.Error(t, c.of(-1).Validate())
		})
	}
	require.Error(t, budget.Budget{Cost: budget.Max(math.NaN())}.Validate())
	require.Error(t, budget.Budget{AskEvery: -1}.Validate())
}

// AGT-E34 (share): of several limits the first in order is named.
func TestOrderOfLimits(t *testing.T) {
	all := budget.Budget{Time: budget.Max(time.Second), Tokens: budget.Max(1), Cost: budget.Max(1.0), Calls: budget.Max(1), Turns: budget.Max(1)}
	used := budget.Spent{Time: time.Minute, Main: llm.Usage{Input: 9}, Cost: 9, Calls: 9, Turns: 9}
	for _, want := range []budget.Limit{budget.Time, budget.Tokens, budget.Cost, budget.Calls, budget.Turns} {
		var exceeded *budget.ExceededError
		require.ErrorAs(t, all.Check(used), &exceeded)
		require.Equal(t, want, exceeded.Limit)
		switch want {
		case budget.Time:
			all.Time = nil
		case budget.Tokens:
			all.Tokens = nil
		case budget.Cost:
			all.Cost = nil
		case budget.Calls:
			all.Calls = nil
		}
	}
}

// BUD-04, B126 (share): of 12 calls with 5 left, 5 may begin.
func TestCallsLeft(t *testing.T) {
	left, bounded := budget.Budget{Calls: budget.Max(5)}.CallsLeft(budget.Spent{Calls: 2})
	require.Equal(t, 3, left)
	require.True(t, bounded)
	left, _ = budget.Budget{Calls: budget.Max(5)}.CallsLeft(budget.Spent{Calls: 9})
	require.Zero(t, left)
	_, bounded = budget.Budget{}.CallsLeft(budget.Spent{Calls: 9})
	require.False(t, bounded)
}

// BUD-06, AGT-37: unattended work has a total limit and the stall guard.
func TestPresets(t *testing.T) {
	b := budget.Unattended()
	require.Equal(t, []any{40, 2_000_000, time.Hour}, []any{*b.Turns, *b.Tokens, *b.Time})
	require.False(t, b.Stall.Off || b.Stall.Ask)
	i := budget.Interactive()
	require.Equal(t, budget.Budget{Stall: budget.Stall{Ask: true}, AskEvery: 50}, i)
	require.NoError(t, b.Validate())
	require.NoError(t, i.Validate())
}

// B119, LLM-12: cached tokens cost their own price and count once.
func TestCost(t *testing.T) {
	u := llm.Usage{Input: 1000, Cached: 900, Output: 10, Reasoning: 8}
	require.InDelta(t, 100*10e-6+900*1e-6+10*20e-6, budget.Price{Input: 10, Cached: 1, Output: 20}.Cost(u), 1e-12)
	require.Equal(t, 1010, u.Total())
	prices := budget.Prices{"gpt-5": {Input: 1}, "gpt-5*": {Input: 2}, "*": {Input: 3}}
	for model, want := range map[string]float64{"gpt-5": 1, "gpt-5-mini": 2, "glm": 3} {
		price, ok := prices.Of(model)
		require.True(t, ok)
		require.Equal(t, want, price.Input, model)
	}
	require.False(t, budget.Prices{"a*": {}}.Known("b"))
}

// BUD-11, B123 (share): the spend is a sum over labels, each token in one.
func TestSpent(t *testing.T) {
	s := tokens(1000, 50).Plus(tokens(1500, 70)).Plus(budget.Spent{Turns: 1, Summary: llm.Usage{Input: 8000, Output: 400}})
	require.Equal(t, llm.Usage{Input: 10500, Output: 520}, s.Usage())
	require.Equal(t, 11020, s.Tokens())
	inner := budget.Spent{}.PlusInner(budget.Spent{Turns: 9, Calls: 9, Time: 9, Cost: 2, Review: llm.Usage{Input: 5}})
	require.Equal(t, budget.Spent{Cost: 2, Review: llm.Usage{Input: 5}}, inner, "turns, calls and time of a run within are its own")
	require.Equal(t, tokens(1500, 70), tokens(2500, 120).Since(tokens(1000, 50)))
}

// BUD-07, BUD-E88, B124: runs side by side overshoot by one request each at
// most, and each amount counts once.
func TestPool(t *testing.T) {
	pool := &budget.Pool{Budget: budget.Budget{Tokens: budget.Max(10_000)}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				settle, err := pool.Reserve(budget.Spent{Turns: 1})
				if err != nil {
					return
				}
				settle(tokens(900, 100))
			}
		})
	}
	wg.Wait()
	spent := pool.Spent()
	require.GreaterOrEqual(t, spent.Tokens(), 10_000)
	require.LessOrEqual(t, spent.Tokens(), 10_000+4*1000)

	pool = &budget.Pool{Budget: budget.Budget{Turns: budget.Max(2)}}
	first, err := pool.Reserve(budget.Spent{Turns: 1})
	require.NoError(t, err)
	_, err = pool.Reserve(budget.Spent{Turns: 1})
	require.NoError(t, err)
	_, err = pool.Reserve(budget.Spent{Turns: 1})
	require.Error(t, err, "reserved turns count")
	first(budget.Spent{})
	_, err = pool.Reserve(budget.Spent{Turns: 1})
	require.NoError(t, err, "what was not used is free again")

	pool.Join("run", tokens(5, 5))
	pool.Join("run", tokens(5, 5))
	require.Equal(t, 10, pool.Spent().Tokens())
	var none *budget.Pool
	settle, err := none.Reserve(budget.Spent{})
	require.NoError(t, err)
	settle(tokens(1, 1))
	require.Zero(t, none.Spent())
}
