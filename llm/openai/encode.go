package openai

import (
	"fmt"
	"math"

	"github.com/triad-go/triad/llm"
)

// An encoder turns requests into the bodies that go out, the same request
// always into the same bytes (LLM-02). What a body looks like is up to the
// dialect of the client that sends it, never to the one that wrote the history
// (LLM-E16).
//
// The bytes are written here and not by the SDK's parameter types: a message is
// to be encoded once in its life, and those types, like encoding/json under
// them, can only copy encoded text by reading it all again.
//
// The zero encoder is ready. It may be used by many goroutines at once.
type encoder struct {
	messages cache
	heads    memo[headKey]
	specs    memo[specKey]
}

// body returns the body of a request. extra are further members, which replace
// those of the same name. The error is a [*llm.Error] of kind
// [llm.ErrBadRequest]; the request is not changed.
func (e *encoder) body(model string, d llm.Dialect, req llm.Request, extra map[string]any) ([]byte, error) {
	bad := func(err error) error {
		return &llm.Error{Kind: llm.ErrBadRequest, Client: "openai", Message: "encoding the request: " + err.Error(), Err: err}
	}
	if err := check(req); err != nil {
		return nil, bad(err)
	}
	h, err := e.history(d, req)
	if err != nil {
		return nil, bad(err)
	}
	b := newObject(h.size+512, extra)
	b.add("model", appendString(nil, model))
	b.buf = h.append(b.next("messages"))
	if len(h.tools) > 0 {
		if b.buf, err = e.appendTools(b.next("tools"), h.tools, d.Wire.CacheMarks); err != nil {
			return nil, bad(err)
		}
	}
	if err := b.addParameters(parametersOf(d, req, h.choice)); err != nil {
		return nil, bad(err)
	}
	out, err := b.end()
	if err != nil {
		return nil, bad(err)
	}
	return out, nil
}

// check refuses what no server could make sense of.
func check(req llm.Request) error {
	if t := req.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0) || *t < 0) {
		return fmt.Errorf("temperature %v", *t)
	}
	if req.MaxTokens < 0 {
		return fmt.Errorf("%d tokens at most", req.MaxTokens)
	}
	switch req.Choice {
	case "", llm.ChoiceAuto, llm.ChoiceNone:
		return nil
	case llm.ChoiceRequired:
		if len(req.Tools) == 0 {
			return fmt.Errorf("a call is required and there are no tools")
		}
		return nil
	}
	for _, spec := range req.Tools {
		if spec.Name == string(req.Choice) {
			return nil
		}
	}
	return fmt.Errorf("the tool to be called, %q, is not in the list", req.Choice)
}
