package shell

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// Bounds of what is told while a program runs.
const (
	progressEvery = 200 * time.Millisecond // at most one line in this time, so that a flood of them is no flood of events
	progressBytes = 200                    // of a line
)

// progress tells lines of output as they come. Both streams share it.
type progress struct {
	tell func(string)

	mu       sync.Mutex
	last     time.Time
	panicked any // what tell panicked with; it is told no more
}

// line tells one line unless another was told just before.
func (p *progress) line(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.panicked != nil || now.Sub(p.last) < progressEvery {
		return
	}
	defer func() { p.panicked = recover() }() // the program goes on; see rethrow
	p.last = now
	p.tell(strings.ToValidUTF8(string(b), "\uFFFD"))
}

// rethrow panics as tell did, on the goroutine of the call, where a panic is
// caught and told. Nothing may be told any more.
func (p *progress) rethrow() {
	if p.panicked != nil {
		panic(p.panicked)
	}
}

// A lineWriter cuts what is written to it into lines, in bounded memory.
type lineWriter struct {
	progress *progress
	partial  []byte
}

// Write implements io.Writer; it never fails.
func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		w.partial = append(w.partial, line[:min(len(line), progressBytes-len(w.partial))]...)
		if !whole {
			return n, nil
		}
		if line := bytes.TrimSpace(cutEnd(w.partial, progressBytes)); len(line) > 0 {
			w.progress.line(line)
		}
		w.partial, p = w.partial[:0], rest
	}
}
