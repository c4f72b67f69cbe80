package fs

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// bom may stand before UTF-8 text. It is not shown, and no edit removes it.
	bom = "\uFEFF"

	// sniffed is how far a file is searched for a NUL byte, which no text holds.
	// It is what git does.
	sniffed = 8000
)

// binary tells from the head of a file whether it is no text.
func binary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), sniffed)], 0) >= 0
}

// kindOf names the kind of a binary file by its head.
func kindOf(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return "UTF-16 text"
	}
	return kind
}

// cut returns the start of s, at most most bytes and no part of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for at := most; at > 0 && at > most-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return s[:at]
		}
	}
	return s[:most] // no UTF-8
}

// shown makes a line fit to be shown: what is no UTF-8, and NUL, becomes U+FFFD.
// It also returns how many bytes that were.
func shown(line []byte) (string, int) {
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 {
		return string(line), 0
	}
	var text strings.Builder
	bad := 0
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 || r == 0 {
			r = utf8.RuneError
			bad++
		}
		text.WriteRune(r)
		line = line[size:]
	}
	return text.String(), bad
}

// shownName makes a path fit to stand in a line: one that holds a line end, or is
// no text, is quoted.
func shownName(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, unicode.IsControl) {
		return path
	}
	return strconv.Quote(path)
}
