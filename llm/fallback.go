package llm

import (
	"context"
	"iter"
)

// Named is a client with a name for notices and errors.
type Named struct {
	Name   string // empty means the name of the client's dialect, or its type
	Client Client
}

// Fallback is a client that asks the first of Clients, and the next one where
// that fails in a way that is the provider's alone: [Error.Retryable], or of
// kind [ErrUnavailable]. Each switch is told of by a [RetryNotice] that names
// the next client. A request that is refused, too long or not taken would fare
// no better elsewhere, and an empty reply is a reply: they switch nothing.
// Once a delta was shown there is no switch, since another model would not go
// on where the first one stopped.
//
// Put a [Retry] around each client, not around the Fallback, so that waits and
// attempts are counted for each provider.
type Fallback struct {
	Clients []Named
}

// Dialect implements [Speaker]. It is that of the first client with the
// smallest window of all, so that a history fits whoever answers. Each client
// encodes a request in its own dialect.
func (f *Fallback) Dialect() Dialect {
	if len(f.Clients) == 0 {
		return Dialect{}
	}
	d := DialectOf(f.Clients[0].Client)
	for _, c := range f.Clients[1:] {
		if window := DialectOf(c.Client).ContextWindow(); window < d.ContextWindow() {
			d.Window = window
		}
	}
	return d
}

// Stream implements [Client].
func (f *Fallback) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if len(f.Clients) == 0 {
			yield(nil, &Error{Kind: ErrNotAllowed, Message: "fallback: there are no clients"})
			return
		}
		tries := attempts{yield: yield}
		for i, c := range f.Clients {
			failed := tries.try(ctx, c.Client, req)
			if failed == nil {
				return
			}
			last := i == len(f.Clients)-1
			if last || tries.shown || ctx.Err() != nil || !elsewhere(failed.cause) {
				tries.fail(failed.err)
				return
			}
			next := f.Clients[i+1].name()
			if !yield(RetryNotice{Attempt: i + 1, Cause: failed.cause, Next: next}, nil) {
				return
			}
		}
	}
}

// elsewhere tells whether another provider may do better.
func elsewhere(err *Error) bool { return err.Retryable() || err.Kind == ErrUnavailable }

func (n Named) name() string {
	if n.Name != "" {
		return n.Name
	}
	if name := DialectOf(n.Client).Name; name != "" {
		return name
	}
	return nameOf(n.Client)
}
