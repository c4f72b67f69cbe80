package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Replay is a client that answers from a recording, see [Record]. Each
// exchange answers once: a request gets the first one left that holds the same
// request, so requests of several workers may come in another order than they
// were recorded. A request that differs from all that are left is refused with
// an error of kind [ErrNotAllowed] that names the first exchange left, the
// place where the two differ, which is also the error's Param, and both values.
//
// Nothing is waited for: chunks come as fast as they are read. It must not be
// copied after its first use.
type Replay struct {
	Exchanges []Exchange // not to be changed after the first request

	// Torn says that the recording is cut off after Exchanges. The error of a
	// request for which none is left says so too.
	Torn bool

	mu      sync.Mutex
	digests []string // of the requests; "" for an exchange that has answered
}

// ReadReplay returns a client that answers from the recording in r. A last
// line that is cut off is left out, and [Replay.Torn] is set; see
// [ReadExchanges] for other faults.
func ReadReplay(r io.Reader) (*Replay, error) {
	exchanges, err := ReadExchanges(r)
	if err != nil && !errors.Is(err, ErrTorn) {
		return nil, err
	}
	return &Replay{Exchanges: exchanges, Torn: err != nil}, nil
}

// Dialect implements [Speaker]: it is the one in which the first exchange was
// recorded.
func (r *Replay) Dialect() Dialect {
	if len(r.Exchanges) == 0 {
		return Dialect{}
	}
	return r.Exchanges[0].Dialect
}

// Left returns how many exchanges have not answered.
func (r *Replay) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.digests == nil {
		return len(r.Exchanges)
	}
	left := 0
	for _, d := range r.digests {
		if d != "" {
			left++
		}
	}
	return left
}

// Stream implements [Client].
func (r *Replay) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		e, err := r.take(req)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := 0; ; i++ {
			switch {
			case ctx.Err() != nil:
				err := canceled(ctx, "replaying")
				err.Partial = e.Chunks[:i].text()
				yield(nil, err)
				return
			case i < len(e.Chunks):
				if !yield(e.Chunks[i], nil) || i == len(e.Chunks)-1 && e.Error == nil {
					return
				}
			default:
				yield(nil, e.Error)
				return
			}
		}
	}
}

// take finds the exchange that answers req and crosses it out.
func (r *Replay) take(req Request) (*Exchange, error) {
	want, err := digest(req)
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Message: "replay", Err: err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.read(); err != nil {
		return nil, err
	}
	first := -1
	for i, d := range r.digests {
		if d == want {
			r.digests[i] = ""
			return &r.Exchanges[i], nil
		}
		if d != "" && first < 0 {
			first = i
		}
	}
	if first < 0 {
		return nil, &Error{Kind: ErrNotAllowed, Message: r.usedUp()}
	}
	d := difference(r.Exchanges[first].Request, req)
	return nil, &Error{
		Kind: ErrNotAllowed, Param: d.path,
		Message: fmt.Sprintf("replay: exchange %d: %s: recorded %s, asked %s", first+1, d.path, d.recorded, d.asked),
	}
}

func (r *Replay) usedUp() string {
	torn := ""
	if r.Torn {
		torn = ", and its last line is cut off"
	}
	return fmt.Sprintf("replay: exchange %d: the recording holds %d%s", len(r.Exchanges)+1, len(r.Exchanges), torn)
}

// read works the digests out, once, also for exchanges made by hand.
func (r *Replay) read() error {
	if r.digests != nil {
		return nil
	}
	digests := make([]string, len(r.Exchanges))
	for i := range r.Exchanges {
		d, err := digest(r.Exchanges[i].Request)
		if err == nil {
			err = r.Exchanges[i].whole()
		}
		if err != nil {
			return &Error{Kind: ErrNotAllowed, Message: fmt.Sprintf("replay: exchange %d", i+1), Err: err}
		}
		digests[i] = d
	}
	r.digests = digests
	return nil
}
