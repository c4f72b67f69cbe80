package llm

import (
	"strconv"
	"strings"
	"time"
)

// An ErrorKind classes what went wrong. Each is itself an error, to be tested
// for: errors.Is(err, llm.ErrRateLimit).
type ErrorKind string

// The kinds of errors.
const (
	ErrBadRequest    ErrorKind = "bad request"     // the provider does not take this request
	ErrAuth          ErrorKind = "not authorized"  // no key, a wrong one, or one that may not
	ErrQuota         ErrorKind = "quota exhausted" // nothing left to spend; waiting does not help
	ErrRateLimit     ErrorKind = "rate limited"    // too much at once; waiting helps
	ErrContextLength ErrorKind = "context too long"
	ErrRefused       ErrorKind = "refused"           // a content filter would not take the request
	ErrUnavailable   ErrorKind = "unavailable"       // the provider has a fault or is overloaded
	ErrConnection    ErrorKind = "connection broken" // no answer could be read
	ErrTimeout       ErrorKind = "timed out"         // connecting took too long, or the stream fell silent
	ErrIncomplete    ErrorKind = "incomplete stream" // it ended before the reply was whole
	ErrMalformed     ErrorKind = "malformed answer"  // what came is not the protocol
	ErrNoReply       ErrorKind = "no reply"          // a client broke its contract
	ErrNotAllowed    ErrorKind = "not allowed here"  // a wrapper or a script would not make the request
	ErrCanceled      ErrorKind = "canceled"          // the caller's context ended; the error wraps the context's
	ErrUnknown       ErrorKind = "failed"            // an error that its client did not class; see [AsError]
)

// Error implements error.
func (k ErrorKind) Error() string { return "llm: " + string(k) }

// An Error is a request that failed. It never holds a key. Like a message it
// is never changed once made. As JSON the cause is its text.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Client  string    `json:"client,omitempty"` // which client, such as "openai"
	Status  int       `json:"status,omitempty"` // of HTTP; 0 if there was none
	Code    string    `json:"code,omitempty"`   // the provider's
	Param   string    `json:"param,omitempty"`  // the parameter that the provider names
	Message string    `json:"message"`          // the provider's words, bounded

	// RetryAfter is how long the provider asks to wait; 0 where it says
	// nothing. Negative values count as nothing. In JSON it is nanoseconds.
	RetryAfter time.Duration `json:"retry_after,omitempty"`

	// Window and Input are token counts learned from a context-length error; 0 if unknown.
	Window int `json:"window,omitempty"`
	Input  int `json:"input,omitempty"`

	// Partial is the text that had been shown when the stream failed. Where
	// nothing was shown after a [Restart], it is the text from before.
	Partial string `json:"partial,omitempty"`

	// Usage is what failed attempts were reported to cost. In the error that
	// ends a stream these are all attempts of the stream; in the cause of a
	// [Restart] or [RetryNotice] it is the one attempt that the chunk tells
	// of. So what failed attempts cost is the sum of the causes if the stream
	// ends in a reply, and the error's usage alone if it ends in an error.
	Usage Usage `json:"usage,omitzero"`

	Err error `json:"-"` // the cause, if another error was
}

// Error implements error: "llm: openai: rate limited: slow down (status 429, code …)".
func (e *Error) Error() string {
	if e == nil {
		return "llm: no error"
	}
	var b strings.Builder
	b.WriteString("llm: ")
	if e.Client != "" {
		b.WriteString(e.Client + ": ")
	}
	b.WriteString(string(e.Kind))
	if why := e.why(); why != "" {
		b.WriteString(": " + why)
	}
	var notes []string
	if e.Status != 0 {
		notes = append(notes, "status "+strconv.Itoa(e.Status))
	}
	if e.Code != "" {
		notes = append(notes, "code "+e.Code)
	}
	if e.RetryAfter > 0 {
		notes = append(notes, "retry after "+e.RetryAfter.String())
	}
	if len(notes) > 0 {
		b.WriteString(" (" + strings.Join(notes, ", ") + ")")
	}
	return b.String()
}

// why joins message and cause, unless one of them says all that the other says.
func (e *Error) why() string {
	if e.Err == nil {
		return e.Message
	}
	cause := e.Err.Error()
	switch {
	case strings.Contains(cause, e.Message):
		return cause
	case strings.Contains(e.Message, cause):
		return e.Message
	}
	return e.Message + ": " + cause
}

// Is tells whether target is the error's kind.
func (e *Error) Is(target error) bool { return e != nil && target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// Retryable tells whether the same request may do better a moment later. It
// is so for statuses 408, 429, 500, 502, 503 and 504, for a provider that says
// without one of these that it is at fault or overloaded, for broken
// connections, silence and incomplete streams. It is not for a spent quota, a
// refusal, a request that the provider does not take or that is too long, an
// error that nobody classed, and the end of the caller's context.
func (e *Error) Retryable() bool {
	if e == nil {
		return false
	}
	switch e.Kind {
	case ErrRateLimit, ErrConnection, ErrTimeout, ErrIncomplete:
		return true
	case ErrUnavailable:
		switch e.Status {
		case 0, 200, 408, 429, 500, 502, 503, 504, 529: // 529 is 503 in the word of some providers
			return true
		}
	}
	return false
}
