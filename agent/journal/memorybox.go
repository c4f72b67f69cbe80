package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A box holds what was posted to one run, in the order in which it came.
type box struct {
	known   map[string]Post // also what was taken
	waiting []string        // ids
}

// check returns p as it is stored, or says why it can't be.
func (p Post) check() (Post, error) {
	switch {
	case p.ID == "":
		return p, fmt.Errorf("no id: %w", ErrID)
	case p.Kind == "":
		return p, fmt.Errorf("no kind: %w", ErrPost)
	case p.For < 0:
		return p, fmt.Errorf("it is for a log of length %d: %w", p.For, ErrPost)
	}
	if len(p.Data) > 0 {
		var data bytes.Buffer
		if err := json.Compact(&data, p.Data); err != nil {
			return p, fmt.Errorf("%w: %w", ErrPost, err)
		}
		p.Data = data.Bytes()
	} else {
		p.Data = nil
	}
	if p.At.IsZero() {
		p.At = time.Now()
	}
	p.At = p.At.UTC()
	return p, nil
}

// same tells whether two posts of one id say the same.
func (p Post) same(q Post) bool { return p.Kind == q.Kind && bytes.Equal(p.Data, q.Data) }

// Post implements [Mailbox].
func (m *Memory) Post(ctx context.Context, id string, p Post) error {
	err := ctx.Err()
	if err == nil {
		p, err = p.check()
	}
	if err == nil {
		err = m.post(id, p)
	}
	if err != nil {
		return fmt.Errorf("journal: posting %q to %s: %w", p.ID, id, err)
	}
	return nil
}

func (m *Memory) post(id string, p Post) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes[id]
	if b == nil {
		if m.boxes == nil {
			m.boxes = map[string]*box{}
		}
		b = &box{known: map[string]Post{}}
		m.boxes[id] = b
	}
	if old, ok := b.known[p.ID]; ok {
		if !old.same(p) {
			return ErrConflict
		}
		return nil
	}
	if p.For == 0 {
		p.For = m.length(id)
	}
	b.known[p.ID] = p
	b.waiting = append(b.waiting, p.ID)
	return nil
}

// Posts implements [Mailbox].
func (m *Memory) Posts(ctx context.Context, id string) ([]Post, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("journal: reading the posts of %s: %w", id, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes[id]
	if b == nil || len(b.waiting) == 0 {
		return nil, nil
	}
	posts := make([]Post, len(b.waiting))
	for i, w := range b.waiting {
		posts[i] = b.known[w]
		posts[i].Data = bytes.Clone(posts[i].Data)
	}
	return posts, nil
}

// Taken implements [Mailbox].
func (m *Memory) Taken(ctx context.Context, id, postID string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("journal: taking post %q of %s: %w", postID, id, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.boxes[id]; b != nil {
		b.waiting = remove(b.waiting, postID)
	}
	return nil
}

// remove returns ids without id. It makes a new slice.
func remove(ids []string, id string) []string {
	var kept []string
	for _, k := range ids {
		if k != id {
			kept = append(kept, k)
		}
	}
	return kept
}
