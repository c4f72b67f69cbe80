package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
)

// linger is how long the end of a body is waited for after the done marker, so
// that the connection can be used again.
const linger = 20 * time.Millisecond

// read reads the answer into the draft until it is whole, and shows what comes.
func (x *exchange) read(ctx context.Context, a *answer) *llm.Error {
	events := newEvents(a.body)
	switch events.first() {
	case '{', '[':
		return x.readWhole(ctx, a, events)
	case '<':
		page, _ := events.all()
		return x.malformed("the answer is a page, not a stream: " + x.excerpt(pageWords(page)))
	}
	for {
		event, err := events.next()
		if err != nil {
			return x.ended(ctx, a, events, err)
		}
		done, failed := x.take(ctx, a, events, event)
		if failed != nil || x.left {
			return failed
		}
		if done {
			a.drain()
			return nil
		}
	}
}

// take takes in one event, and tells whether it is the done marker. Several
// data lines are one JSON text, or, from careless servers, one a line.
func (x *exchange) take(ctx context.Context, a *answer, events *events, e event) (done bool, failed *llm.Error) {
	if v, ok := parse(e.data); ok && !isDone(e.data) {
		return false, x.chunk(ctx, a, e.name, v)
	}
	for line := range strings.SplitSeq(string(e.data), "\n") {
		if isDone([]byte(line)) {
			return true, nil
		}
		v, ok := parse([]byte(line))
		switch {
		case ok:
			if failed = x.chunk(ctx, a, e.name, v); failed != nil || x.left {
				return false, failed
			}
		case strings.TrimSpace(line) == "":
		case e.name == "error":
			return false, x.complain(a, complaint{message: line})
		case events.ended: // the stream was cut within this line
			return false, x.ended(ctx, a, events, io.EOF)
		default:
			return false, x.malformed("a chunk is not JSON: " + x.excerpt(line))
		}
	}
	return false, nil
}

func isDone(data []byte) bool { return string(trim(data)) == "[DONE]" }

// chunk takes in one chunk and shows what it brought, then fails if it holds an
// error.
func (x *exchange) chunk(ctx context.Context, a *answer, name string, v value) *llm.Error {
	if err := x.draft.add(v); err != nil {
		return x.malformed(err.Error())
	}
	if failed := x.show(ctx); failed != nil || x.left {
		return failed
	}
	said, ok := complaintOf(v)
	if !ok && name == "error" {
		said, ok = complaint{message: string(v)}, true
	}
	if ok {
		return x.complain(a, said)
	}
	return nil
}

// readWhole reads an answer that is one JSON text, though a stream was asked for.
func (x *exchange) readWhole(ctx context.Context, a *answer, events *events) *llm.Error {
	data, err := events.all()
	if err != nil {
		return x.broken(ctx, a.cause(), err)
	}
	v, ok := parse(data)
	switch {
	case !ok && wasCut(data):
		return x.incomplete("the answer was cut: " + x.excerpt(string(data)))
	case !ok:
		return x.malformed("the answer is not JSON: " + x.excerpt(string(data)))
	}
	if failed := x.chunk(ctx, a, "", v); failed != nil || x.left {
		return failed
	}
	if !x.draft.begun {
		return x.malformed("the answer holds no choice: " + x.excerpt(string(data)))
	}
	return nil
}

// wasCut tells whether data is the beginning of a JSON text.
func wasCut(data []byte) bool {
	var text json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&text), io.ErrUnexpectedEOF)
}

// ended says what the end of the data means: nothing, if a finish label came.
// Without one the reply is not whole, however the end came about.
func (x *exchange) ended(ctx context.Context, a *answer, events *events, err error) *llm.Error {
	switch {
	case ctx.Err() == nil && x.draft.label != "":
		return nil
	case !errors.Is(err, io.EOF) || ctx.Err() != nil:
		return x.broken(ctx, a.cause(), err)
	case x.draft.begun:
		return x.incomplete("the stream ended without a finish label and without the done marker")
	case events.stray != "":
		return x.incomplete("the stream held no data but this: " + x.excerpt(events.stray))
	}
	return x.incomplete("the stream held no data")
}

// drain waits a moment for the end of the body.
func (a *answer) drain() {
	a.body.silence = min(a.body.silence, linger)
	io.Copy(io.Discard, io.LimitReader(a.body, 4<<10))
}
