package llm

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
		Images []Image `json:"images,omitzero"`
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

// words returns the one free text of a part: what it says, not its names.
func words(p Part) string {
	switch p := p.(type) {
	case Text:
		return string(p)
	case Reasoning:
		return p.Text
	case ToolCall:
		return p.Arguments
	case ToolResult:
		return p.Text
	}
	return ""
}

// withWords returns the part with another free text.
func withWords(p Part, text string) Part {
	switch p := p.(type) {
	case Text:
		return Text(text)
	case Reasoning:
		p.Text = text
		return p
	case ToolCall:
		p.Arguments = text
		return p
	case ToolResult:
		p.Text = text
		return p
	}
	return p
}
