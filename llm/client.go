package llm

import (
	"context"
	"iter"
)

// A Client answers requests.
//
// Stream yields deltas while the model speaks and, last, exactly one [Reply];
// or it ends in one error, and then yields no Reply. Chunks are values, never
// pointers and never nil. Errors of the model and the way to it are an [*Error]
// (or wrap one); partial text is in the error. A Client calls no tools. It may
// be used by many goroutines at once. When the reader leaves or ctx ends, it
// lets go of the connection before it returns; the error at the end of ctx
// wraps the context's. The request is made while the sequence is ranged over,
// once each time.
//
// llmtest.TestClient checks all this.
type Client interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// ClientFunc makes a function a [Client].
type ClientFunc func(ctx context.Context, req Request) iter.Seq2[Chunk, error]

// Stream implements [Client].
func (f ClientFunc) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return f(ctx, req)
}

// Generate reads a stream to its end and returns the reply. A client that
// breaks the contract, such as by ending without reply and without error,
// gives an [*Error] of kind [ErrNoReply] that names it.
//
// Deltas and notices are dropped, and with them what failed attempts cost: see
// [Read].
func Generate(ctx context.Context, c Client, req Request) (Reply, error) {
	reply, _, err := Read(ctx, c, req, nil)
	return reply, err
}
