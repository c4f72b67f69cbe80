package openai

import (
	"bytes"
	"errors"
	"io"
)

// maxEvent is the most bytes that one event, or one line of it, may have.
const maxEvent = 32 << 20

// errTooLong is given for an event of more than maxEvent bytes.
var errTooLong = errors.New("one event of the stream is longer than 32 MiB")

// An event is one server-sent event. Its bytes are good until the next is read.
type event struct {
	name string // empty for most
	data []byte // the data lines, joined by newlines
}

// events reads server-sent events as the standard has them: lines that end in
// LF, CRLF or CR, comments, several data lines, one blank stripped after the
// colon. Beyond the standard it is forgiving where providers are careless:
//
//   - an event counts though the stream ends before its blank line, or its newline;
//   - a line that begins with a brace is data, though nothing says so.
type events struct {
	r   io.Reader
	buf []byte // what was read and not yet used is buf[pos:]
	pos int

	scanned int   // of buf[pos:], known to hold no line end
	skipLF  bool  // the last line ended in CR; an LF now belongs to it
	started bool  // the byte order mark was looked for
	err     error // of r

	data  []byte // of the event that is being read
	name  string
	lines int    // data lines in data
	stray string // the first line that is no field, for error messages; not all of a long one
	ended bool   // the last event was ended by the end of the stream, not by a blank line
}

func newEvents(r io.Reader) *events { return &events{r: r, buf: make([]byte, 0, 8<<10)} }

// next returns the next event that has data or a name. At the end of the
// stream the error is io.EOF, or the reader's own.
func (s *events) next() (event, error) {
	s.data, s.name, s.lines = s.data[:0], "", 0
	for {
		line, err := s.line()
		if err != nil {
			if s.lines > 0 && errors.Is(err, io.EOF) {
				s.ended = true
				return event{s.name, s.data}, nil
			}
			return event{}, err
		}
		if len(line) > 0 {
			if err := s.field(line); err != nil {
				return event{}, err
			}
			continue
		}
		if s.lines > 0 {
			return event{s.name, s.data}, nil
		}
		s.name = ""
	}
}

// field takes in one line.
func (s *events) field(line []byte) error {
	if line[0] == '{' {
		return s.add(line)
	}
	field, content, _ := bytes.Cut(line, []byte(":"))
	content = bytes.TrimPrefix(content, []byte(" "))
	switch string(field) {
	case "data":
		return s.add(content)
	case "event":
		s.name = string(content)
	case "", "id", "retry": // "" is a comment
	default:
		if s.stray == "" {
			s.stray = string(line[:min(len(line), 4<<10)])
		}
	}
	return nil
}

func (s *events) add(content []byte) error {
	if len(s.data)+len(content) > maxEvent {
		return errTooLong
	}
	if s.lines > 0 {
		s.data = append(s.data, '\n')
	}
	s.data = append(s.data, content...)
	s.lines++
	return nil
}

// line returns the next line without its end. The last line may have none.
func (s *events) line() ([]byte, error) {
	for {
		rest := s.buf[s.pos:]
		if i := bytes.IndexAny(rest[s.scanned:], "\r\n"); i >= 0 {
			i += s.scanned
			s.pos += i + 1
			s.scanned = 0
			if i == 0 && rest[0] == '\n' && s.skipLF {
				s.skipLF = false
				continue
			}
			s.skipLF = rest[i] == '\r'
			return rest[:i], nil
		}
		s.scanned = len(rest)
		if len(rest) > 0 {
			s.skipLF = false
		}
		if s.err != nil {
			if len(rest) > 0 && errors.Is(s.err, io.EOF) {
				s.pos, s.scanned = len(s.buf), 0
				return rest, nil
			}
			return nil, s.err
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more into buf, whose used part it drops.
func (s *events) fill() error {
	if s.pos > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) == cap(s.buf) {
		if len(s.buf) > maxEvent {
			return errTooLong
		}
		s.buf = append(s.buf, 0)[:len(s.buf)]
	}
	n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	s.err = err
	if mark := "\uFEFF"; !s.started && (len(s.buf) >= len(mark) || err != nil) {
		s.started = true
		s.buf = bytes.TrimPrefix(s.buf, []byte(mark))
		s.scanned = 0
	}
	return nil
}

// first returns the first byte that is not blank, and leaves it in place; 0 if
// there is none.
func (s *events) first() byte {
	for {
		for s.started && s.pos < len(s.buf) {
			if c := s.buf[s.pos]; !blank(c) {
				return c
			}
			s.pos++
		}
		if s.err != nil || s.fill() != nil {
			return 0
		}
	}
}

// all returns what is left of the stream as it is, at most maxEvent bytes of it.
func (s *events) all() ([]byte, error) {
	for s.err == nil {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	if !errors.Is(s.err, io.EOF) {
		return s.buf[s.pos:], s.err
	}
	return s.buf[s.pos:], nil
}
