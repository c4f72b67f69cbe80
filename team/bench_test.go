package team_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// instant answers at once, and counts.
func instant(text string, asked *atomic.Int64) llm.Client {
	a := llmtest.Text(text).Costing(10, 1)
	a.Chunks = []llm.Chunk{}
	return llmtest.Func(func(llm.Request) llmtest.Answer { asked.Add(1); return a })
}

// BenchmarkTeam runs a team of 100 tasks, each approved at first: two model
// calls a task. The floors are a bare Loop of 200 turns, with a call in each, and
// 200 Loops that answer at once.
func BenchmarkTeam(b *testing.B) {
	const n = 100
	var tasks []plan.Task
	for i := range n {
		tasks = append(tasks, plan.Task{ID: fmt.Sprint("step_", i+1), Description: "nothing"})
	}
	dag, err := plan.NewDAG(tasks...)
	if err != nil {
		b.Fatal(err)
	}
	var asked atomic.Int64
	perCall := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(asked.Swap(0)), "ns/call")
	}
	loop := func(text string) *agent.Loop { return &agent.Loop{Client: instant(text, &asked)} }
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("team/", workers), func(b *testing.B) {
			crew := &team.Orchestrator{Planner: plan.Fixed(dag), Reviewer: loop(approve)}
			for range workers {
				crew.Workers = append(crew.Workers, loop("done"))
			}
			asked.Store(0)
			b.ReportAllocs()
			for b.Loop() {
				if res, err := agent.Do(b.Context(), crew, "go"); err != nil || res.Reason != agent.Completed {
					b.Fatal(res, err)
				}
			}
			perCall(b)
		})
	}
	b.Run("turns", func(b *testing.B) {
		asked.Store(0)
		end := instant("done", &asked)
		call := llmtest.Func(func(llm.Request) llmtest.Answer {
			asked.Add(1)
			a := llmtest.Call("k", "note", `{"text":"x"}`).Costing(10, 1)
			a.Chunks = []llm.Chunk{}
			return a
		})
		b.ReportAllocs()
		for b.Loop() {
			var answers []llm.Client
			for range 2*n - 1 {
				answers = append(answers, call)
			}
			l := &agent.Loop{Client: llmtest.Script(append(answers, end)...), Tools: tool.NewRegistry(note)}
			l.Budget.Stall.Off = true
			if res, err := agent.Do(b.Context(), l, "go"); err != nil || res.Reason != agent.Completed {
				b.Fatal(res, err)
			}
		}
		perCall(b)
	})
	b.Run("loops", func(b *testing.B) {
		asked.Store(0)
		l := loop("done")
		b.ReportAllocs()
		for b.Loop() {
			for range 2 * n {
				if _, err := agent.Do(b.Context(), l, "go"); err != nil {
					b.Fatal(err)
				}
			}
		}
		perCall(b)
	})
}
