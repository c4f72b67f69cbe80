package journal

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
)

// owners says who owns which runs. An owner has the run and all below it. The
// zero owners are nobody.
type owners struct {
	number int64            // of the last claim; it only grows
	of     map[string]owner // by the id that was claimed
	below  map[string]int   // how many claims there are below a run
}

type owner struct {
	number int64
	until  time.Time // zero is without end
}

func (o owner) ended(now time.Time) bool { return !o.until.IsZero() && !now.Before(o.until) }

// claim returns the number of the claim, or 0 if the run has another owner.
func (o *owners) claim(id string, now, until time.Time) int64 {
	if o.owned(id, now) {
		return 0
	}
	if o.of == nil {
		o.of, o.below = map[string]owner{}, map[string]int{}
	}
	o.number++
	o.of[id] = owner{o.number, until}
	for a := range above(id) {
		o.below[a]++
	}
	return o.number
}

// owned tells whether somebody owns the run, one above or one below it. It
// forgets the claims in the way that have ended.
func (o *owners) owned(id string, now time.Time) bool {
	live := func(id string) bool {
		held, ok := o.of[id]
		if ok && held.ended(now) {
			o.release(id, held.number)
			return false
		}
		return ok
	}
	if live(id) {
		return true
	}
	for a := range above(id) {
		if live(a) {
			return true
		}
	}
	if o.below[id] == 0 {
		return false
	}
	for other := range o.of {
		if strings.HasPrefix(other, id+"/") && live(other) {
			return true
		}
	}
	return false
}

// holds tells whether the claim has neither ended nor been followed by another.
func (o *owners) holds(id string, number int64, now time.Time) bool {
	held, ok := o.of[id]
	return ok && held.number == number && !held.ended(now)
}

func (o *owners) renew(id string, number int64, now, until time.Time) bool {
	if !o.holds(id, number, now) {
		return false
	}
	o.of[id] = owner{number, until}
	return true
}

// release compares and deletes: another's claim stays.
func (o *owners) release(id string, number int64) {
	if o.of[id].number != number {
		return
	}
	delete(o.of, id)
	for a := range above(id) {
		if o.below[a]--; o.below[a] == 0 {
			delete(o.below, a)
		}
	}
}

// above yields the ids of the runs that the run is within, the nearest first.
func above(id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			i := strings.LastIndexByte(id, '/')
			if i < 0 || !yield(id[:i]) {
				return
			}
			id = id[:i]
		}
	}
}

// Claim implements [Claimer]. The claim lasts until it is released.
func (m *Memory) Claim(ctx context.Context, id string) (Claim, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("journal: claiming %s: %w", id, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number := m.owners.claim(id, time.Time{}, time.Time{})
	if number == 0 {
		return nil, fmt.Errorf("journal: claiming %s: %w", id, ErrBusy)
	}
	return &memoryClaim{m, id, number}, nil
}

type memoryClaim struct {
	in     *Memory
	id     string
	number int64
}

func (c *memoryClaim) Renew(context.Context) error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	if !c.in.owners.holds(c.id, c.number, time.Time{}) {
		return fmt.Errorf("journal: renewing %s: %w", c.id, ErrLost)
	}
	return nil
}

func (c *memoryClaim) Every() time.Duration { return 0 }

func (c *memoryClaim) Release(context.Context) error {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	c.in.owners.release(c.id, c.number)
	return nil
}
