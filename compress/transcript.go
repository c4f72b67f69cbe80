package compress

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// transcript returns what p does not keep in words, in segments that fit into
// one request each. A unit that fits is never parted.
func (m *summarizer) transcript(p *past) (segments []string) {
	var b strings.Builder
	chars, tokens := 0, 0
	flush := func() {
		if b.Len() > 0 {
			segments = append(segments, b.String())
			b.Reset()
			chars, tokens = 0, 0
		}
	}
	add := func(text string) {
		for text != "" {
			piece := m.fitting(text)
			n, c := m.text(piece), utf8.RuneCountInString(piece)
			if tokens+n > m.room || chars+c > m.chars {
				flush()
			}
			b.WriteString(piece)
			chars, tokens, text = chars+c, tokens+n, text[len(piece):]
		}
	}
	if len(p.slot) == 0 {
		add(m.plainly([]llm.Message{{Role: llm.User, Parts: p.first}}))
	}
	for i, u := range p.units {
		if i < p.cut && i != p.open {
			add(m.plainly(m.read[u.from:u.to]))
		}
	}
	flush()
	return segments
}

// fitting returns as much of the beginning of a text as fits into a segment,
// and at least one character.
func (m *summarizer) fitting(text string) string {
	text = prefix(text, m.chars)
	for m.text(text) > m.room {
		text = prefix(text, max(1, utf8.RuneCountInString(text)*3/4))
		if len(text) <= utf8.UTFMax {
			break
		}
	}
	return text
}

// plainly returns messages as a summarizer reads them: with names and arguments
// of calls, and the beginning of each result.
func (m *summarizer) plainly(messages []llm.Message) string {
	var b strings.Builder
	texts := m.texts()
	for _, message := range messages {
		who := texts.User
		if message.Role == llm.Assistant {
			who = texts.Assistant
		}
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llm.Text:
				b.WriteString(who + " " + string(part) + "\n")
			case llm.Image:
				b.WriteString(who + " " + texts.Image + "\n")
			case llm.ToolCall:
				b.WriteString(fill(texts.Call, "tool", part.Name, "arguments", part.Arguments) + "\n")
			case llm.ToolResult:
				b.WriteString(fill(texts.Result, "tool", part.Name, "text", m.shortened(part.Text)) + "\n")
			}
		}
	}
	return b.String()
}

func (m *summarizer) shortened(text string) string {
	head := prefix(text, m.result)
	if len(head) == len(text) {
		return text
	}
	left := utf8.RuneCountInString(text[len(head):])
	return head + fill(m.texts().ResultCut, "left", strconv.Itoa(left))
}
