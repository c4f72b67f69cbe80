package compress

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// Ready pieces of histories.

func says(text string) llm.Message { return llm.UserText(text) }

func replies(text string) llm.Message { return llm.AssistantText(text) }

func note(origin llm.Origin, text string) llm.Message {
	return llm.Message{Role: llm.User, Origin: origin, Parts: llm.Parts{llm.Text(text)}}
}

func calls(all ...llm.ToolCall) llm.Message {
	m := llm.Message{Role: llm.Assistant, Origin: llm.FromModel}
	for _, c := range all {
		m.Parts = append(m.Parts, c)
	}
	return m
}

// turn is a call of a tool and its result.
func turn(id, tool, result string) []llm.Message {
	return []llm.Message{
		calls(llm.ToolCall{ID: id, Name: tool, Arguments: `{"n":"` + id + `"}`}),
		llm.Results(llm.ToolResult{CallID: id, Name: tool, Text: result}),
	}
}

// turns are n turns with results of that many characters of plain text.
func turns(from, n, chars int) (all []llm.Message) {
	for i := from; i < from+n; i++ {
		all = append(all, turn(fmt.Sprintf("k%d", i), "look", words(chars))...)
	}
	return all
}

// words returns n characters of plain text, which are n/4 tokens.
func words(n int) string { return strings.Repeat("lorem ip", n/8+1)[:n] }

func join(parts ...[]llm.Message) (all []llm.Message) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func one(m ...llm.Message) []llm.Message { return m }

var readSpec = llm.Spec{Name: ReadResult, Description: "Reads.", Schema: []byte(`{"type":"object"}`)}

// viewOf is a view of a history, with nothing remembered.
func viewOf(window int, messages []llm.Message) View {
	return View{
		Run: "run-1", Request: llm.Request{System: "Be good.", Messages: messages, Tools: []llm.Spec{readSpec}},
		Dialect: llm.Dialect{Window: window}, Memory: &Memory{},
	}
}

// after returns the view that a run has once it took the compaction.
func after(v View, c Compaction) View {
	v.Reported, v.Covers, v.Overflow = 0, 0, nil
	if c.Changed {
		v.Request.Messages = append(v.Request.Messages[:c.Keep:c.Keep], c.Messages...)
	}
	if c.Window > 0 {
		v.Window = c.Window
	}
	return v
}

// with returns the view with more messages.
func (v View) with(messages ...llm.Message) View {
	v.Request.Messages = append(v.Request.Messages[:len(v.Request.Messages):len(v.Request.Messages)], messages...)
	return v
}

// summaryOf is a reply with the four sections.
func summaryOf(text string) string {
	return "## Goal and requests\n" + text + "\n## Done, with evidence\nSome.\n## Decisions and conclusions\nNone.\n## Open\nAll."
}

// A scribe writes summaries and keeps what it was asked.
type scribe struct {
	mu       sync.Mutex
	requests []llm.Request
	answer   func(n int, req llm.Request) llm.Client
	speaks   llm.Dialect
}

func newScribe(answers ...llm.Client) *scribe {
	return &scribe{answer: func(n int, _ llm.Request) llm.Client { return answers[min(n, len(answers)-1)] }}
}

func good(text string) llm.Client { return llmtest.Text(summaryOf(text)).Costing(100, 10) }

func (s *scribe) Dialect() llm.Dialect { return s.speaks }

func (s *scribe) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		s.answer(n, req).Stream(ctx, req)(yield)
	}
}

// told joins all texts of a history.
func told(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				b.WriteString(string(p) + "\n")
			case llm.ToolCall:
				b.WriteString(p.Arguments + "\n")
			case llm.ToolResult:
				b.WriteString(p.Text + "\n")
			}
		}
	}
	return b.String()
}
