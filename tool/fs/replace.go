package fs

import (
	"slices"
	"sort"
	"strings"
)

// A unified is a text in which every CRLF is LF, and the way back. A model sees
// and writes LF; what it does not touch stays byte for byte.
type unified struct {
	text string
	from string
	crs  []int // places of the LF in text that were CRLF, ascending
}

func unify(text string) unified {
	if !strings.Contains(text, "\r\n") {
		return unified{text: text, from: text}
	}
	u := unified{from: text}
	var b strings.Builder
	b.Grow(len(text))
	for rest := text; ; {
		line, after, more := strings.Cut(rest, "\r\n")
		b.WriteString(line)
		if !more {
			break
		}
		u.crs = append(u.crs, b.Len())
		b.WriteByte('\n')
		rest = after
	}
	u.text = b.String()
	return u
}

// origin returns the place in the old text of a place in the unified one.
func (u unified) origin(at int) int { return at + sort.SearchInts(u.crs, at) }

// occurrences returns every place at which old occurs, also where two overlap:
// which of those is meant can't be known either.
func occurrences(text, old string) []int {
	var places []int
	for at := 0; ; at++ {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return places
		}
		at += i
		places = append(places, at)
	}
}

// apart leaves out the places that overlap with one before.
func apart(places []int, size int) []int {
	end := 0
	return slices.DeleteFunc(slices.Clone(places), func(at int) bool {
		if at < end {
			return true
		}
		end = at + size
		return false
	})
}

// linesOf returns the numbers of the lines in which places, ascending, are.
func linesOf(text string, places []int) []int {
	lines := make([]int, len(places))
	line, from := 1, 0
	for i, at := range places {
		line += strings.Count(text[from:at], "\n")
		lines[i], from = line, at
	}
	return lines
}

// replace returns the text it came from with replacement in the place of old,
// at places that do not overlap. What both have in common at their start and
// end is not touched, so that its line ends stay what they are.
func (u unified) replace(places []int, old, replacement string) string {
	end := "\n" // of lines in a text that has none
	if strings.Contains(replacement, "\r\n") {
		end = "\r\n"
	}
	replacement = unify(replacement).text
	head := common(old, replacement)
	tail := len(old) - head - len(commonEnd(old[head:], replacement[head:]))
	middle := replacement[head : len(replacement)-(len(old)-head-tail)]

	var b strings.Builder
	done := 0
	for _, at := range places {
		from, to := u.origin(at+head), u.origin(at+head+tail)
		b.WriteString(u.from[done:from])
		b.WriteString(u.endLines(middle, from, to, end))
		done = to
	}
	b.WriteString(u.from[done:])
	return b.String()
}

// common returns how many bytes two texts have in common at their start.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd returns what two texts have in common at their end.
func commonEnd(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return a[len(a)-n:]
}

// endLines gives the lines of text, which comes in the place of from to to, the
// line ends that belong there: those of the lines that it replaces, one by one if
// they are as many, else of those that are the same; for the others that of the
// line before, or around.
func (u unified) endLines(text string, from, to int, none string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	was := strings.SplitAfter(u.from[from:to], "\n")
	lines := strings.SplitAfter(text, "\n")
	even := len(was) == len(lines)
	end := u.endAt(to, none)
	if len(was) > 1 {
		end = endOf(was[0])
	}
	var b strings.Builder
	for i, line := range lines {
		line, ended := strings.CutSuffix(line, "\n")
		b.WriteString(line)
		if !ended {
			break
		}
		if even {
			end = endOf(was[i])
		} else if same := slices.IndexFunc(was, func(w string) bool {
			return endOf(w) != "" && strings.TrimSuffix(w, endOf(w)) == line
		}); same >= 0 {
			end = endOf(was[same])
			was = was[same+1:]
		}
		b.WriteString(end)
	}
	return b.String()
}

// endOf returns the line end of a line, if it has one.
func endOf(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}

// endAt returns the line end of the line at a place in the old text, or of the
// last line that has one, or none.
func (u unified) endAt(at int, none string) string {
	next := strings.IndexByte(u.from[at:], '\n')
	if next >= 0 {
		return endOf(u.from[:at+next+1])
	}
	if last := strings.LastIndexByte(u.from[:at], '\n'); last >= 0 {
		return endOf(u.from[:last+1])
	}
	return none
}
