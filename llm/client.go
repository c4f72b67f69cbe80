package llm

import (
	"context"
	"iter"
)

// A Client answers requests.
//
// Stream yields deltas while the model speaks and, last, exactly one [Reply];
// or it ends in one error, and then yields no Reply. Errors of the model and
// the way to it are an [*Error] (or wrap one); partial text is in the error. A
// Client calls no tools. It may be used by many goroutines at once. When the
// reader leaves or ctx ends, it lets go of the connection before it returns.
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

// Generate reads a stream to its end and returns the reply. A client that ends
// without reply and without error gives [ErrNoReply].
func Generate(ctx context.Context, c Client, req Request) (Reply, error) {
	for chunk, err := range c.Stream(ctx, req) {
		if err != nil {
			return Reply{}, err
		}
		if reply, ok := chunk.(Reply); ok {
			return reply, nil
		}
	}
	return Reply{}, &Error{Kind: ErrNoReply, Message: "the client's stream ended without a reply and without an error"}
}
