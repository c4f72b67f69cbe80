package fs

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// wanted is what a search looks for.
type wanted struct {
	re      *regexp.Regexp
	literal []byte // a text that every match holds; empty if none is known
	exact   bool   // and that is all it takes
	fold    bool   // the text is in lower case, and matches hold it in any
}

// parseWanted reads a regular expression.
func parseWanted(pattern string) (*wanted, error) {
	if pattern == "" {
		return nil, errors.New("fs: searching: the pattern is empty")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("fs: searching: %w; the syntax is RE2: put \\ before ( ) [ ] { } . * + ? | ^ $ that "+
			"mean themselves; look-around and back references do not exist", err)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("fs: searching: %w", err)
	}
	tree = tree.Simplify()
	text, fold := literal(tree)
	w := &wanted{re: re, literal: []byte(text), fold: fold}
	w.exact = tree.Op == syntax.OpLiteral && len(w.literal) > 0 && !fold
	if bytes.IndexByte(w.literal, '\n') >= 0 {
		return nil, errors.New("fs: searching: a match lies within one line, so the pattern must hold no line end")
	}
	return w, nil
}

// literal returns the longest text that is part of every match, as far as it is
// plain, and whether its case is ignored.
func literal(re *syntax.Regexp) (text string, fold bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune), false
		}
		return folded(re.Rune), true
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t, f := literal(sub); len(t) > len(text) {
				text, fold = t, f
			}
		}
	}
	return text, fold
}

// folded returns the longest run of text whose every spelling has the same
// length: ASCII but for k and s, which some other characters are the upper case of.
func folded(text []rune) string {
	longest := ""
	for _, run := range strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool {
		return r >= utf8.RuneSelf || r == 'k' || r == 's'
	}) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// appendLower appends text with its ASCII letters in lower case.
func appendLower(to, text []byte) []byte {
	to = append(to, text...)
	for i, c := range to[len(to)-len(text):] {
		if 'A' <= c && c <= 'Z' {
			to[len(to)-len(text)+i] = c + 'a' - 'A'
		}
	}
	return to
}

// find returns where the first match in a line starts, or -1.
func (w *wanted) find(line []byte) int {
	if w.exact {
		return bytes.Index(line, w.literal)
	}
	if at := w.re.FindIndex(line); at != nil {
		return at[0]
	}
	return -1
}
