package compress

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// preview returns what is shown of a large text: its head and its tail, in at
// most that many tokens.
func (w *work) preview(o *Offload, text, id string, most int) string {
	length := utf8.RuneCountInString(text)
	head, tail := o.shown()
	if head+tail >= length { // long in tokens, not in characters
		head, tail = length/2, length/5
	}
	for {
		shown := w.shown(text, id, length, head, tail)
		n := w.Tokens(shown, false)
		if n <= most || head+tail == 0 {
			return shown
		}
		part := 0.9 * float64(most) / float64(n)
		head, tail = int(float64(head)*part), int(float64(tail)*part)
	}
}

func (w *work) shown(text, id string, length, head, tail int) string {
	words := w.texts()
	note := words.Cut
	if id != "" {
		note = words.Offloaded
	}
	return fill(note,
		"id", id, "length", strconv.Itoa(length), "left", strconv.Itoa(length-head-tail),
		"head", prefix(text, head), "tail", suffix(text, tail))
}

// page shortens a page that was read back, and says where to go on. It is not
// put aside once more: that would go on for ever (B101).
func (w *work) page(r large, most int) string {
	var in readIn
	if c, ok := w.callOf(r.message, r.result.CallID); ok {
		_ = json.Unmarshal([]byte(c.Arguments), &in) // arguments that can't be read begin at 0
	}
	for chars := utf8.RuneCountInString(r.result.Text); ; chars = chars * 4 / 5 {
		text := prefix(r.result.Text, chars) + fill(w.texts().Shortened, "next", strconv.Itoa(in.Offset+chars))
		if chars == 0 || w.Tokens(text, false) <= most {
			return text
		}
	}
}

// callOf finds the call that a result of message i answers.
func (w *work) callOf(i int, id string) (llm.ToolCall, bool) {
	for i--; i >= 0 && w.messages[i].Role == llm.Tool; i-- {
	}
	if i >= 0 {
		for _, c := range w.messages[i].Calls() {
			if c.ID == id {
				return c, true
			}
		}
	}
	return llm.ToolCall{}, false
}

// prefix returns the first n characters of s.
func prefix(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// suffix returns the last n characters of s.
func suffix(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

// within cuts text to at most that many tokens, mark included.
func (c counter) within(text string, most int, mark string) string {
	if c.text(text) <= most {
		return text
	}
	most -= c.text(mark)
	low, high := 0, len(text) // bytes that fit, bytes that may not
	for high-low > 1 {
		middle := (low + high) / 2
		if c.text(text[:runeStart(text, middle)]) <= most {
			low = middle
		} else {
			high = middle
		}
	}
	if most <= 0 {
		low = 0
	}
	return strings.TrimSpace(text[:runeStart(text, low)]) + mark
}

func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
