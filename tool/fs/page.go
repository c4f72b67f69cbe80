package fs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
)

// A page is some lines of a text, as they are shown.
type page struct {
	text  string
	first int  // number of the first line shown, from 1
	last  int  // and of the last; less than first if there is none
	more  bool // lines follow
	total int  // lines of the whole text; -1 if they were not counted
	bom   bool // the text starts with one, which is not shown
	bad   int  // bytes shown as U+FFFD
	lf    bool // a line shown ends in LF
	crlf  bool // or in CRLF, which is shown as LF
}

// A pager reads one page of a text, in memory that depends on neither the size
// of the text nor the length of its lines.
type pager struct {
	first, lines     int    // where to start, and how many to show
	maxText, maxLine int    // bytes to show of all, and of one line
	left             string // what stands for the rest of a long line; {bytes}
	count            bool   // read on to the end to count the lines
}

// read reads the page. Its error is one of ctx or r.
func (p pager) read(ctx context.Context, r io.Reader) (page, error) {
	in := bufio.NewReaderSize(r, chunk)
	out := page{first: p.first, last: p.first - 1, total: -1}
	if head, _ := in.Peek(len(bom)); string(head) == bom {
		out.bom = true
		in.Discard(len(bom))
	}
	skipped, err := skip(ctx, in, p.first-1)
	if err != nil {
		return page{}, err
	}
	if skipped < p.first-1 {
		out.total = skipped
		return out, nil
	}
	var text strings.Builder
	full := false
	for !full && out.last-out.first+1 < p.lines {
		var l line
		if l, err = readLine(ctx, in, p.maxLine); err != nil {
			break
		}
		full = !p.add(&out, &text, l)
	}
	if err != nil && err != io.EOF {
		return page{}, err
	}
	out.text = text.String()
	if full {
		out.more = true // the line that did not fit is read
	} else if _, err := in.Peek(1); err == nil {
		out.more = true
	} else if err != io.EOF {
		return page{}, err
	}
	return out, p.finish(ctx, in, &out, full)
}

// add shows a line, unless the page is full.
func (p pager) add(out *page, text *strings.Builder, l line) bool {
	shown, bad := l.shown(p.left)
	if out.last >= out.first && text.Len()+len(shown) > p.maxText {
		return false
	}
	text.WriteString(shown)
	out.last++
	out.bad += bad
	out.lf = out.lf || l.end == "\n"
	out.crlf = out.crlf || l.end == "\r\n"
	return true
}

// finish counts the lines that follow, if they are to be counted. Pending says
// that one more was read than is shown.
func (p pager) finish(ctx context.Context, in *bufio.Reader, out *page, pending bool) error {
	if !out.more {
		out.total = out.last
		return nil
	}
	if !p.count {
		return nil
	}
	rest, err := skip(ctx, in, math.MaxInt)
	out.total = out.last + rest
	if pending {
		out.total++
	}
	return err
}

// skip reads over n lines and returns how many there were.
func skip(ctx context.Context, in *bufio.Reader, n int) (int, error) {
	skipped, open := 0, false // open: the last line seen has no end yet
	for skipped < n {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		if _, err := in.Peek(1); err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		buffered, _ := in.Peek(in.Buffered())
		ends := bytes.Count(buffered, newline)
		size := len(buffered)
		if skipped+ends >= n {
			ends, size = n-skipped, nth(buffered, n-skipped)
		}
		skipped += ends
		open = buffered[size-1] != '\n'
		in.Discard(size)
	}
	if open {
		skipped++
	}
	return skipped, nil
}

var newline = []byte{'\n'}

// nth returns the length of the first n lines of text, which has that many.
func nth(text []byte, n int) int {
	at := 0
	for range n {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	return at
}

// A line is a line of a text, kept no longer than it is shown.
type line struct {
	kept []byte
	left int    // bytes that were not kept
	end  string // "\n", "\r\n" or nothing
}

// readLine reads a line and keeps most bytes of it, or io.EOF.
func readLine(ctx context.Context, in *bufio.Reader, most int) (line, error) {
	var l line
	size, last := 0, byte(0) // of the line so far, and its last byte
	for {
		if err := context.Cause(ctx); err != nil {
			return l, err
		}
		part, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && (err != io.EOF || size+len(part) == 0) {
			return l, err
		}
		if err == nil {
			l.end = "\n"
			part = part[:len(part)-1]
		}
		if room := min(most, math.MaxInt-1) + 1 - len(l.kept); room > 0 { // one more, which may be the CR of the end
			l.kept = append(l.kept, part[:min(room, len(part))]...)
		}
		size += len(part)
		if len(part) > 0 {
			last = part[len(part)-1]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	if l.end == "\n" && last == '\r' {
		l.end = "\r\n"
		size--
	}
	l.kept = l.kept[:min(len(l.kept), size)]
	if size > most {
		l.kept = []byte(cut(string(l.kept), most))
	}
	l.left = size - len(l.kept)
	return l, nil
}

// shown returns the line with an end of LF, and how many of its bytes are not
// shown as they are. Left is what stands for the rest.
func (l line) shown(left string) (string, int) {
	text, bad := shown(l.kept)
	if l.left > 0 {
		text += fill(left, "bytes", l.left)
	}
	if l.end != "" {
		text += "\n"
	}
	return text, bad
}
