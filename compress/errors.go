package compress

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm"
)

// ErrFull says that a request does not fit its window, and that nothing can be
// freed. The error that wraps it says what fills the window.
var ErrFull = errors.New("compress: the context is full")

// A FullError is an [ErrFull] with what fills the window, in estimated tokens.
type FullError struct {
	Window int // that was configured, or learned from a refusal
	Limit  int // what a request may have of it

	Request  int // the whole request
	System   int
	Tools    int
	Messages int
	Largest  int // the largest message
	Place    int // its index in the request; -1 if there is none

	// Refusal is the provider's, if it refused the request as too long.
	Refusal *llm.Error
}

// Error implements error.
func (e *FullError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: the request has about %d tokens and may have %d of a window of %d: system text %d, tools %d, messages %d",
		ErrFull, e.Request, e.Limit, e.Window, e.System, e.Tools, e.Messages)
	if e.Place >= 0 {
		fmt.Fprintf(&b, ", the largest of them %d (message %d)", e.Largest, e.Place)
	}
	if e.Refusal != nil {
		fmt.Fprintf(&b, "; the provider said: %s", e.Refusal.Message)
	}
	return b.String()
}

// Unwrap returns [ErrFull], and the provider's refusal if there was one.
func (e *FullError) Unwrap() []error {
	if e.Refusal == nil {
		return []error{ErrFull}
	}
	return []error{ErrFull, e.Refusal}
}
