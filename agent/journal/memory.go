package journal

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"
)

// A Memory keeps logs in memory: a [Journal], a [Claimer] and a [Mailbox] for
// the goroutines of one process. The zero Memory is empty and ready. It must
// not be copied.
//
// It keeps entries as they are given and encodes nothing, so it also takes
// facts that a store which holds bytes refuses. Any text may be an id.
type Memory struct {
	mu     sync.Mutex
	logs   map[string]*log
	owners owners
	boxes  map[string]*box
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// Append implements [Journal]. Once ctx has ended it adds nothing.
func (m *Memory) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("journal: appending to %s: %w", id, err)
	}
	if len(entries) == 0 {
		return nil
	}
	for i := range entries {
		if entries[i].Kind == "" {
			return fmt.Errorf("journal: appending to %s: entry %d has no kind: %w", id, i, ErrEntry)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[id]
	if l == nil {
		l = &log{}
	}
	if l.length != at {
		return conflict(id, at, l.length)
	}
	if at == 0 {
		if m.logs == nil {
			m.logs = map[string]*log{}
		}
		m.logs[id] = l
	}
	l.add(entries)
	return nil
}

// Load implements [Journal]. It yields what was in the log when the loop began.
func (m *Memory) Load(ctx context.Context, id string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, part := range m.parts(id) {
			for _, e := range part {
				if err := ctx.Err(); err != nil {
					yield(Entry{}, fmt.Errorf("journal: loading %s: %w", id, err))
					return
				}
				e.Data = bytes.Clone(e.Data)
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Len returns how many entries the log of id has.
func (m *Memory) Len(_ context.Context, id string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.length(id), nil
}

// length is called with mu held.
func (m *Memory) length(id string) int {
	if l := m.logs[id]; l != nil {
		return l.length
	}
	return 0
}

func (m *Memory) parts(id string) [][]Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.logs[id]; l != nil {
		return l.snapshot()
	}
	return nil
}

// A log grows by parts that are never moved, so an append costs the same at any
// length, and what is in a part can be read while the next entries are added.
type log struct {
	full   [][]Entry
	last   []Entry
	length int
}

const (
	firstPart = 4
	mostPart  = 256
)

func (l *log) add(entries []Entry) {
	for _, e := range entries {
		if len(l.last) == cap(l.last) {
			if l.last != nil {
				l.full = append(l.full, l.last)
			}
			l.last = make([]Entry, 0, min(max(firstPart, l.length), mostPart))
		}
		if e.Data != nil {
			e.Data = bytes.Clone(e.Data)
		}
		l.last = append(l.last, e)
		l.length++
	}
}

func (l *log) snapshot() [][]Entry {
	parts := make([][]Entry, len(l.full)+1)
	copy(parts, l.full)
	parts[len(l.full)] = l.last
	return parts
}
