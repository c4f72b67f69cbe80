package compress

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// transcript returns what p does not keep in words, in segments that fit into
// one request each. A unit that fits into one is never parted.
func (m *summarizer) transcript(p *past) []string {
	t := &segmenter{summarizer: m}
	if p.slot == "" {
		t.add([]llm.Message{{Role: llm.User, Parts: p.first}})
	}
	for i, u := range p.units {
		if i < p.cut && i != p.open {
			t.add(m.read[u.from:u.to])
		}
	}
	t.flush()
	return t.done
}

// A segmenter writes units to segments.
type segmenter struct {
	*summarizer
	b             strings.Builder
	chars, tokens int // in b
	done          []string
}

// add writes a unit, and begins a segment with it if it has no room in the last.
// It is written before it is measured, so that it is not written twice.
func (t *segmenter) add(unit []llm.Message) {
	before := t.b.Len()
	if before == 0 {
		t.grow()
	}
	t.tell(&t.b, unit)
	text := t.b.String()[before:]
	n, c := t.text(text), utf8.RuneCountInString(text)
	if t.tokens+n <= t.room && t.chars+c <= t.summarizer.chars {
		t.tokens, t.chars = t.tokens+n, t.chars+c
		return
	}
	if before > 0 {
		t.done = append(t.done, t.b.String()[:before])
	}
	t.reset()
	for n > t.room || c > t.summarizer.chars {
		piece := t.fitting(text)
		t.done, text = append(t.done, piece), text[len(piece):]
		n, c = t.text(text), utf8.RuneCountInString(text)
	}
	t.grow()
	t.b.WriteString(text)
	t.tokens, t.chars = n, c
}

// grow makes room for a segment at once.
func (t *segmenter) grow() { t.b.Grow(min(t.summarizer.chars+4_000, 1<<16)) }

func (t *segmenter) flush() {
	if t.b.Len() > 0 {
		t.done = append(t.done, t.b.String())
	}
	t.reset()
}

func (t *segmenter) reset() {
	t.b = strings.Builder{}
	t.tokens, t.chars = 0, 0
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

// tell writes messages as a summarizer reads them: with names and arguments of
// calls, and the beginning of each result.
func (m *summarizer) tell(b *strings.Builder, messages []llm.Message) {
	texts := m.texts()
	for _, message := range messages {
		who := texts.User
		if message.Role == llm.Assistant {
			who = texts.Assistant
		}
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llm.Text:
				writeAll(b, who, " ", string(part))
			case llm.Image:
				writeAll(b, who, " ", texts.Image)
			case llm.ToolCall:
				fillTo(b, texts.Call, "tool", part.Name, "arguments", part.Arguments)
			case llm.ToolResult:
				fillTo(b, texts.Result, "tool", part.Name, "text", m.shortened(part.Text))
			default:
				continue // reasoning
			}
			b.WriteByte('\n')
		}
	}
}

func writeAll(b *strings.Builder, texts ...string) {
	for _, t := range texts {
		b.WriteString(t)
	}
}

func (m *summarizer) shortened(text string) string {
	if len(text) <= m.result {
		return text
	}
	head := prefix(text, m.result)
	if len(head) == len(text) {
		return text
	}
	left := utf8.RuneCountInString(text[len(head):])
	return head + fill(m.texts().ResultCut, "left", strconv.Itoa(left))
}
