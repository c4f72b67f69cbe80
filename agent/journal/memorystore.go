package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"
)

// A MemoryStore is a [Store] in memory: for tests of what runs on one, and the
// model for others. It keeps facts as JSON, as a store on another machine must.
// The zero MemoryStore is empty and ready. It must not be copied.
type MemoryStore struct {
	mu     sync.Mutex
	leases owners
	memory Memory // its own claims are not used
}

// Claim implements [Leases].
func (s *MemoryStore) Claim(ctx context.Context, id string, lasts time.Duration) (Lease, error) {
	if err := ctx.Err(); err != nil {
		return Lease{}, fmt.Errorf("journal: claiming %s: %w", id, err)
	}
	if lasts <= 0 {
		return Lease{}, fmt.Errorf("journal: claiming %s for %v: %w", id, lasts, ErrLease)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	number := s.leases.claim(id, now, now.Add(lasts))
	if number == 0 {
		return Lease{}, fmt.Errorf("journal: claiming %s: %w", id, ErrBusy)
	}
	return Lease{id, number}, nil
}

// Renew implements [Leases].
func (s *MemoryStore) Renew(ctx context.Context, l Lease, lasts time.Duration) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("journal: renewing %s: %w", l.ID, err)
	}
	if lasts <= 0 {
		return fmt.Errorf("journal: renewing %s for %v: %w", l.ID, lasts, ErrLease)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.leases.renew(l.ID, l.Number, now, now.Add(lasts)) {
		return fmt.Errorf("journal: renewing %s: %w", l.ID, ErrLost)
	}
	return nil
}

// Release implements [Leases].
func (s *MemoryStore) Release(ctx context.Context, l Lease) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("journal: releasing %s: %w", l.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases.release(l.ID, l.Number)
	return nil
}

// Append implements [Leases].
func (s *MemoryStore) Append(ctx context.Context, l Lease, id string, at int, entries ...Entry) error {
	kept := make([]Entry, len(entries))
	for i, e := range entries {
		fact := e.Fact
		if fact == nil {
			fact = e.Data
		}
		data, err := json.Marshal(fact)
		if err != nil {
			return fmt.Errorf("journal: appending to %s: entry %d (%s): %w: %w", id, i, e.Kind, ErrEntry, err)
		}
		kept[i] = Entry{At: e.At.UTC(), Active: e.Active, Kind: e.Kind, Data: data}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	covers := id == l.ID || strings.HasPrefix(id, l.ID+"/")
	if !covers || !s.leases.holds(l.ID, l.Number, time.Now()) {
		return fmt.Errorf("journal: appending to %s: %w", id, ErrLost)
	}
	return s.memory.Append(ctx, id, at, kept...)
}

// Load implements [Store].
func (s *MemoryStore) Load(ctx context.Context, id string) iter.Seq2[Entry, error] {
	return s.memory.Load(ctx, id)
}

// Post implements [Mailbox].
func (s *MemoryStore) Post(ctx context.Context, id string, p Post) error {
	return s.memory.Post(ctx, id, p)
}

// Posts implements [Mailbox].
func (s *MemoryStore) Posts(ctx context.Context, id string) ([]Post, error) {
	return s.memory.Posts(ctx, id)
}

// Taken implements [Mailbox].
func (s *MemoryStore) Taken(ctx context.Context, id, postID string) error {
	return s.memory.Taken(ctx, id, postID)
}
