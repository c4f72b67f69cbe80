package flow

import (
	"context"
	"testing"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// BenchmarkRouter is a prompt done by a loop, alone and through a router. The
// ratio is what routing costs.
func BenchmarkRouter(b *testing.B) {
	loop := &agent.Loop{Client: llmtest.Func(func(llm.Request) llmtest.Answer { return llmtest.Text("x") })}
	routed := &Router{React: loop, Plan: loop, Classify: func(context.Context, string) (Decision, error) {
		return Decision{Mode: React, Confidence: 1}, nil
	}}
	for name, w := range map[string]agent.Worker{"loop": loop, "router": routed} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := agent.Do(b.Context(), w, "x"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPipeline is ten stages that do nothing, and ten appends.
func BenchmarkPipeline(b *testing.B) {
	var names []string
	for i := range 10 {
		names = append(names, string(rune('a'+i)))
	}
	idle := func(_ context.Context, _ Visit, s string) (string, error) { return s, nil }
	b.Run("stages", func(b *testing.B) {
		for b.Loop() {
			p := newPress(&journal.Memory{}, names...)
			for i := range p.Stages {
				p.Stages[i].Run = idle
			}
			if _, err := p.Do(b.Context(), "k", "state"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("appends", func(b *testing.B) {
		for b.Loop() {
			j := &journal.Memory{}
			for at := range 10 {
				if err := j.Append(b.Context(), "k", at, journal.Entry{Kind: "stage", Data: []byte(`{"stage":"a","state":"state"}`)}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
