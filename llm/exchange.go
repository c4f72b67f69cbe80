package llm

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// RecordVersion is the version of the form that [Record] writes.
const RecordVersion = 1

// An Exchange is a request and all that came of it: one line of a recording.
type Exchange struct {
	Version int     `json:"version"` // [RecordVersion]
	Dialect Dialect `json:"dialect,omitzero"`

	// Digest is the SHA-256 of the request's JSON, in hexadecimal. Empty means
	// that it is to be worked out, as after a change by hand.
	Digest  string  `json:"digest,omitempty"`
	Request Request `json:"request"`

	// Chunks end in a [Reply], or else Error is how the stream ended.
	Chunks Chunks `json:"chunks,omitempty"`
	Error  *Error `json:"error,omitempty"`
}

// ErrTorn is the end of a recording whose last line was cut off, as by the end
// of the process that wrote it.
var ErrTorn = errors.New("llm: the recording's last line is cut off")

// ReadExchanges reads a recording. If its last line is cut off, what stands
// before it is returned together with [ErrTorn]. Any other fault is an error
// that names the line, and nothing is returned.
func ReadExchanges(r io.Reader) ([]Exchange, error) {
	var exchanges []Exchange
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return exchanges, nil
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("llm: reading the recording: line %d: %w", n, err)
		case err == io.EOF && !json.Valid(line):
			return exchanges, ErrTorn
		}
		var e Exchange
		if err := e.read(line); err != nil {
			return nil, fmt.Errorf("llm: reading the recording: line %d: %w", n, err)
		}
		exchanges = append(exchanges, e)
	}
}

func (e *Exchange) read(line []byte) error {
	if err := json.Unmarshal(line, e); err != nil {
		return err
	}
	if e.Version != RecordVersion {
		return fmt.Errorf("it has version %d, and only %d is known", e.Version, RecordVersion)
	}
	want, err := digest(e.Request)
	switch {
	case err != nil:
		return err
	case e.Digest != "" && e.Digest != want:
		return errors.New("the request is not the one that was recorded: its digest differs (after a change by hand, take the digest out)")
	}
	e.Digest = want
	return e.whole()
}

// whole wants exactly one end.
func (e *Exchange) whole() error {
	replied := false
	for i, c := range e.Chunks {
		if _, ok := c.(Reply); ok {
			if i != len(e.Chunks)-1 {
				return fmt.Errorf("chunks[%d] is a reply and not the last chunk", i)
			}
			replied = true
		}
	}
	if replied == (e.Error != nil) {
		return errors.New("it needs a reply or an error, and not both")
	}
	return nil
}

// digest names a request by its content.
func digest(req Request) (string, error) {
	data, err := json.Marshal(req)
	if err != nil {
		return "", fmt.Errorf("encoding the request: %w", err)
	}
	return digestOf(data), nil
}

func digestOf(request []byte) string {
	sum := sha256.Sum256(request)
	return hex.EncodeToString(sum[:])
}
