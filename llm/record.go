package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Record is a client that passes on what Client says and writes down each
// exchange, one line of JSON each, for [Replay]; see [Exchange]. A line is
// written with one Write when the exchange has ended, before its reply or
// error is passed on, so lines stand in the order of the ends. A reader that
// leaves is noted as an error of kind [ErrCanceled].
//
// No key is written: requests, replies and errors hold none. It must not be
// copied after its first use.
type Record struct {
	Client Client

	// To is where the lines go. An exchange that cannot be written fails its
	// request and all later ones, since a recording with holes would answer
	// wrongly. The error holds what the reply said and cost.
	To io.Writer

	mu     sync.Mutex
	failed error // of the first write that did; there are no more
}

// line is an [Exchange] whose request was encoded when it was asked.
type line struct {
	Version int             `json:"version"`
	Dialect Dialect         `json:"dialect,omitzero"`
	Digest  string          `json:"digest"`
	Request json.RawMessage `json:"request"`
	Chunks  Chunks          `json:"chunks,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Dialect implements [Speaker].
func (r *Record) Dialect() Dialect { return DialectOf(r.Client) }

// Stream implements [Client].
func (r *Record) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		l, err := r.begin(req)
		if err != nil {
			yield(nil, err)
			return
		}
		reply, err := read(ctx, r.Client, req, func(c Chunk) bool {
			l.Chunks = append(l.Chunks, c)
			return yield(c, nil)
		})
		switch {
		case err == ErrLeft:
			l.Error = &Error{Kind: ErrCanceled, Message: "the reader left"}
		case err != nil:
			l.Error = AsError(err)
		default:
			l.Chunks = append(l.Chunks, reply)
		}
		if failed := r.write(l); failed != nil && err != ErrLeft {
			err = unwritten(failed, reply, err)
		}
		end(yield, reply, err)
	}
}

// begin refuses what could not be written down before it costs anything.
func (r *Record) begin(req Request) (*line, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.To == nil:
		return nil, &Error{Kind: ErrNotAllowed, Message: "record: To is nil"}
	case r.failed != nil:
		return nil, &Error{Kind: ErrNotAllowed, Message: "an exchange before this one is missing", Err: r.failed}
	}
	data, err := json.Marshal(req)
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Message: "record: encoding the request", Err: err}
	}
	return &line{Version: RecordVersion, Dialect: r.Dialect(), Digest: digestOf(data), Request: data}, nil
}

func (r *Record) write(l *line) error {
	data, err := json.Marshal(l)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.failed == nil {
		var n int
		n, err = r.To.Write(append(data, '\n'))
		if err == nil && n <= len(data) {
			err = io.ErrShortWrite
		}
	}
	if err != nil && r.failed == nil {
		r.failed = fmt.Errorf("record: writing the exchange: %w", err)
	}
	return r.failed
}

// unwritten returns the error of an exchange that could not be written, which
// ended in the reply or in err.
func unwritten(failed error, reply Reply, err error) error {
	if err == nil {
		return &Error{Kind: ErrUnknown, Partial: reply.Message.Text(), Usage: reply.Usage, Err: failed}
	}
	both := asOwn(err)
	both.Err = errors.Join(both.Err, failed)
	return both
}
