package openai

import (
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A form is all of a dialect that a single message's encoding depends on.
type form struct {
	maker          string
	images         bool
	toolImages     bool
	files          bool
	echo           llm.Echo
	reasoningField string
	empty          llm.EmptyContent
	ids            string
}

func formOf(d llm.Dialect) form {
	f := form{
		maker: maker(d), images: d.Images, toolImages: d.ToolImages, files: d.Wire.Files,
		echo: d.EchoReasoning, reasoningField: d.Wire.ReasoningField, empty: d.Wire.EmptyContent, ids: d.Wire.IDs,
	}
	if f.reasoningField == "" {
		f.reasoningField = "reasoning_content"
	}
	return f
}

// cacheMark is put on the content up to which a provider shall cache.
const cacheMark = `,"cache_control":{"type":"ephemeral"}`

// Texts that stand for what can't be sent.
const (
	noOutput    = "(no output)"
	noReasoning = " " // where a provider wants reasoning back and there was none; "" counts as missing
)

// append appends the message as it goes out: none, one, or, for the results of
// several calls, several joined by commas. mark puts a cache mark on its end.
// It reads only what the message's role may hold; see [sound] for the rest.
func (f form) append(dst []byte, m llm.Message, mark bool) []byte {
	if !says(m) {
		return dst
	}
	switch m.Role {
	case llm.Assistant:
		return f.appendAssistant(dst, m, mark)
	case llm.Tool:
		return f.appendResults(dst, m, mark)
	case llm.System:
		m.Parts = llm.Parts{llm.Text(m.Text())}
	}
	dst = append(append(append(dst, `{"role":"`...), m.Role...), `","content":`...)
	return append(f.appendContent(dst, m.Parts, mark), '}')
}

// says tells whether there is anything in a message that can be sent. Blank
// text is nothing, and so is reasoning alone: providers refuse such messages
// (LLM-E12).
func says(m llm.Message) bool {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			if strings.TrimSpace(string(p)) != "" {
				return true
			}
		case llm.Image:
			if m.Role == llm.User {
				return true
			}
		case llm.ToolCall:
			if m.Role == llm.Assistant {
				return true
			}
		case llm.ToolResult:
			if m.Role == llm.Tool {
				return true
			}
		}
	}
	return false
}

func (f form) appendAssistant(dst []byte, m llm.Message, mark bool) []byte {
	text, calls := m.Text(), m.Calls()
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	dst = append(dst, `{"role":"assistant"`...)
	switch {
	case text != "":
		dst = f.appendContent(append(dst, `,"content":`...), llm.Parts{llm.Text(text)}, mark)
	case f.empty == llm.ContentNull:
		dst = append(dst, `,"content":null`...)
	case f.empty == llm.ContentEmpty:
		dst = append(dst, `,"content":""`...)
	}
	if f.echo == llm.EchoAll || f.echo == llm.EchoCalls && len(calls) > 0 {
		dst = f.appendReasoning(dst, m)
	}
	for i, c := range calls {
		dst = append(dst, [...]string{`,"tool_calls":[`, `,`}[min(i, 1)]...)
		dst = f.appendCall(dst, c)
	}
	if len(calls) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendReasoning appends what the receiver wants back: its own sealed members
// where it gave some, else the plain text.
func (f form) appendReasoning(dst []byte, m llm.Message) []byte {
	before := len(dst)
	for _, p := range m.Parts {
		if r, ok := p.(llm.Reasoning); ok {
			dst = f.appendSeal(dst, r.Seal, "role", "content", "tool_calls", f.reasoningField)
		}
	}
	if len(dst) > before {
		return dst
	}
	text := m.Reasoning()
	if text == "" {
		text = noReasoning
	}
	dst = append(appendString(append(dst, ','), f.reasoningField), ':')
	return appendString(dst, text)
}

func (f form) appendCall(dst []byte, c llm.ToolCall) []byte {
	dst = appendString(append(dst, `{"id":`...), mappedID(f.ids, c.ID))
	dst = appendString(append(dst, `,"type":"function","function":{"name":`...), toolName(c.Name))
	dst = appendString(append(dst, `,"arguments":`...), arguments(c.Arguments))
	dst = f.appendSeal(append(dst, '}'), c.Seal, "id", "type", "function", "index")
	return append(dst, '}')
}

// appendSeal appends the members of a seal that the receiver made itself, but
// for those of the protocol.
func (f form) appendSeal(dst []byte, seal llm.Seal, not ...string) []byte {
	if seal.Data == "" || f.maker == "" || seal.Maker != f.maker {
		return dst
	}
	raw, err := compacted([]byte(seal.Data))
	if err != nil {
		return dst
	}
	for name, member := range value(raw).members() {
		if !slices.Contains(not, string(name)) {
			dst = append(append(appendString(append(dst, ','), string(name)), ':'), member...)
		}
	}
	return dst
}
