package fs

import (
	"bytes"
	"strconv"
	"strings"
)

// whyNone says why old is not in text, as well as can be told, and what to do.
// All three have LF as line ends.
func (t Texts) whyNone(text, old, replacement string) string {
	if strings.TrimPrefix(text, bom) == "" {
		return t.EditingEmpty
	}
	if strings.Contains(old, "\uFFFD") {
		return t.Undecodable
	}
	if first, last, ok := sameButSpace(text, old); ok {
		lines := strings.SplitAfter(text, "\n")[first-1 : last]
		return fill(t.WhiteSpace, "first", first, "last", last, "text", excerptOf(strings.Join(lines, "")))
	}
	if plain, ok := withoutNumbers(old); ok && strings.Contains(text, plain) {
		return t.LineNumbers
	}
	if plain := unescape.Replace(old); plain != old && strings.Contains(text, plain) {
		return t.Escaped
	}
	if strings.TrimSpace(replacement) != "" {
		if places := occurrences(text, replacement); len(places) > 0 {
			return fill(t.AlreadyNew, "lines", numbers(linesOf(text, places)))
		}
	}
	if at := indexFold(text, old); at >= 0 {
		return fill(t.LetterCase, "line", linesOf(text, []int{at})[0], "text", excerptOf(text[at:at+len(old)]))
	}
	if line, is, want, ok := differs(text, old); ok {
		return fill(t.FirstLine, "line", line, "text", excerptOf(is), "want", excerptOf(want))
	}
	return t.ReadAgain
}

// excerptOf quotes a text, so that its white space can be seen.
func excerptOf(text string) string {
	const most = 600
	if short := cut(text, most); short != text {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(text)
}

// sameButSpace finds the lines of text that are those of old but for white space
// at their starts and ends and within.
func sameButSpace(text, old string) (first, last int, ok bool) {
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	for i := range want {
		want[i] = squeeze(want[i])
	}
	if strings.Join(want, "") == "" {
		return 0, 0, false
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = squeeze(lines[i])
	}
	for i := 0; i+len(want) <= len(lines); i++ {
		if matches(lines[i:i+len(want)], want) {
			return i + 1, i + len(want), true
		}
	}
	return 0, 0, false
}

// matches tells whether lines hold want: its first at an end, its last at a
// start, those between whole.
func matches(lines, want []string) bool {
	n := len(want)
	if n == 1 {
		return strings.Contains(lines[0], want[0])
	}
	for i := 1; i < n-1; i++ {
		if lines[i] != want[i] {
			return false
		}
	}
	return strings.HasSuffix(lines[0], want[0]) && strings.HasPrefix(lines[n-1], want[n-1])
}

// squeeze makes all white space in a line one space, and none at its ends.
func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// unescape undoes what a text has that was escaped once too often.
var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)

// withoutNumbers takes line numbers, as listings show them, from the start of
// every line.
func withoutNumbers(old string) (string, bool) {
	lines := strings.Split(old, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
		if rest == line && line != "" {
			return "", false
		}
		for _, sep := range []string{"\t", ": ", ":", "| ", "|", " "} {
			if after, ok := strings.CutPrefix(rest, sep); ok {
				rest = after
				break
			}
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n"), true
}

// indexFold finds old in text whatever the case of its ASCII letters.
func indexFold(text, old string) int {
	// By bytes, so that places stay what they are.
	return bytes.Index(appendLower(nil, []byte(text)), appendLower(nil, []byte(old)))
}

// differs finds the first line of old in text, and the lines in which the two
// then differ.
func differs(text, old string) (number int, is, want string, ok bool) {
	lines, wanted := strings.Split(text, "\n"), strings.Split(strings.TrimLeft(old, "\n"), "\n")
	head := squeeze(wanted[0])
	if head == "" || len(wanted) < 2 {
		return 0, "", "", false
	}
	for i, line := range lines {
		if squeeze(line) != head {
			continue
		}
		for j := 1; j < len(wanted); j++ {
			if i+j >= len(lines) {
				return i + 1, "", wanted[j], true
			}
			if squeeze(lines[i+j]) != squeeze(wanted[j]) {
				return i + 1, lines[i+j], wanted[j], true
			}
		}
	}
	return 0, "", "", false
}
