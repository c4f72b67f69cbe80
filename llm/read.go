package llm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
)

// ErrLeft is what [Read] returns when show wants no more. No client yields it.
var ErrLeft = errors.New("llm: the reader left")

// Read makes one request, shows every chunk but the reply until show returns
// false, and returns the reply. A nil show wants all and looks at nothing.
// Wasted is what failed attempts within the stream cost; it is right with an
// error, too, and not in the reply's usage. A client that is nil, or breaks the
// contract, gives an [*Error] of kind [ErrNotAllowed] or [ErrNoReply].
func Read(ctx context.Context, c Client, req Request, show func(Chunk) bool) (reply Reply, wasted Usage, err error) {
	reply, err = read(ctx, c, req, func(chunk Chunk) bool {
		switch chunk := chunk.(type) {
		case Restart:
			wasted = wasted.Plus(usageOf(chunk.Cause))
		case RetryNotice:
			wasted = wasted.Plus(usageOf(chunk.Cause))
		}
		return show == nil || show(chunk)
	})
	// The error of a client is of all its attempts; one that is not the client's
	// tells of none.
	if e, ok := errors.AsType[*Error](err); ok && e != nil && e.Usage != (Usage{}) {
		wasted = e.Usage
	}
	return reply, wasted, err
}

// read makes one request. Every chunk but the reply is shown, until show
// returns false. When read returns, the client has let go of the connection
// and of all else that it holds for the request, which is why every wrapper
// passes the reply or the error on only then.
//
// It holds the client to its contract, so that a broken one is named and what
// it yields reaches nobody.
func read(ctx context.Context, c Client, req Request, show func(Chunk) bool) (Reply, error) {
	if f, ok := c.(ClientFunc); c == nil || ok && f == nil {
		return Reply{}, &Error{Kind: ErrNotAllowed, Message: "there is no client"}
	}
	stream := c.Stream(ctx, req)
	if stream == nil {
		return Reply{}, broken(c, "returned no stream")
	}
	for chunk, err := range stream {
		if err != nil {
			return Reply{}, err
		}
		switch chunk := chunk.(type) {
		case Reply:
			return chunk, nil
		case TextDelta, ReasoningDelta, CallDelta, Restart, RetryNotice:
			if !show(chunk) {
				return Reply{}, ErrLeft
			}
		case nil:
			return Reply{}, broken(c, "yielded neither a chunk nor an error")
		default:
			return Reply{}, broken(c, fmt.Sprintf("yielded a %T; chunks are values of this package's types", chunk))
		}
	}
	return Reply{}, broken(c, "ended its stream without a reply and without an error")
}

// end yields what read returned.
func end(yield func(Chunk, error) bool, reply Reply, err error) {
	switch {
	case err == ErrLeft:
	case err != nil:
		yield(nil, err)
	default:
		yield(reply, nil)
	}
}

func broken(c Client, what string) error {
	return &Error{Kind: ErrNoReply, Client: DialectOf(c).Name, Message: fmt.Sprintf("the client %s %s", nameOf(c), what)}
}

// nameOf names a client for the eyes of its author: its type, or for a
// [ClientFunc] its function.
func nameOf(c Client) string {
	if f, ok := c.(ClientFunc); ok {
		return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	}
	return fmt.Sprintf("%T", c)
}
