package compress

import "errors"

// ErrFull says that a request does not fit its window, and that nothing can be
// freed. The error that wraps it says what fills the window.
var ErrFull = errors.New("compress: the context is full")
