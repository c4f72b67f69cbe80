package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A history is the messages of a request as they go out, and the tools that go
// with them.
type history struct {
	head   []byte // the system message, or nothing
	wires  []*encoded
	last   []byte // the last message again, with a cache mark; nothing without marks
	size   int
	tools  []llm.Spec
	choice llm.Choice
}

// history works out what is sent. Nearly always it is each message as it
// stands; a history that the receiver would not take is brought into its form.
func (e *encoder) history(d llm.Dialect, req llm.Request) (history, error) {
	f := formOf(d)
	h := history{tools: req.Tools, choice: req.Choice}
	if len(h.tools) > 0 && h.choice == llm.ChoiceNone && !sendsChoice(d, req) {
		h.tools = nil
	}
	messages, system := req.Messages, req.System
	h.wires = e.messages.encode(f, messages, true)
	for i, w := range h.wires {
		if w.fault != "" {
			return h, fmt.Errorf("message %d: %s", i, w.fault)
		}
	}
	tell := h.toolless(d, req)
	if tell || !sound(h.wires, d.Strict) {
		messages = repair(messages)
		if tell {
			messages = told(messages)
		}
		if d.Strict {
			system, messages = gather(system, messages)
			messages = f.alternate(messages)
		}
		h.wires = e.messages.encode(f, messages, false)
	}
	if len(h.tools) == 0 {
		h.choice = ""
	}
	h.head = e.head(f, system, d.Wire.CacheMarks)
	h.mark(d, f, messages)
	return h, h.measure()
}

// head returns the system message.
func (e *encoder) head(f form, system string, mark bool) []byte {
	if strings.TrimSpace(system) == "" {
		return nil
	}
	key := headKey{system, mark}
	wire, ok := e.heads.get(key)
	if !ok {
		wire = f.append(nil, llm.SystemText(system), mark)
		e.heads.put(key, wire)
	}
	return wire
}

// toolless sees to a request without tools whose history holds results, as the
// dialect says (LLM-E13). It returns whether they are to be told in words.
func (h *history) toolless(d llm.Dialect, req llm.Request) (tell bool) {
	if len(h.tools) > 0 || d.Wire.ToolsForResults == "" {
		return false
	}
	used := false
	for _, w := range h.wires {
		used = used || len(w.calls) > 0 || len(w.results) > 0
	}
	if !used {
		return false
	}
	if d.Wire.ToolsForResults == "keep" && sendsChoice(d, req) {
		if h.tools, h.choice = called(req.Messages), llm.ChoiceNone; len(h.tools) > 0 {
			return false
		}
	}
	return true
}

// mark encodes the last message once more, with a cache mark. It is the one
// message that is not from the cache: a request later it is no longer the last.
func (h *history) mark(d llm.Dialect, f form, messages []llm.Message) {
	if !d.Wire.CacheMarks {
		return
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if len(h.wires[i].wire) > 0 {
			h.last = f.append(nil, messages[i], true)
			h.wires = h.wires[:i]
			return
		}
	}
}

// measure works out how much room the messages take.
func (h *history) measure() error {
	h.size = len(h.head) + len(h.last)
	for _, w := range h.wires {
		h.size += len(w.wire)
	}
	if h.size == 0 {
		return errors.New("there is no message that says anything")
	}
	h.size += len(h.wires)
	return nil
}

// append appends the list of messages.
func (h *history) append(dst []byte) []byte {
	dst = append(dst, '[')
	start := len(dst)
	dst = append(dst, h.head...)
	for _, w := range h.wires {
		if len(w.wire) > 0 {
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = append(dst, w.wire...)
		}
	}
	if len(h.last) > 0 {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(dst, h.last...)
	}
	return append(dst, ']')
}
