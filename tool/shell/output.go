package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// An output keeps the beginning and the end of what is written to it, and
// counts the rest. Its memory is bounded by max bytes, whatever is written.
// Use it from one goroutine at a time.
type output struct {
	max   int
	head  []byte // the first max/2 bytes
	tail  []byte // the last bytes after head, as a ring once it is full
	next  int    // where the ring goes on
	total int64
}

// Write implements io.Writer; it never fails.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	if room := o.max/2 - len(o.head); room > 0 {
		k := min(room, len(p))
		o.head = append(o.head, p[:k]...)
		p = p[k:]
	}
	size := o.max - o.max/2
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(o.tail); room > 0 {
		k := min(room, len(p))
		o.tail = append(o.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 { // the ring is full: write over the oldest
		k := copy(o.tail[o.next:], p)
		o.next = (o.next + k) % size
		p = p[k:]
	}
	return n, nil
}

// empty tells whether nothing was written.
func (o *output) empty() bool { return o.total == 0 }

// text returns what was kept. If something had to be left out, a note in its
// place says how many bytes, and the note counts toward max (but is never cut
// itself). What is no text is described.
func (o *output) text(t Texts) string {
	tail := append(bytes.Clone(o.tail[o.next:]), o.tail[:o.next]...)
	if bytes.IndexByte(o.head, 0) >= 0 || bytes.IndexByte(tail, 0) >= 0 {
		return fill(t.Binary, "{bytes}", o.total)
	}
	if o.total <= int64(o.max) {
		return strings.ToValidUTF8(string(o.head)+string(tail), "\uFFFD")
	}
	room := max(0, o.max-len(fill(t.LeftOut, "{bytes}", o.total)))
	head := cutEnd(o.head, room/2)
	tail = cutStart(tail, room-room/2)
	note := fill(t.LeftOut, "{bytes}", o.total-int64(len(head))-int64(len(tail)))
	// A replacement rune is longer than the byte it stands for, so bytes that
	// are no text are left out where there is a cap to keep.
	return strings.ToValidUTF8(string(head), "") + note + strings.ToValidUTF8(string(tail), "")
}

// cutEnd returns at most n bytes of the start of b, no character cut in two.
func cutEnd(b []byte, n int) []byte {
	if n = min(n, len(b)); n == 0 {
		return nil
	}
	for i := n - 1; i >= 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:n]) {
				return b[:i]
			}
			break
		}
	}
	return b[:n]
}

// cutStart returns at most n bytes of the end of b, no character cut in two.
func cutStart(b []byte, n int) []byte {
	b = b[len(b)-min(n, len(b)):]
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b[min(len(b), utf8.UTFMax):]
}
