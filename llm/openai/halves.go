package openai

import (
	"bytes"
	"strings"
)

// A halved is the text of a JSON string that was cut out of a longer text. A
// server that cuts by UTF-16 units may cut through a character, so that one
// half of it stands as an escape at the end and the other at the beginning of
// the next string.
type halved struct {
	low  string // the escape of a second half, if the text begins with one
	text string
	high string // the escape of a first half, if it ends with one
}

const escapeLen = len(`\ud83c`)

// halved returns a string's text with halves at its ends set apart. Halves
// elsewhere are no text, and become U+FFFD.
func (v value) halved() (h halved) {
	if bytes.IndexByte(v, '\\') < 0 {
		h.text = v.text()
		return h
	}
	if !v.isString() {
		return h
	}
	inner := string(v[1 : len(v)-1])
	if isHalf(inner, 'c') {
		h.low, inner = inner[:escapeLen], inner[escapeLen:]
	}
	if at := len(inner) - escapeLen; at >= 0 && isHalf(inner[at:], '8') && !escapes(inner[:at]) {
		h.high, inner = inner[at:], inner[:at]
	}
	h.text = value(`"` + inner + `"`).text()
	return h
}

// isHalf tells whether s begins with the escape of a half: one from d800 on, or
// from dc00 on if from is 'c'.
func isHalf(s string, from byte) bool {
	if len(s) < escapeLen || !strings.EqualFold(s[:3], `\ud`) {
		return false
	}
	digit := s[3] | 0x20 // in lower case
	if from == 'c' {
		return digit >= 'c' && digit <= 'f'
	}
	return s[3] == '8' || s[3] == '9' || digit == 'a' || digit == 'b'
}

// escapes tells whether s ends in a backslash that escapes what follows.
func escapes(s string) bool {
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// join returns the text with the half that was pending before it, and leaves
// the half at its end pending.
func (h halved) join(pending *string) string {
	before := ""
	if *pending+h.low != "" {
		before = value(`"` + *pending + h.low + `"`).text() // one character, or U+FFFD
	}
	*pending = h.high
	return before + h.text
}
