package llm_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
	"pgregory.net/rapid"
)

// slowly answers n requests, each after so long.
func slowly(n int, takes time.Duration) *script {
	answers := make([]answer, n)
	for i := range answers {
		answers[i] = says("x")
		answers[i].takes = takes
	}
	return scripted(answers...)
}

// LLM-36: 10 runs on one Limit, two at once.
func TestLimitAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := slowly(10, time.Second)
		l := &llm.Limit{Client: s, AtOnce: 2}
		start := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				reply, err := llm.Generate(t.Context(), l, hello())
				require.NoError(t, err)
				require.Equal(t, "x", reply.Message.Text())
			})
		}
		all.Wait()
		require.Equal(t, 2, s.most)
		require.Equal(t, 5*time.Second, time.Since(start), "and never fewer than it may")
	})
}

// LLM-36: requests begin at the rate; a burst may begin together.
func TestLimitRate(t *testing.T) {
	begins := func(t *testing.T, l *llm.Limit, n int) []time.Duration {
		s := slowly(2*n, 10*time.Second)
		l.Client = s
		var all sync.WaitGroup
		for range n {
			all.Go(func() { _, _ = watch(t.Context(), l, hello()) })
		}
		all.Wait()
		return s.at
	}
	bubble(t, func(t *testing.T) {
		sec := time.Second
		require.Equal(t, []time.Duration{0, sec / 2, sec, 3 * sec / 2}, begins(t, &llm.Limit{Rate: 2}, 4))
		require.Equal(t, []time.Duration{0, 2 * sec, 4 * sec}, begins(t, &llm.Limit{Rate: 30.0 / 60}, 3))
		require.Equal(t, []time.Duration{0, 0, 0, sec, 2 * sec}, begins(t, &llm.Limit{Rate: 1, Burst: 3}, 5))
		require.Equal(t, []time.Duration{0, 0, 0, 0}, begins(t, &llm.Limit{}, 4), "the zero Limit sets none")

		l := &llm.Limit{Rate: 1, Burst: 2}
		begins(t, l, 3)
		time.Sleep(time.Hour)
		require.Equal(t, []time.Duration{0, 0, sec}, begins(t, l, 3), "a long pause saves up one burst, not more")
	})
}

// LLM-36: those who wait are served in the order in which they came.
func TestLimitIsFair(t *testing.T) {
	for name, l := range map[string]*llm.Limit{
		"places": {AtOnce: 1}, "rate": {Rate: 1}, "both": {AtOnce: 2, Rate: 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := slowly(20, 3*time.Second)
				l := &llm.Limit{Client: s, AtOnce: l.AtOnce, Rate: l.Rate}
				var all sync.WaitGroup
				for i := range 20 {
					time.Sleep(ms)
					all.Go(func() {
						_, _ = watch(t.Context(), l, llm.Request{MaxTokens: i})
					})
				}
				all.Wait()
				for i, req := range s.asked {
					require.Equal(t, i, req.MaxTokens)
				}
			})
		})
	}
}

// LLM-36: a cancel ends the waiting at once, and costs the others nothing:
// neither their places in the line nor any of the rate.
func TestLimitCancel(t *testing.T) {
	for name, l := range map[string]*llm.Limit{"places": {AtOnce: 1}, "rate": {Rate: 0.1}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := slowly(3, 10*time.Second)
				l := &llm.Limit{Client: s, AtOnce: l.AtOnce, Rate: l.Rate}
				var all sync.WaitGroup
				all.Go(func() { _, _ = watch(t.Context(), l, hello()) })
				synctest.Wait()
				for i := range 50 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%3)*time.Second)
					defer cancel()
					all.Go(func() {
						start := time.Now()
						_, err := watch(ctx, l, hello())
						require.ErrorIs(t, err, context.DeadlineExceeded)
						require.ErrorIs(t, err, llm.ErrCanceled)
						require.Equal(t, time.Duration(1+i%3)*time.Second, time.Since(start))
					})
				}
				synctest.Wait()
				for range 2 {
					all.Go(func() {
						_, err := watch(t.Context(), l, hello())
						require.NoError(t, err)
					})
				}
				all.Wait()
				require.Equal(t, []time.Duration{0, 10 * time.Second, 20 * time.Second}, s.at)
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := slowly(1, 0)
	_, err := watch(ctx, &llm.Limit{Client: s}, hello())
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, s.requests())
}

// A place is free again whatever ends the stream: an error, a reader that
// leaves, a panic of the reader. And it is free before the reply is seen, so
// that a reader may ask the same Limit again.
func TestLimitFreesItsPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := &llm.Limit{Client: scripted(fails(status(503)), says("a"), says("b"), says("c"), says("d")), AtOnce: 1}
		_, err := watch(t.Context(), l, hello())
		require.ErrorIs(t, err, llm.ErrUnavailable)
		for range l.Stream(t.Context(), hello()) {
			break
		}
		require.PanicsWithValue(t, "reader", func() {
			for range l.Stream(t.Context(), hello()) {
				panic("reader")
			}
		})
		for chunk, err := range l.Stream(t.Context(), hello()) {
			require.NoError(t, err)
			if _, ok := chunk.(llm.Reply); ok {
				reply, err := llm.Generate(t.Context(), l, hello())
				require.NoError(t, err)
				require.Equal(t, "d", reply.Message.Text())
			}
		}
	})
}

// A retry around a limit gives its place to others while it waits.
func TestRetryHoldsNoPlaceWhileItWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(status(503)), says("a"), says("b"))
		r := &llm.Retry{Client: &llm.Limit{Client: s, AtOnce: 1}, First: 10 * time.Second, Jitter: pinned}
		var all sync.WaitGroup
		all.Go(func() { _, _ = watch(t.Context(), r, hello()) })
		time.Sleep(time.Second)
		_, err := watch(t.Context(), r, hello())
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(s.start))
		all.Wait()
	})
}

// GEN-07: what is no bound is refused.
func TestLimitRefusesWhatIsNoBound(t *testing.T) {
	s := scripted(says("x"))
	for _, l := range []*llm.Limit{{AtOnce: -1}, {Burst: -1}, {Rate: -1}, {Rate: math.NaN()}, {Rate: math.Inf(1)}} {
		l.Client = s
		_, err := watch(t.Context(), l, hello())
		require.ErrorIs(t, err, llm.ErrNotAllowed)
	}
	require.Zero(t, s.requests())
	for _, l := range []*llm.Limit{{Rate: 1e-300, Burst: math.MaxInt}, {Rate: math.MaxFloat64}, {Rate: math.SmallestNonzeroFloat64}} {
		l.Client = scripted(says("x"))
		_, err := watch(t.Context(), l, hello())
		require.NoError(t, err)
	}
}

// LLM-36: whatever comes, bounds are kept, the order is kept, and nobody stays
// behind.
func TestLimitProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := &llm.Limit{
			AtOnce: rapid.IntRange(0, 3).Draw(rt, "at once"),
			Rate:   rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(rt, "rate"),
			Burst:  rapid.IntRange(0, 3).Draw(rt, "burst"),
		}
		gaps := rapid.SliceOfN(rapid.IntRange(1, 900), 1, 12).Draw(rt, "gaps")
		patience := rapid.SliceOfN(rapid.IntRange(1, 3000), len(gaps), len(gaps)).Draw(rt, "patience")
		s := crowd(t, l, gaps, patience)
		if l.AtOnce > 0 {
			require.LessOrEqual(rt, s.most, l.AtOnce)
		}
		for i := range s.asked {
			if i > 0 {
				require.Less(rt, s.asked[i-1].MaxTokens, s.asked[i].MaxTokens)
			}
			if j := i - max(l.Burst, 1); l.Rate > 0 && j >= 0 {
				require.GreaterOrEqual(rt, s.at[i]-s.at[j], time.Duration(float64(time.Second)/l.Rate))
			}
		}
		require.Zero(rt, s.busy)
	})
}

// crowd lets requests come after these gaps, each with so much patience; a
// bubble ends only when all have gone.
func crowd(t *testing.T, l *llm.Limit, gaps, patience []int) (s *script) {
	bubble(t, func(t *testing.T) {
		s = scripted()
		for range gaps {
			s.answers = append(s.answers, answer{takes: 400 * ms, chunks: []llm.Chunk{replying("x")}})
		}
		l.Client = s
		var all sync.WaitGroup
		for i := range gaps {
			time.Sleep(time.Duration(gaps[i]) * ms)
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(patience[i])*ms)
				defer cancel()
				_, _ = watch(ctx, l, llm.Request{MaxTokens: i})
			})
		}
		all.Wait()
	})
	return s
}
