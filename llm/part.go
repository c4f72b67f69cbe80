package llm

import (
	"encoding/json"
	"fmt"
)

// A Part is a piece of a message: a [Text], [Reasoning], [Image], [ToolCall] or
// [ToolResult].
type Part interface{ part() }

type (
	// Text is plain text.
	Text string

	// Reasoning is what a model thought before it spoke. Whether it is sent back
	// is a matter of the receiver's [Dialect]; the log always has it.
	Reasoning struct {
		Text string `json:"text,omitempty"`
		Seal Seal   `json:"seal,omitzero"`
	}

	// An Image is a picture, or another document that a model can look at.
	Image struct {
		MediaType string `json:"media_type"` // such as image/png
		Data      []byte `json:"data"`       // the file itself, not base64
	}

	// A ToolCall asks for a tool to be run.
	ToolCall struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		// Arguments is the text as the model wrote it, byte for byte. It should
		// be a JSON object and may be anything.
		Arguments string `json:"arguments"`
		Seal      Seal   `json:"seal,omitzero"`
	}

	// A ToolResult answers the ToolCall whose ID it names.
	ToolResult struct {
		CallID string  `json:"call_id"`
		Name   string  `json:"name,omitempty"` // of the tool
		Text   string  `json:"text"`
		Images []Image `json:"images,omitempty"`
		Failed bool    `json:"failed,omitempty"`
	}
)

// A Seal is something that only its maker can read, such as a signature over
// reasoning, kept so that it can be sent back to its maker and to nobody else.
type Seal struct {
	Maker string `json:"maker"` // the [Dialect.Maker] of the client that received it
	Data  string `json:"data"`
}

func (Text) part()       {}
func (Reasoning) part()  {}
func (Image) part()      {}
func (ToolCall) part()   {}
func (ToolResult) part() {}

// Parts is a list of parts. As JSON each part is an object with one member,
// named for its kind: {"text": "hi"}, {"call": {…}}. Decoding what was encoded
// gives equal parts.
type Parts []Part

type wirePart struct {
	Text      *Text       `json:"text,omitempty"`
	Reasoning *Reasoning  `json:"reasoning,omitempty"`
	Image     *Image      `json:"image,omitempty"`
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (ps Parts) MarshalJSON() ([]byte, error) {
	if ps == nil {
		return []byte("null"), nil
	}
	wire := make([]wirePart, len(ps))
	for i, p := range ps {
		switch p := p.(type) {
		case Text:
			wire[i].Text = &p
		case Reasoning:
			wire[i].Reasoning = &p
		case Image:
			wire[i].Image = &p
		case ToolCall:
			wire[i].Call = &p
		case ToolResult:
			wire[i].Result = &p
		default:
			return nil, fmt.Errorf("llm: encoding part %d: unknown kind %T", i, p)
		}
	}
	return json.Marshal(wire)
}

// UnmarshalJSON implements [json.Unmarshaler]. A part with no known member, or
// with more than one, is an error.
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
	for i, w := range wire {
		kinds := 0
		set := func(p Part) { out[i], kinds = p, kinds+1 }
		if w.Text != nil {
			set(*w.Text)
		}
		if w.Reasoning != nil {
			set(*w.Reasoning)
		}
		if w.Image != nil {
			set(*w.Image)
		}
		if w.Call != nil {
			set(*w.Call)
		}
		if w.Result != nil {
			set(*w.Result)
		}
		if kinds != 1 {
			return fmt.Errorf("llm: decoding part %d: %d known kinds in it, want 1", i, kinds)
		}
	}
	*ps = out
	return nil
}
