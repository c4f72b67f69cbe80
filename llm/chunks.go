package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Chunks is a stream that has been noted down. As JSON each chunk is an object
// with one member, named for its kind: {"text_delta": "Hel"}, {"reply": {…}}.
// Decoding what was encoded gives equal chunks; of an error's cause the text
// is left.
type Chunks []Chunk

type wireChunk struct {
	Text      *TextDelta      `json:"text_delta,omitempty"`
	Reasoning *ReasoningDelta `json:"reasoning_delta,omitempty"`
	Call      *CallDelta      `json:"call_delta,omitempty"`
	Restart   *Restart        `json:"restart,omitempty"`
	Notice    *RetryNotice    `json:"retry_notice,omitempty"`
	Reply     *Reply          `json:"reply,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (cs Chunks) MarshalJSON() ([]byte, error) {
	if cs == nil {
		return []byte("null"), nil
	}
	wire := make([]wireChunk, len(cs))
	for i, c := range cs {
		switch c := c.(type) {
		case TextDelta:
			wire[i].Text = &c
		case ReasoningDelta:
			wire[i].Reasoning = &c
		case CallDelta:
			wire[i].Call = &c
		case Restart:
			wire[i].Restart = &c
		case RetryNotice:
			wire[i].Notice = &c
		case Reply:
			wire[i].Reply = &c
		default:
			return nil, fmt.Errorf("llm: encoding chunk %d: unknown kind %T; chunks are values", i, c)
		}
	}
	return json.Marshal(wire)
}

// UnmarshalJSON implements [json.Unmarshaler]. A chunk with no known kind, or
// with more than one, is an error.
func (cs *Chunks) UnmarshalJSON(data []byte) error {
	var wire []wireChunk
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("llm: decoding chunks: %w", err)
	}
	if wire == nil {
		*cs = nil
		return nil
	}
	out := make(Chunks, len(wire))
	for i := range wire {
		c, err := wire[i].chunk()
		if err != nil {
			return fmt.Errorf("llm: decoding chunk %d: %w", i, err)
		}
		out[i] = c
	}
	*cs = out
	return nil
}

func (w *wireChunk) chunk() (c Chunk, err error) {
	kinds := 0
	if w.Text != nil {
		c, kinds = *w.Text, kinds+1
	}
	if w.Reasoning != nil {
		c, kinds = *w.Reasoning, kinds+1
	}
	if w.Call != nil {
		c, kinds = *w.Call, kinds+1
	}
	if w.Restart != nil {
		c, kinds = *w.Restart, kinds+1
	}
	if w.Notice != nil {
		c, kinds = *w.Notice, kinds+1
	}
	if w.Reply != nil {
		c, kinds = *w.Reply, kinds+1
	}
	if kinds != 1 {
		return nil, fmt.Errorf("%d known kinds in it, want 1", kinds)
	}
	return c, nil
}

// text returns the text that a reader of these chunks has before its eyes.
func (cs Chunks) text() string {
	var b strings.Builder
	for _, c := range cs {
		switch c := c.(type) {
		case TextDelta:
			b.WriteString(string(c))
		case Restart:
			b.Reset()
		}
	}
	return b.String()
}
