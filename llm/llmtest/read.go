package llmtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"
	"time"

	"github.com/triad-go/triad/llm"
)

// A reading is what came of reading one stream: the way it ended, and the first
// thing about it that breaks the contract.
type reading struct {
	text  string     // shown so far
	reply *llm.Reply // nil if none came
	err   error      // nil if none came
	fault error
}

// A reader reads one stream. It is called as a range statement's body would
// be, and so sees what a range statement would panic at.
type reader struct {
	next func(llm.Chunk) bool // told of each delta; false leaves

	mu    sync.Mutex // a broken client may still speak while the reader gives it up
	shown shown
	calls map[int]string // names by index
	reading
	left bool
}

// stream asks when it is ranged over, so that a panic in Stream is seen there.
func stream(ctx context.Context, c llm.Client, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { c.Stream(ctx, req)(yield) }
}

// read reads a stream to its end, or until next, if not nil, returns false.
func (c Contract) read(stream iter.Seq2[llm.Chunk, error], next func(llm.Chunk) bool) reading {
	r := &reader{next: next, calls: make(map[int]string)}
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		stream(r.take)
	}()
	late := time.NewTimer(c.Limit)
	defer late.Stop()
	select {
	case p := <-done:
		return r.end(p)
	case <-late.C:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.left = true
		r.wrong("the stream did not end within %v", c.Limit)
		return r.reading
	}
}

// take is the body of the loop.
func (r *reader) take(chunk llm.Chunk, err error) (more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.left:
		r.wrong("the stream went on after its reader had left")
	case r.err != nil:
		r.wrong("the stream went on after its error")
	case r.reply != nil:
		r.wrong("the stream went on after its reply")
	case err != nil:
		r.err = err
		if chunk != nil {
			r.wrong("a chunk came together with an error")
		}
	case chunk == nil:
		r.wrong("a chunk was nil")
	case reflect.TypeOf(chunk).Kind() == reflect.Pointer:
		r.wrong("a chunk was a pointer: %T", chunk)
	default:
		r.see(chunk)
	}
	r.left = r.left || r.fault != nil
	return !r.left
}

func (r *reader) see(chunk llm.Chunk) {
	r.shown.see(chunk)
	switch c := chunk.(type) {
	case llm.Reply:
		r.reply = &c
		r.whole(c)
		return
	case llm.Restart:
		clear(r.calls)
	case llm.CallDelta:
		if c.Name != "" {
			r.calls[c.Index] = c.Name
		}
	}
	if r.next != nil {
		r.left = !r.next(chunk)
	}
}

// whole compares the reply with what was shown of it.
func (r *reader) whole(reply llm.Reply) {
	m := reply.Message
	if m.Role != llm.Assistant || m.Origin != llm.FromModel {
		r.wrong("the reply has role %q and origin %q; want assistant and model", m.Role, m.Origin)
	}
	if reply.Finish == "" {
		r.wrong("the reply has no finish reason")
	}
	if got := r.shown.text.String(); got != m.Text() {
		r.wrong("the deltas say %q and the reply %q", got, m.Text())
	}
	if got := r.shown.reasoning.String(); got != m.Reasoning() {
		r.wrong("the reasoning deltas say %q and the reply %q", got, m.Reasoning())
	}
	calls := m.Calls()
	for i, name := range r.calls {
		if i < 0 || i >= len(calls) || calls[i].Name != name {
			r.wrong("call %d was shown as %q, and the reply has no such call", i, name)
		}
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text, llm.Reasoning:
		case llm.ToolCall:
			if p.ID == "" || p.Name == "" {
				r.wrong("a call has the id %q and the name %q", p.ID, p.Name)
			}
		default:
			r.wrong("the reply holds %T", p)
		}
	}
	if u := reply.Usage; min(u.Input, u.Output, u.Cached, u.Reasoning) < 0 || u.Cached > u.Input || u.Reasoning > u.Output {
		r.wrong("the usage %+v counts tokens that it does not have", u)
	}
}

// end looks at the stream after it has returned.
func (r *reader) end(panicked any) reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = r.shown.text.String()
	switch {
	case panicked != nil:
		r.wrong("the client panicked: %v", panicked)
	case r.reply == nil && r.err == nil && !r.left:
		r.wrong("the stream ended with neither a reply nor an error")
	}
	return r.reading
}

// wrong notes a fault; the first counts.
func (r *reader) wrong(format string, args ...any) {
	if r.fault == nil {
		r.fault = errors.New("llmtest: " + fmt.Sprintf(format, args...))
	}
}
