package journal

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads a file line by line. A line is valid until the next is read.
type lines struct {
	in    *bufio.Reader
	long  []byte // a line that does not fit in in
	n     int    // the number of the line, from 1
	start int64  // where it starts
	ended bool   // whether a newline ended it
	last  int64  // where what is not blank ends, of all that was read
	read  int64  // how much was read
}

func newLines(from io.Reader) lines { return lines{in: bufio.NewReaderSize(from, 64<<10)} }

var errLong = errors.New("line is longer than any that was written")

// next returns the next line without its newline, or [io.EOF].
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	l.start = l.read
	for {
		part, err := l.in.ReadSlice('\n')
		l.read += int64(len(part))
		if err == bufio.ErrBufferFull && len(l.long) > maxLine {
			return nil, errLong
		}
		if err == bufio.ErrBufferFull || len(l.long) > 0 {
			l.long = append(l.long, part...)
			part = l.long
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(part) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		}
		l.n++
		l.ended = err == nil
		if l.ended {
			part = part[:len(part)-1]
		} else {
			part = bytes.TrimRight(part, "\x00") // a file that grew and was not written to
		}
		if !blank(part) {
			l.last = l.start + int64(len(part))
			if l.ended {
				l.last++
			}
		}
		return part, nil
	}
}

// blankToEnd reads to the end and tells whether there was nothing.
func (l *lines) blankToEnd() (bool, error) {
	for {
		line, err := l.next()
		if err == io.EOF {
			return true, nil
		}
		if err != nil || !blank(line) {
			return false, err
		}
	}
}

func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n\x00")) == 0 }
