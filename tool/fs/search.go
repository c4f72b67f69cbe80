package fs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// wanted is what a search looks for.
type wanted struct {
	re      *regexp.Regexp
	literal []byte // a text that every match holds; empty if none is known
	exact   bool   // and that is all it takes
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
	w := &wanted{re: re, literal: []byte(literal(tree))}
	w.exact = tree.Op == syntax.OpLiteral && len(w.literal) > 0
	if bytes.IndexByte(w.literal, '\n') >= 0 {
		return nil, errors.New("fs: searching: a match lies within one line, so the pattern must hold no line end")
	}
	return w, nil
}

// literal returns the longest text that is part of every match, as far as it is plain.
func literal(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(re.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if l := literal(sub); len(l) > len(longest) {
				longest = l
			}
		}
		return longest
	}
	return ""
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

const (
	// maxBuffer is how much of one line is searched as a whole. Longer lines are
	// searched in pieces that overlap.
	maxBuffer = 4 << 20
	overlap   = 4 << 10
)

// A searcher searches one file after the other.
type searcher struct {
	*wanted
	fs  *FS
	buf []byte
}

func (f *FS) newSearcher(w *wanted) *searcher {
	return &searcher{wanted: w, fs: f, buf: make([]byte, 64<<10)}
}

// file adds the matches in a file to b. A file of known size is read no further.
func (s *searcher) file(ctx context.Context, r io.Reader, size int64, path string, b *batch) error {
	scan := scan{searcher: s, path: path, b: b, line: 1}
	held, read := 0, int64(0) // bytes in the buffer, and read of the file
	for first := true; ; first = false {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := r.Read(s.buf[held:])
		held, read = held+n, read+int64(n)
		if err != nil && err != io.EOF {
			return err
		}
		if first && binary(s.buf[:held]) {
			b.binary++
			return nil
		}
		end := err == io.EOF || size > 0 && read >= size
		part, whole := s.buf[:held], end
		if !end {
			if part = part[:bytes.LastIndexByte(part, '\n')+1]; len(part) > 0 {
				whole = true
			} else if held < len(s.buf) {
				continue
			} else if held < maxBuffer {
				s.buf = append(s.buf, make([]byte, held)...)
				continue
			} else {
				part = s.buf[:held]
			}
		}
		if !scan.lines(part) || end {
			break
		}
		used := len(part)
		if !whole {
			used -= overlap
		}
		held = copy(s.buf, s.buf[used:held])
	}
	b.searched++
	return nil
}

// A scan is where a search of a file has come.
type scan struct {
	*searcher
	path     string
	b        *batch
	line     int // number of the first line of what comes next
	reported int // the last line that was reported
}

// lines searches whole lines, or a piece of one, and tells whether to go on.
func (s *scan) lines(part []byte) bool {
	for len(part) > 0 {
		if len(s.literal) > 0 {
			at := bytes.Index(part, s.literal)
			if at < 0 {
				s.line += bytes.Count(part, newline)
				return true
			}
			start := bytes.LastIndexByte(part[:at], '\n') + 1
			s.line += bytes.Count(part[:start], newline)
			part = part[start:]
		}
		end := bytes.IndexByte(part, '\n')
		next := end + 1
		if end < 0 {
			end, next = len(part), len(part)
		}
		line := bytes.TrimSuffix(part[:end], []byte{'\r'})
		if at := s.find(line); at >= 0 && s.line != s.reported {
			s.reported = s.line
			s.b.matches = append(s.b.matches, match{s.path, s.line, s.fs.excerpt(line, at)})
			if len(s.b.matches) > s.fs.MaxMatches {
				return false
			}
		}
		if next > end {
			s.line++
		}
		part = part[next:]
	}
	return true
}

// excerpt returns a line, or of a long one the part around at.
func (f *FS) excerpt(line []byte, at int) string {
	most := f.MaxLine
	if len(line) <= most {
		text, _ := shown(line)
		return text
	}
	start := max(0, at-most/4)
	for start > 0 && start < at && !utf8.RuneStart(line[start]) {
		start++
	}
	part := cut(string(line[start:min(len(line), start+most+utf8.UTFMax)]), most)
	text, _ := shown([]byte(part))
	if start > 0 {
		text = "…" + text
	}
	return text + fill(f.Texts.LineLeft, "bytes", len(line)-len(part))
}
