package llm

import (
	"errors"
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
)

// Error implements error.
func (k ErrorKind) Error() string { return "llm: " + string(k) }

// An Error is a request that failed. It never holds a key.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Client  string    `json:"client,omitempty"` // which client, such as "openai"
	Status  int       `json:"status,omitempty"` // of HTTP; 0 if there was none
	Code    string    `json:"code,omitempty"`   // the provider's
	Param   string    `json:"param,omitempty"`  // the parameter that the provider names
	Message string    `json:"message"`          // the provider's words, bounded

	// RetryAfter is how long the provider asks to wait; 0 where it says nothing.
	RetryAfter time.Duration `json:"retry_after,omitempty"`

	// Window and Input are token counts learned from a context-length error; 0 if unknown.
	Window int `json:"window,omitempty"`
	Input  int `json:"input,omitempty"`

	// Partial is the text that had been shown when the stream failed, and
	// Usage what the failed attempts were reported to cost.
	Partial string `json:"partial,omitempty"`
	Usage   Usage  `json:"usage,omitzero"`

	Err error `json:"-"` // the cause, if another error was
}

// Error implements error: "llm: openai: rate limited: slow down (status 429, code …)".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("llm: ")
	if e.Client != "" {
		b.WriteString(e.Client + ": ")
	}
	b.WriteString(string(e.Kind))
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil && (e.Message == "" || !strings.Contains(e.Message, e.Err.Error())) {
		b.WriteString(": " + e.Err.Error())
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

// Is tells whether target is the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same request may do better a moment later. It
// is so for 408, 429, 500, 502, 503 and 504, broken connections, silence and
// incomplete streams; not for a spent quota, a refusal, a request that the
// provider does not take, or one that is too long.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case ErrRateLimit, ErrConnection, ErrTimeout, ErrIncomplete:
		return true
	case ErrUnavailable:
		switch e.Status {
		case 0, 200, 408, 429, 500, 502, 503, 504, 529:
			return true
		}
	}
	return false
}

// AsError returns the [*Error] in err's chain, or one of kind ErrConnection
// that wraps err. It is nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: ErrConnection, Err: err}
}
