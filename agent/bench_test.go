package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"testing"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// turns is a client that asks for one call n times and then answers.
func turns(n int) llm.Client {
	call := func() llm.Reply {
		return llm.Reply{
			Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{
				llm.ToolCall{ID: strconv.Itoa(n), Name: "echo", Arguments: `{}`},
			}},
			Finish: llm.FinishCalls, Usage: llm.Usage{Input: 10, Output: 5},
		}
	}
	end := llm.Reply{Message: llm.AssistantText("done"), Finish: llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 5}}
	return llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			if n--; n < 0 {
				yield(end, nil)
				return
			}
			yield(call(), nil)
		}
	})
}

var echo = tool.Tool{
	Spec: llm.Spec{Name: "echo", Schema: json.RawMessage(`{"type":"object"}`)},
	Run:  func(context.Context, tool.Call) (tool.Result, error) { return tool.Text("ok"), nil },
}

// floor is the loop that everybody writes first: no limits, no log, no mercy.
func floor(ctx context.Context, client llm.Client, tools map[string]tool.Tool, prompt string) ([]llm.Message, error) {
	messages := []llm.Message{llm.UserText(prompt)}
	for {
		reply, err := llm.Generate(ctx, client, llm.Request{Messages: messages})
		if err != nil {
			return messages, err
		}
		messages = append(messages, reply.Message)
		calls := reply.Message.Calls()
		if len(calls) == 0 {
			return messages, nil
		}
		var results []llm.ToolResult
		for _, c := range calls {
			t, ok := tools[c.Name]
			if !ok {
				return messages, fmt.Errorf("no tool %s", c.Name)
			}
			r, err := t.Run(ctx, tool.Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
			if err != nil {
				return messages, err
			}
			results = append(results, r.Message(c.ID, c.Name))
		}
		messages = append(messages, llm.Results(results...))
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{10, 500, 5000} {
		b.Run(fmt.Sprintf("floor/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := floor(b.Context(), turns(n), map[string]tool.Tool{"echo": echo}, "go"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/turn")
		})
		for name, scope := range map[string]func() agent.Scope{
			"loop":    func() agent.Scope { return agent.Scope{} },
			"journal": func() agent.Scope { return agent.Scope{Journal: &journal.Memory{}, ID: "run"} },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					loop := &agent.Loop{Client: turns(n), Tools: tool.NewRegistry(echo)}
					loop.Budget.Stall.Off = true
					run, err := loop.Open(b.Context(), scope(), "go")
					if err != nil {
						b.Fatal(err)
					}
					if err := agent.Drain(b.Context(), run, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/turn")
			})
		}
	}
}

// BenchmarkGates is what decoding and validating the arguments of such a turn's
// call costs by itself.
func BenchmarkGates(b *testing.B) {
	list := tool.NewRegistry(echo).List()
	b.ReportAllocs()
	for b.Loop() {
		list.Check(llm.ToolCall{ID: "k", Name: "echo", Arguments: `{}`}, nil)
	}
}
