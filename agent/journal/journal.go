package journal

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// An Entry is one fact of a run's log and when it came to be.
type Entry struct {
	At     time.Time
	Active time.Duration // how long the run had been active by then
	Kind   string        // the fact's name, such as "call_started"; never empty

	// Fact is the fact itself, set by who appends. It must marshal to JSON and
	// is never changed afterwards. Stores that hold bytes load it as nil.
	Fact any

	// Data is the fact as JSON, set by stores that hold bytes when they load.
	// It is the reader's own. Where Fact is nil, Data is what is appended.
	Data json.RawMessage
}

// A Journal keeps logs. Its methods may be called by several goroutines.
type Journal interface {
	// Append adds to the log of id, which must be at entries long, else the
	// error is [ErrConflict]. It adds all entries or, with an error, none. When
	// it returns nil they are as durable as the journal can make them. No
	// entries are never an error.
	//
	// Where an error leaves open what has become of the entries, as a broken
	// connection does, the log must be loaded again: a further append at the
	// same length can't add them twice.
	Append(ctx context.Context, id string, at int, entries ...Entry) error

	// Load yields the log of id, in order; an unknown id yields nothing. An
	// error is the last thing that it yields.
	Load(ctx context.Context, id string) iter.Seq2[Entry, error]
}

// A Claimer is a [Journal] that lets one owner at a time work on a run.
type Claimer interface {
	// Claim makes the caller the owner of the run and of all runs below it. The
	// error is [ErrBusy] if another owns the run, one above or one below it.
	Claim(ctx context.Context, id string) (Claim, error)
}

// A Claim is the ownership of a run and all below it. A claim that is also a
// [Journal] is what its owner appends through: these appends are refused with
// [ErrLost] once the claim is lost.
type Claim interface {
	// Renew keeps a claim that ends by time. [ErrLost] says that it has ended:
	// the owner must stop. Any other error may be tried again.
	Renew(ctx context.Context) error

	// Every is how often Renew must be called; 0 is never.
	Every() time.Duration

	// Release gives the claim up. It frees what the claim owns and nothing of
	// another owner; releasing a second time, or what is lost, does nothing.
	Release(ctx context.Context) error
}

// A Mailbox lets any process post to a run, also while nobody works on it.
//
// An owner appends what a post says, with the post's id, before it calls Taken.
// If it died between the two, it finds the id in its log and only calls Taken.
type Mailbox interface {
	// Post adds p to the posts of the run. It is durable when Post returns. The
	// same [Post.ID] twice is one post, also when it was taken meanwhile; with
	// another kind or other data it is [ErrConflict].
	Post(ctx context.Context, id string, p Post) error

	// Posts returns what was posted to the run and is not taken, in the order
	// in which it came. With an error it returns what could be read.
	Posts(ctx context.Context, id string) ([]Post, error)

	// Taken says that the post is in the log and not to be returned again. For
	// an unknown post it does nothing.
	Taken(ctx context.Context, id string, postID string) error
}

// A Post is something said to a run from outside.
type Post struct {
	ID   string          `json:"id"`             // chosen by who posts; never empty
	Kind string          `json:"kind"`           // such as "say", "answer" or "stop"; never empty
	Data json.RawMessage `json:"data,omitempty"` // JSON, or nothing

	// At is when it was posted. Zero is set to the time of posting.
	At time.Time `json:"at"`

	// For is the length of the log that the post is meant for. Zero is set to
	// the length at the time of posting. A run that ended later than that, and
	// was then continued, so knows that the post was not for the continuation.
	For int `json:"for"`
}
