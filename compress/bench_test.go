package compress

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"testing"

	"github.com/triad-go/triad/llm"
)

// BenchmarkTurn measures what it takes to estimate a request that has one turn
// more than the last, and to decide that nothing is to be done. It shall be
// under 20 µs, and the same at any length.
func BenchmarkTurn(b *testing.B) {
	for _, preset := range []string{"Default", "Lean"} {
		for _, n := range []int{10, 100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/turns=%d", preset, n), func(b *testing.B) { benchmarkTurn(b, preset, n) })
		}
	}
}

func benchmarkTurn(b *testing.B, preset string, n int) {
	tiers := Default(nil, "")
	if preset == "Lean" {
		tiers = Lean(nil, "")
	}
	v := viewOf(1<<40, join(one(says("go")), turns(0, n, 300)))
	tiers.Summarize.Trigger = Bound{Share: 1}
	tiers.Clear.Trigger = Bound{Share: 1}
	if _, err := tiers.Compress(b.Context(), v); err != nil {
		b.Fatal(err)
	}
	const ahead = 64
	more := turns(n, ahead, 300)
	all := append(v.Request.Messages, more...)
	known := *v.Memory
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := i % ahead
		if k == 0 {
			*v.Memory = known
		}
		v.Request.Messages = all[: 1+2*(n+k+1) : 1+2*(n+k+1)]
		if c, err := tiers.Compress(b.Context(), v); err != nil || c.Changed {
			b.Fatal(err, c.Tiers)
		}
	}
}

// BenchmarkSummary measures our own time for a summary of 1 MB of history, with
// a model that answers at once, and what it allocates in multiples of the
// history. They shall be under 20 ms and at most 3. The floor is one pass that
// looks at each byte.
func BenchmarkSummary(b *testing.B) {
	texts := one(says("go"))
	for range 500 {
		texts = append(texts, replies(words(1_000)), note(llm.FromReminder, words(1_000)))
	}
	for name, history := range map[string][]llm.Message{"texts": texts, "results": join(one(says("go")), turns(0, 660, 1_500))} {
		b.Run(name, func(b *testing.B) {
			client := instant{}
			tiers := &Tiers{Summarize: &Summarize{Client: client}}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b.ReportAllocs()
			b.SetBytes(1 << 20)
			n := 0
			for b.Loop() {
				c, err := tiers.Compress(b.Context(), viewOf(200_000, history))
				if err != nil || !c.Changed {
					b.Fatal(err, c.Failed)
				}
				n++
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(n)/(1<<20), "x-history")
		})
	}
	b.Run("floor", func(b *testing.B) {
		text := words(1 << 20)
		b.SetBytes(1 << 20)
		for b.Loop() {
			Characters{}.Tokens(text, false)
		}
	})
}

// instant is a model that writes a summary at once.
type instant struct{}

func (instant) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Reply{Message: replies(summaryOf("x")), Finish: llm.FinishStop}, nil)
	}
}
