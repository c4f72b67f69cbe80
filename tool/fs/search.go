package fs

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"
)

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
	low []byte // the part that is searched, in lower case, if case is ignored
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
	hay := part
	if s.fold {
		s.low = appendLower(s.low[:0], part)
		hay = s.low
	}
	for at := 0; at < len(part); {
		if len(s.literal) > 0 {
			found := bytes.Index(hay[at:], s.literal)
			if found < 0 {
				s.line += bytes.Count(part[at:], newline)
				return true
			}
			start := bytes.LastIndexByte(part[:at+found], '\n') + 1
			s.line += bytes.Count(part[at:start], newline)
			at = start
		}
		line, _, ended := bytes.Cut(part[at:], newline)
		at += len(line)
		if !s.report(bytes.TrimSuffix(line, []byte{'\r'})) {
			return false
		}
		if ended {
			s.line++
			at++
		}
	}
	return true
}

// report adds the line if it matches, and tells whether to go on.
func (s *scan) report(line []byte) bool {
	if s.line == s.reported {
		return true // another piece of it matched
	}
	at := s.find(line)
	if at < 0 {
		return true
	}
	s.reported = s.line
	s.b.matches = append(s.b.matches, match{s.path, s.line, s.fs.excerpt(line, at)})
	return len(s.b.matches) <= s.fs.MaxMatches
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
	return text + fill(f.words().LineLeft, "bytes", len(line)-len(part))
}
