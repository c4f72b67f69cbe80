package llm

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Parts is a list of parts. As JSON each part is an object with one member,
// named for its kind: {"text": "hi"}, {"call": {…}}. Decoding what was encoded
// gives equal parts, nil and empty told apart. A text, arguments or result
// that is not valid UTF-8 has its bytes beside it, as base64 in the member
// "raw"; names, ids and seals are taken to be valid.
type Parts []Part

type wirePart struct {
	Text      *Text       `json:"text,omitempty"`
	Reasoning *Reasoning  `json:"reasoning,omitempty"`
	Image     *Image      `json:"image,omitempty"`
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
	Raw       []byte      `json:"raw,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (ps Parts) MarshalJSON() ([]byte, error) {
	if ps == nil {
		return []byte("null"), nil
	}
	wire := make([]wirePart, len(ps))
	for i, p := range ps {
		if err := wire[i].set(p); err != nil {
			return nil, fmt.Errorf("llm: encoding part %d: %w", i, err)
		}
	}
	return json.Marshal(wire)
}

// UnmarshalJSON implements [json.Unmarshaler]. A part with no known kind, or
// with more than one, is an error. Other members are passed over.
func (ps *Parts) UnmarshalJSON(data []byte) error {
	var wire []wirePart
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("llm: decoding parts: %w", err)
	}
	if wire == nil {
		*ps = nil
		return nil
	}
	out := make(Parts, len(wire))
	for i := range wire {
		p, err := wire[i].part()
		if err != nil {
			return fmt.Errorf("llm: decoding part %d: %w", i, err)
		}
		out[i] = p
	}
	*ps = out
	return nil
}

func (w *wirePart) set(p Part) error {
	switch p := p.(type) {
	case Text:
		w.Text = &p
	case Reasoning:
		w.Reasoning = &p
	case Image:
		w.Image = &p
	case ToolCall:
		w.Call = &p
	case ToolResult:
		w.Result = &p
	default:
		return fmt.Errorf("unknown kind %T; parts are values", p)
	}
	if text := words(p); !utf8.ValidString(text) {
		w.Raw = []byte(text)
	}
	return nil
}

func (w *wirePart) part() (p Part, err error) {
	kinds := 0
	if w.Text != nil {
		p, kinds = *w.Text, kinds+1
	}
	if w.Reasoning != nil {
		p, kinds = *w.Reasoning, kinds+1
	}
	if w.Image != nil {
		p, kinds = *w.Image, kinds+1
	}
	if w.Call != nil {
		p, kinds = *w.Call, kinds+1
	}
	if w.Result != nil {
		p, kinds = *w.Result, kinds+1
	}
	if kinds != 1 {
		return nil, fmt.Errorf("%d known kinds in it, want 1", kinds)
	}
	if w.Raw != nil {
		p = withWords(p, string(w.Raw))
	}
	return p, nil
}
