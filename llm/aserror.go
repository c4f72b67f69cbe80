package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
)

// AsError returns the [*Error] in err's chain. Any other error is wrapped in
// one, of kind [ErrCanceled] or [ErrTimeout] if it is a context's or says of
// itself that it timed out, [ErrConnection] if it is one of package net, of an
// HTTP client, or an early end of input, and otherwise [ErrUnknown]: what
// nobody classed is never retried. The address of an HTTP request is left out,
// since it may hold a key. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e
	}
	kind := kindOf(err)
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &Error{Kind: kind, Err: err}
}

// kindOf takes only what surely is the way to a provider for a broken
// connection: an error of the file system may look much like one.
func kindOf(err error) ErrorKind {
	if errors.Is(err, context.Canceled) {
		return ErrCanceled
	}
	type timeout interface {
		error
		Timeout() bool
	}
	if t, ok := errors.AsType[timeout](err); ok && t.Timeout() {
		return ErrTimeout
	}
	_, http := errors.AsType[*url.Error](err)
	_, op := errors.AsType[*net.OpError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case http, op, dns, errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrConnection
	}
	return ErrUnknown
}

// canceled returns the error of a wrapper whose caller's context ended.
func canceled(ctx context.Context, doing string) *Error {
	err := ctx.Err()
	if cause := context.Cause(ctx); cause != err {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return &Error{Kind: ErrCanceled, Message: doing, Err: err}
}

// plainError is Error without its methods, for encoding/json.
type plainError Error

type wireError struct {
	plainError
	Cause string `json:"cause,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (e Error) MarshalJSON() ([]byte, error) {
	wire := wireError{plainError: plainError(e)}
	if e.Err != nil {
		wire.Cause = e.Err.Error()
	}
	return json.Marshal(wire)
}

// UnmarshalJSON implements [json.Unmarshaler]. Of the cause the text is left.
func (e *Error) UnmarshalJSON(data []byte) error {
	var wire wireError
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("llm: decoding error: %w", err)
	}
	*e = Error(wire.plainError)
	if wire.Cause != "" {
		e.Err = errors.New(wire.Cause)
	}
	return nil
}
