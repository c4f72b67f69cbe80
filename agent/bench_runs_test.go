package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// BenchmarkDelta is what a streamed delta costs on its way to the reader: our
// time beside that of a reader who ranges over the client itself.
func BenchmarkDelta(b *testing.B) {
	for _, n := range []int{2000, 20_000} {
		client := llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
			return func(yield func(llm.Chunk, error) bool) {
				delta := llm.Chunk(llm.TextDelta("x"))
				for range n {
					if !yield(delta, nil) {
						return
					}
				}
				yield(llm.Reply{Message: llm.AssistantText("x"), Finish: llm.FinishStop}, nil)
			}
		})
		per := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/delta")
		}
		b.Run(fmt.Sprintf("floor/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range client.Stream(b.Context(), llm.Request{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("run/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := agent.Do(b.Context(), &agent.Loop{Client: client}, "go"); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
	}
}

// cpu is what this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWaiting runs 10,000 runs of 5 turns at once on a model that takes
// 50 ms, and says what CPU they take in all and what memory each has while it
// waits. The floor is the naive loop of BenchmarkTurn.
func BenchmarkWaiting(b *testing.B) {
	const runs, turns = 10_000, 5
	for name, do := range map[string]func(context.Context, *agent.Loop) error{
		"floor": func(ctx context.Context, l *agent.Loop) error {
			_, err := floor(ctx, l.Client, map[string]tool.Tool{"echo": echo}, "go")
			return err
		},
		"loop": func(ctx context.Context, l *agent.Loop) error {
			_, err := agent.Do(ctx, l, "go")
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				gate := make(chan struct{})
				var waiting sync.WaitGroup
				waiting.Add(runs)
				one := &agent.Loop{Client: slowModel(turns, gate, &waiting), Tools: tool.NewRegistry(echo)}
				before, used := memoryInUse(), cpu()
				var all sync.WaitGroup
				for range runs {
					all.Go(func() {
						if err := do(b.Context(), one); err != nil {
							b.Error(err)
						}
					})
				}
				waiting.Wait() // all wait for their first reply
				b.ReportMetric(float64(memoryInUse()-before)/runs, "B/waiting")
				close(gate)
				all.Wait()
				b.ReportMetric(float64((cpu()-used).Microseconds())/runs/turns, "cpu-µs/turn")
			}
		})
	}
}

// slowModel asks for one call a turn and then answers, 50 ms each; the first
// reply of each run waits for the gate.
func slowModel(n int, gate chan struct{}, waiting *sync.WaitGroup) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			turn := len(req.Messages)/2 + 1
			if turn == 1 {
				waiting.Done()
				<-gate
			}
			time.Sleep(50 * time.Millisecond)
			if turn == n {
				yield(llm.Reply{Message: llm.AssistantText("done"), Finish: llm.FinishStop, Usage: llm.Usage{Input: 1}}, nil)
				return
			}
			yield(llm.Reply{Message: llm.Message{Role: llm.Assistant, Parts: llm.Parts{
				llm.ToolCall{ID: fmt.Sprint("k", turn), Name: "echo", Arguments: fmt.Sprintf(`{"n":%d}`, turn)},
			}}, Finish: llm.FinishCalls, Usage: llm.Usage{Input: 1}}, nil)
		}
	})
}

func memoryInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// BenchmarkOpen opens a log of 100,000 facts, about 50 MB, from a directory.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	store, err := journal.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	text := make([]byte, 900)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	var entries []journal.Entry
	add := func(f agent.Fact) { entries = append(entries, journal.Entry{At: time.Now(), Kind: f.Kind(), Fact: f}) }
	add(agent.Said{Text: "go", Prompt: true})
	for turn := 1; len(entries) < 100_000; turn++ {
		place := fmt.Sprintf("%d.1", turn)
		arguments := json.RawMessage(`{"path":"` + string(text[:100]) + `"}`)
		add(agent.Replied{Reply: llm.Reply{Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{
			llm.ToolCall{ID: place, Name: "echo", Arguments: string(arguments)},
		}}, Finish: llm.FinishCalls}, Checks: make([]agent.Check, 1), Told: max(0, 2-turn)})
		add(agent.CallStarted{Call: place, Name: "echo", Arguments: arguments})
		add(agent.CallEnded{Call: place, Name: "echo", Result: tool.Text(string(text))})
	}
	if err := store.Append(b.Context(), "run", 0, entries...); err != nil {
		b.Fatal(err)
	}
	loop := &agent.Loop{Client: turns(1), Tools: tool.NewRegistry(echo)}
	for b.Loop() {
		run, err := loop.Open(b.Context(), agent.Scope{Journal: store, ID: "run"})
		if err != nil {
			b.Fatal(err)
		}
		if run.Result().Turns < 33_000 {
			b.Fatal(run.Result())
		}
	}
}
