package llmtest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
)

// An Answer is what a model does with one request: chunks, then a reply or an
// error. It is data; [Text], [Call], [Calls] and [Fail] make the usual ones.
//
// An Answer is itself a client, one that answers every request the same way.
type Answer struct {
	// Reply ends the stream. One without a role is not sent, so that the zero
	// Answer is a stream that ends with nothing. Where its usage is zero, the
	// sizes of the request and the reply give one: four bytes are a token.
	Reply llm.Reply

	// Chunks come before the reply. Nil means those that the reply makes: its
	// reasoning, its text word by word, and one [llm.CallDelta] a call.
	Chunks []llm.Chunk

	// Err ends the stream in place of the reply. An [*llm.Error] without
	// partial text is sent with the text that was shown.
	Err error

	// Delay is waited before each chunk, the reply and the error; in a bubble
	// of testing/synctest it takes no time.
	Delay time.Duration
}

// Text returns an answer that says text.
func Text(text string) Answer {
	return Answer{Reply: llm.Reply{Message: llm.AssistantText(text), Finish: llm.FinishStop}}
}

// Call returns an answer that makes one call. Arguments are sent as they are;
// they should be a JSON object.
func Call(id, name, arguments string) Answer {
	call := llm.ToolCall{ID: id, Name: name, Arguments: arguments}
	return Answer{Reply: llm.Reply{
		Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{call}},
		Finish:  llm.FinishCalls,
	}}
}

// Calls returns one answer that says and calls what all of these do:
//
//	llmtest.Calls(llmtest.Text("I look."), llmtest.Call("k1", "look", "{}"), llmtest.Call("k2", "look", "{}"))
func Calls(answers ...Answer) Answer {
	joined := Call("", "", "")
	joined.Reply.Message.Parts = nil
	for _, a := range answers {
		joined.Reply.Message.Parts = append(joined.Reply.Message.Parts, a.Reply.Message.Parts...)
	}
	return joined
}

// Fail returns an answer that shows these chunks and ends in err.
func Fail(err error, chunks ...llm.Chunk) Answer { return Answer{Chunks: chunks, Err: err} }

// Costing returns the answer with this usage.
func (a Answer) Costing(input, output int) Answer {
	a.Reply.Usage = llm.Usage{Input: input, Output: output}
	return a
}

// Func returns a client whose answers are worked out from the request.
func Func(answer func(llm.Request) Answer) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return answer(req).Stream(ctx, req)
	})
}

// Hang returns a client that shows these chunks and then falls silent until
// its context ends.
func Hang(chunks ...llm.Chunk) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			var s shown
			for _, chunk := range chunks {
				s.see(chunk)
				if !yield(chunk, nil) {
					return
				}
			}
			<-ctx.Done()
			yield(nil, s.ended(ctx))
		}
	})
}

// Stream implements [llm.Client].
func (a Answer) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var s shown
		for _, chunk := range a.chunks(req) {
			if !pause(ctx, a.Delay) {
				yield(nil, s.ended(ctx))
				return
			}
			s.see(chunk)
			if !yield(chunk, nil) {
				return
			}
		}
		if a.Err == nil {
			return
		}
		if !pause(ctx, a.Delay) {
			yield(nil, s.ended(ctx))
			return
		}
		yield(nil, s.partial(a.Err))
	}
}

// chunks returns all that is streamed but the error.
func (a Answer) chunks(req llm.Request) []llm.Chunk {
	chunks := a.Chunks
	if chunks == nil {
		chunks = deltas(a.Reply.Message)
	}
	if a.Err != nil || a.Reply.Message.Role == "" {
		return chunks
	}
	reply := a.Reply
	if reply.Usage == (llm.Usage{}) {
		reply.Usage = usage(req, reply.Message)
	}
	return append(chunks[:len(chunks):len(chunks)], reply)
}

func deltas(m llm.Message) (chunks []llm.Chunk) {
	calls := 0
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Reasoning:
			if p.Text != "" {
				chunks = append(chunks, llm.ReasoningDelta(p.Text))
			}
		case llm.Text:
			for word := range strings.SplitAfterSeq(string(p), " ") {
				if word != "" {
					chunks = append(chunks, llm.TextDelta(word))
				}
			}
		case llm.ToolCall:
			chunks = append(chunks, llm.CallDelta{Index: calls, Name: p.Name, Bytes: len(p.Arguments)})
			calls++
		}
	}
	return chunks
}

// usage counts as a provider would, roughly: what was sent, what came back.
func usage(req llm.Request, reply llm.Message) llm.Usage {
	in := len(req.System)
	for _, t := range req.Tools {
		in += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range req.Messages {
		in += size(m)
	}
	return llm.Usage{Input: 1 + in/4, Output: 1 + size(reply)/4}
}

func size(m llm.Message) (n int) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			n += len(p)
		case llm.Reasoning:
			n += len(p.Text)
		case llm.ToolCall:
			n += len(p.Name) + len(p.Arguments)
		case llm.ToolResult:
			n += len(p.Text)
		}
	}
	return n
}

// pause waits, and tells whether the context still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// shown is the text and reasoning that a reader of a stream has before its eyes.
type shown struct{ text, reasoning strings.Builder }

func (s *shown) see(chunk llm.Chunk) {
	switch c := chunk.(type) {
	case llm.TextDelta:
		s.text.WriteString(string(c))
	case llm.ReasoningDelta:
		s.reasoning.WriteString(string(c))
	case llm.Restart:
		s.text.Reset()
		s.reasoning.Reset()
	}
}

// ended returns the error of a request whose context ended.
func (s *shown) ended(ctx context.Context) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); cause != err {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return &llm.Error{Kind: llm.ErrCanceled, Client: "llmtest", Partial: s.text.String(), Err: err}
}

func (s *shown) partial(err error) error {
	e, ok := err.(*llm.Error)
	if !ok || e.Partial != "" || s.text.Len() == 0 {
		return err
	}
	whole := *e
	whole.Partial = s.text.String()
	return &whole
}
