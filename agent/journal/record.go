package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the format version of the logs that a [Dir] writes.
const Version = 1

// A record is an entry as it is written. More is how many entries of the same
// append follow, which are in the log together or not at all.
type record struct {
	N      int             `json:"n"`
	More   int             `json:"more,omitempty"`
	At     time.Time       `json:"at"`
	Active time.Duration   `json:"active,omitempty"`
	Kind   string          `json:"kind"`
	Fact   json.RawMessage `json:"fact"`
}

func (r record) entry() Entry { return Entry{At: r.At, Active: r.Active, Kind: r.Kind, Data: r.Fact} }

// An encoder writes entries as lines. What it returns is valid until it is used
// again.
type encoder struct {
	rest  bytes.Buffer // of one line, after the seal
	facts *json.Encoder
	lines []byte
}

func newEncoder() *encoder {
	e := &encoder{}
	e.facts = json.NewEncoder(&e.rest)
	e.facts.SetEscapeHTML(false) // code is to be read by eye
	return e
}

// encode returns the lines of entries, the first of which is the n-th of its log.
func (enc *encoder) encode(n int, entries []Entry) ([]byte, error) {
	enc.lines = enc.lines[:0]
	for i, e := range entries {
		enc.rest.Reset()
		err := enc.record(n+i, len(entries)-1-i, e)
		if err == nil && enc.rest.Len() > maxEntry {
			err = fmt.Errorf("it takes %d bytes, more than %d", enc.rest.Len(), maxEntry)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d (%s): %w: %w", i, e.Kind, ErrEntry, err)
		}
		enc.lines = seal(enc.lines, enc.rest.Bytes())
	}
	return enc.lines, nil
}

// record writes the members of a record in the order that [record.read] expects.
func (enc *encoder) record(n, more int, e Entry) (err error) {
	defer func() {
		if p := recover(); p != nil { // of the fact's own MarshalJSON
			err = fmt.Errorf("encoding it panicked: %v", p)
		}
	}()
	if e.Kind == "" || !utf8.ValidString(e.Kind) {
		return errors.New("its kind is empty or no text")
	}
	b := enc.rest.AvailableBuffer()
	b = append(b, `"n":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	if more > 0 {
		b = append(b, `,"more":`...)
		b = strconv.AppendInt(b, int64(more), 10)
	}
	b = append(b, `,"at":"`...)
	if b, err = e.At.UTC().AppendText(b); err != nil {
		return err
	}
	b = append(b, '"')
	if e.Active != 0 {
		b = append(b, `,"active":`...)
		b = strconv.AppendInt(b, int64(e.Active), 10)
	}
	b = append(b, `,"kind":`...)
	if b, err = appendKind(b, e.Kind); err != nil {
		return err
	}
	enc.rest.Write(append(b, `,"fact":`...))
	fact := e.Fact
	if fact == nil {
		fact = e.Data
	}
	if err := enc.facts.Encode(fact); err != nil {
		return err
	}
	enc.rest.Truncate(enc.rest.Len() - 1) // the encoder's newline
	enc.rest.WriteByte('}')
	return nil
}

// appendKind appends a kind as JSON. Almost all are lower case words.
func appendKind(b []byte, kind string) ([]byte, error) {
	plain := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' }
	if strings.IndexFunc(kind, func(r rune) bool { return !plain(r) }) < 0 {
		return append(append(append(b, '"'), kind...), '"'), nil
	}
	text, err := json.Marshal(kind)
	return append(b, text...), err
}

// read reads what an encoder wrote. Kinds that were seen before are in kinds.
func (r *record) read(rest []byte, kinds map[string]string) bool {
	if r.readPlain(rest, kinds) {
		return true
	}
	*r = record{}
	return json.Unmarshal(append([]byte{'{'}, rest...), r) == nil && r.Kind != "" && r.Fact != nil
}

// readPlain reads a record whose kind needs no escapes, which are all but strange ones.
func (r *record) readPlain(rest []byte, kinds map[string]string) bool {
	rest, ok := member(rest, `"n":`)
	if !ok {
		return false
	}
	n, rest, ok := number(rest, ',')
	if !ok {
		return false
	}
	more := int64(0)
	if after, found := member(rest, `"more":`); found {
		if more, rest, ok = number(after, ','); !ok {
			return false
		}
	}
	at, rest, ok := text(rest, `"at":"`)
	if !ok || r.At.UnmarshalText(at) != nil {
		return false
	}
	rest, ok = member(rest, `,`)
	active := int64(0)
	if after, found := member(rest, `"active":`); ok && found {
		active, rest, ok = number(after, ',')
	}
	if !ok {
		return false
	}
	kind, rest, ok := text(rest, `"kind":"`)
	if !ok || len(kind) == 0 || bytes.IndexByte(kind, '\\') >= 0 {
		return false
	}
	rest, ok = member(rest, `,"fact":`)
	if !ok || len(rest) < 2 {
		return false
	}
	if r.Kind, ok = kinds[string(kind)]; !ok {
		r.Kind = string(kind)
		kinds[r.Kind] = r.Kind
	}
	r.N, r.More, r.Active = int(n), int(more), time.Duration(active)
	r.Fact = bytes.Clone(rest[:len(rest)-1])
	return true
}

func member(in []byte, name string) (rest []byte, ok bool) {
	if len(in) < len(name) || string(in[:len(name)]) != name {
		return in, false
	}
	return in[len(name):], true
}

// text reads a member whose value is text without escapes.
func text(in []byte, name string) (value, rest []byte, ok bool) {
	in, ok = member(in, name)
	end := bytes.IndexByte(in, '"')
	if !ok || end < 0 {
		return nil, nil, false
	}
	return in[:end], in[end+1:], true
}
