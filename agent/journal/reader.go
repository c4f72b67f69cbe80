package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// logFile is the name of a log in its run's folder.
const logFile = "journal.jsonl"

// A tail is how a log ends.
type tail struct {
	version int
	length  int        // of the log, in entries
	good    int64      // where the last whole append ends
	open    bool       // whether the line that ends there lacks its newline
	torn    *TornError // what follows it; nil if that is nothing
}

// A reader reads a log. When all was read without an error, its tail is known.
type reader struct {
	tail
	id    string
	lines lines
	kinds map[string]string
	rec   record
	held  []Entry // of an append that has not been read to its end
	more  int     // how many entries of it follow
	line  int     // the last line that is whole
}

// errTorn ends the reading of a log whose end was not written.
var errTorn = errors.New("torn")

func newReader(id string, from io.Reader) *reader {
	return &reader{id: id, lines: newLines(from), tail: tail{version: Version}, kinds: map[string]string{}}
}

// entries yields the entries of the log; an error is the last that it yields.
func (r *reader) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			line, err := r.lines.next()
			switch {
			case err == io.EOF:
				r.end()
				return
			case err == errLong:
				err = r.damaged(r.lines.n+1, err.Error())
			case err == nil && r.lines.n == 1:
				err = r.header(line)
			case err == nil && r.version == 0:
				err = r.mended(line)
			case err == nil:
				err = r.entry(line)
			}
			if err == errTorn {
				r.end()
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if r.more > 0 {
				continue
			}
			for _, e := range r.held {
				if !yield(e, nil) {
					return
				}
			}
			r.held = r.held[:0]
		}
	}
}

// header reads the first line: the format version.
func (r *reader) header(line []byte) error {
	var h struct {
		CRC     *string `json:"crc"`
		Version *int    `json:"version"`
	}
	_, sealed := unseal(line)
	known := json.Unmarshal(line, &h) == nil && h.Version != nil
	switch {
	case sealed && known && *h.Version == Version:
		r.mark(line)
		return nil
	case sealed && known:
		return &VersionError{r.id, *h.Version}
	case known && h.CRC == nil && *h.Version == 0:
		r.version = 0
		return nil
	}
	return r.fault(line, "it is no header")
}

// entry reads a line after the header.
func (r *reader) entry(line []byte) error {
	rest, ok := unseal(line)
	if !ok {
		return r.fault(line, "it does not fit its checksum")
	}
	rec := &r.rec
	if !rec.read(rest, r.kinds) {
		return r.damaged(r.lines.n, "it is no record")
	}
	if n := r.length + len(r.held); rec.N != n {
		return r.damaged(r.lines.n, fmt.Sprintf("it has number %d, not %d", rec.N, n))
	}
	if r.more > 0 && rec.More != r.more-1 {
		return r.damaged(r.lines.n, "it does not belong to the append before it")
	}
	r.held = append(r.held, rec.entry())
	if r.more = rec.More; r.more == 0 {
		r.length += len(r.held)
		r.mark(line)
	}
	return nil
}

// mended reads a line of a log that a person wrote, or mended by hand; see [Dir].
func (r *reader) mended(line []byte) error {
	if blank(line) {
		return nil
	}
	var rec record
	if err := json.Unmarshal(line, &rec); err != nil {
		return r.damaged(r.lines.n, err.Error())
	}
	if rec.Kind == "" || rec.Fact == nil {
		return r.damaged(r.lines.n, "it has no kind or no fact")
	}
	r.held = append(r.held, rec.entry())
	r.length++
	return nil
}

// mark notes that all up to the end of line is whole.
func (r *reader) mark(line []byte) {
	r.good, r.line, r.open = r.lines.start+int64(len(line)), r.lines.n, !r.lines.ended
	if r.lines.ended {
		r.good++
	}
}

// fault says what is wrong with a log that has a wrong line: nothing much, if
// it was cut there, and nothing follows.
func (r *reader) fault(line []byte, why string) error {
	n := r.lines.n
	if !cut(line) {
		return r.damaged(n, why)
	}
	switch rest, err := r.lines.blankToEnd(); {
	case err != nil:
		return err
	case rest:
		return errTorn
	}
	return r.damaged(n, why)
}

// end notes what is left out at the end of the log, unless it is nothing but blank.
func (r *reader) end() {
	if r.version != 0 && r.lines.last > r.good {
		r.torn = &TornError{r.id, r.line + 1, r.lines.last - r.good}
	}
	r.held, r.more = nil, 0
}

// clean tells whether the log ends where it should.
func (r *reader) clean() bool {
	return r.version == Version && !r.open && r.lines.read == r.good
}

func (r *reader) damaged(line int, why string) error {
	return &DamagedError{r.id, logFile, line, why}
}
