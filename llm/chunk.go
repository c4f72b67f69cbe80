package llm

import "time"

// A Chunk is a piece of a stream: a [TextDelta], [ReasoningDelta], [CallDelta],
// [Restart] or [RetryNotice], and last the whole [Reply]. Kind is its name in
// logs and on the wire, such as "text_delta".
type Chunk interface {
	Kind() string
	chunk()
}

type (
	// TextDelta is more of the reply's text.
	TextDelta string

	// ReasoningDelta is more of the reply's reasoning.
	ReasoningDelta string

	// CallDelta says that a call is being written. Arguments are never shown
	// before they are whole.
	CallDelta struct {
		Index int    `json:"index"` // the call's place in the reply, from 0
		Name  string `json:"name,omitempty"`
		Bytes int    `json:"bytes"` // of arguments so far
	}

	// Restart says that an attempt failed after deltas were shown and that the
	// request is made again after Wait: drop what this stream has shown so far.
	Restart struct {
		Attempt int           `json:"attempt"` // the one that begins, from 2
		Wait    time.Duration `json:"wait,omitempty"`
		Cause   *Error        `json:"cause"`
	}

	// RetryNotice says that an attempt failed and what follows: another attempt
	// after Wait, another client, or nothing. What was shown stays shown; where
	// it is to be dropped, a [Restart] comes instead.
	RetryNotice struct {
		Attempt int `json:"attempt"` // the one that failed, from 1

		// Wait is how long until the next attempt. With GaveUp it is the wait
		// that the provider asked for if that was too long, and otherwise 0.
		Wait  time.Duration `json:"wait,omitempty"`
		Cause *Error        `json:"cause"`

		GaveUp bool   `json:"gave_up,omitempty"` // no attempt is left, or the wait is over the cap; the error follows
		Next   string `json:"next,omitempty"`    // the client that is asked instead, from [Fallback]
	}
)

// Kind implements [Chunk].
func (TextDelta) Kind() string { return "text_delta" }

// Kind implements [Chunk].
func (ReasoningDelta) Kind() string { return "reasoning_delta" }

// Kind implements [Chunk].
func (CallDelta) Kind() string { return "call_delta" }

// Kind implements [Chunk].
func (Restart) Kind() string { return "restart" }

// Kind implements [Chunk].
func (RetryNotice) Kind() string { return "retry_notice" }

// Kind implements [Chunk].
func (Reply) Kind() string { return "reply" }

func (TextDelta) chunk()      {}
func (ReasoningDelta) chunk() {}
func (CallDelta) chunk()      {}
func (Restart) chunk()        {}
func (RetryNotice) chunk()    {}
func (Reply) chunk()          {}
