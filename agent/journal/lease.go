package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"
)

// Defaults of the times of a [Leased].
const (
	DefaultLease = 30 * time.Minute
	DefaultRenew = 5 * time.Minute
)

// A Lease is the ownership of a run and all below it, for a time. Its number is
// greater than that of every lease that the store gave before for that run, one
// above or one below it: a fence that its owner's late writes can't pass.
type Lease struct {
	ID     string
	Number int64
}

// Leases is what a store that several machines share has to offer to be written
// to. Each method is atomic, and goes by the store's clock.
type Leases interface {
	// Claim gives out a lease that ends after the time given. The error is
	// [ErrBusy] while there is another, of the run, one above or one below it,
	// that has neither ended nor been released.
	Claim(ctx context.Context, id string, lasts time.Duration) (Lease, error)

	// Renew has the lease end after the time given, from now. The error is
	// [ErrLost] if it has ended.
	Renew(ctx context.Context, l Lease, lasts time.Duration) error

	// Release ends the lease. It compares and deletes: a lease that has ended
	// is no error, and the lease of another owner stays.
	Release(ctx context.Context, l Lease) error

	// Append is as in [Journal], for the run of the lease and those below it.
	// The error is [ErrLost] if the lease has ended or is not for this run.
	Append(ctx context.Context, l Lease, id string, at int, entries ...Entry) error
}

// A Store is what a store that several machines share implements. It keeps
// bytes, and loads entries with their Data. [Leased] makes a [Journal] of it.
type Store interface {
	Leases
	Mailbox
	Load(ctx context.Context, id string) iter.Seq2[Entry, error]
}

// A Leased is a [Journal], a [Claimer] and a [Mailbox] in a store that several
// machines share. Nothing is appended to a run that is not claimed. It must not
// be copied once it is used.
//
// Its claims are journals: an owner that appends through its claim can't write
// once that is lost. An append through the Leased goes by the last claim that
// was made through it.
type Leased struct {
	Store Store

	// Lasts is how long a lease lasts that is not renewed; 0 is [DefaultLease].
	// Renew is how often its owner renews it, which must be less; 0 is
	// [DefaultRenew], or a sixth of Lasts if that is less.
	Lasts time.Duration
	Renew time.Duration

	mu   sync.Mutex
	held map[string]Lease
}

// times returns how long a lease lasts and how often it is renewed.
func (s *Leased) times() (lasts, renew time.Duration, err error) {
	lasts, renew = s.Lasts, s.Renew
	if lasts == 0 {
		lasts = DefaultLease
	}
	if renew == 0 {
		renew = min(DefaultRenew, lasts/6)
	}
	if lasts < 0 || renew <= 0 || renew >= lasts {
		return 0, 0, fmt.Errorf("lasting %v, renewed every %v: %w", lasts, renew, ErrLease)
	}
	return lasts, renew, nil
}

// Claim implements [Claimer].
func (s *Leased) Claim(ctx context.Context, id string) (Claim, error) {
	lasts, renew, err := s.times()
	if err != nil {
		return nil, fmt.Errorf("journal: claiming %s: %w", id, err)
	}
	l, err := s.Store.Claim(ctx, id, lasts)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]Lease{}
	}
	s.held[id] = l
	return &leaseClaim{s, l, lasts, renew}, nil
}

// Append implements [Journal].
func (s *Leased) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	l, ok := s.lease(id)
	if !ok {
		return fmt.Errorf("journal: appending to %s: it was not claimed: %w", id, ErrLost)
	}
	return s.Store.Append(ctx, l, id, at, entries...)
}

// lease returns the lease that covers the run. Where there are several, all but
// the one with the greatest number have ended.
func (s *Leased) lease(id string) (last Lease, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok = s.held[id]
	for a := range above(id) {
		if l, held := s.held[a]; held && (!ok || l.Number > last.Number) {
			last, ok = l, true
		}
	}
	return last, ok
}

// drop forgets a lease, if no other has followed it.
func (s *Leased) drop(l Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[l.ID] == l {
		delete(s.held, l.ID)
	}
}

// Load implements [Journal].
func (s *Leased) Load(ctx context.Context, id string) iter.Seq2[Entry, error] {
	return s.Store.Load(ctx, id)
}

// Post implements [Mailbox].
func (s *Leased) Post(ctx context.Context, id string, p Post) error {
	return s.Store.Post(ctx, id, p)
}

// Posts implements [Mailbox].
func (s *Leased) Posts(ctx context.Context, id string) ([]Post, error) {
	return s.Store.Posts(ctx, id)
}

// Taken implements [Mailbox].
func (s *Leased) Taken(ctx context.Context, id, postID string) error {
	return s.Store.Taken(ctx, id, postID)
}

// A leaseClaim is a lease and its owner's journal.
type leaseClaim struct {
	in    *Leased
	lease Lease
	lasts time.Duration
	renew time.Duration
}

// Append implements [Journal], fenced by this claim's own lease.
func (c *leaseClaim) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	return c.in.Store.Append(ctx, c.lease, id, at, entries...)
}

// Load implements [Journal].
func (c *leaseClaim) Load(ctx context.Context, id string) iter.Seq2[Entry, error] {
	return c.in.Store.Load(ctx, id)
}

// Renew implements [Claim].
func (c *leaseClaim) Renew(ctx context.Context) error {
	err := c.in.Store.Renew(ctx, c.lease, c.lasts)
	if errors.Is(err, ErrLost) {
		c.in.drop(c.lease)
	}
	return err
}

// Every implements [Claim].
func (c *leaseClaim) Every() time.Duration { return c.renew }

// Release implements [Claim].
func (c *leaseClaim) Release(ctx context.Context) error {
	c.in.drop(c.lease)
	return c.in.Store.Release(ctx, c.lease)
}
