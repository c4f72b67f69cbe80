package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/agent/journal"
)

// own makes appends go through a claim that has its own way to the journal.
func (r *Run) own(claim journal.Claim) {
	if r.scope.depth > 0 {
		return // the run above lends what its claim gives
	}
	r.store = r.scope.Journal
	if j, ok := claim.(journal.Journal); ok {
		r.store = j
	}
}

// owning lets do add to the logs of runs within. While this run is not under
// way here it is claimed for that long, since another process may own it.
func (r *Run) owning(do func() error) error {
	r.owns.Lock()
	r.mu.Lock()
	if r.ride != nil || r.scope.depth > 0 {
		r.mu.Unlock()
		r.owns.Unlock()
		return do()
	}
	defer r.owns.Unlock()
	ctx := context.Background()
	claim, err := r.scope.claim(ctx)
	if err != nil {
		r.mu.Unlock()
		return fmt.Errorf("agent: adding to %s: %w", r.scope.ID, err)
	}
	r.own(claim)
	r.lendLocked()
	r.mu.Unlock()
	err = do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own(nil)
	return errors.Join(err, claim.Release(ctx))
}

// lend makes a run within append through what the claim of the root gives.
func (r *Run) lend(store journal.Journal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.store = store
	r.lendLocked()
}

func (r *Run) lendLocked() {
	for _, in := range r.parked {
		in.lend(r.store)
	}
	for _, in := range r.woken {
		in.lend(r.store)
	}
}

// mount claims the run and begins a ride, in one piece: what others add to the
// log goes through the claim, or waits for it.
func (r *Run) mount(ctx context.Context, d *ride, outer bool) (claim journal.Claim, err error) {
	r.owns.Lock()
	defer r.owns.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ride != nil {
		return nil, ErrRanging
	}
	if outer {
		if claim, err = r.scope.claim(ctx); err != nil {
			return nil, fmt.Errorf("agent: claiming %s: %w", r.scope.ID, err)
		}
		r.own(claim)
		r.lendLocked()
	}
	d.cancel = func(error) {}
	d.began, d.before = r.scope.Now(), r.active
	r.ride = d
	return claim, nil
}

// unmount ends a ride and its claim, in one piece. A stop that came too late
// for the ride is noted.
func (r *Run) unmount(ctx context.Context, claim journal.Claim, outer bool) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stops := r.ride.stops; len(stops) > 0 && !r.ended && r.bad == nil {
		err = r.commit(stops...)
	}
	// What no fact of its own tells of counts too: while a run within has worked.
	active := r.ride.elapsed(r.scope.Now())
	if most := r.ride.limit; most > 0 {
		active = min(most, active)
	}
	r.active = max(r.active, active)
	r.ride, r.unseen = nil, nil
	if outer {
		r.own(nil)
		err = errors.Join(err, claim.Release(context.WithoutCancel(ctx)))
	}
	return err
}

// current tells whether the log is as long as this run knows it. A journal that
// can't say is found out at the first append.
func (r *Run) current(ctx context.Context) error {
	j, ok := r.scope.Journal.(interface {
		Len(ctx context.Context, id string) (int, error)
	})
	if !ok {
		return nil
	}
	if n, err := j.Len(ctx, r.scope.ID); err != nil || n == r.at {
		return err
	}
	return journal.ErrConflict
}

// refresh forgets the runs within that wait and have been answered elsewhere:
// they are opened anew. It is called with mu held, and tells whether there were any.
func (r *Run) refresh(ctx context.Context) (some bool) {
	for key, in := range r.parked {
		in.mu.Lock()
		grown := in.refresh(ctx) || errors.Is(in.current(ctx), journal.ErrConflict)
		in.mu.Unlock()
		if grown {
			delete(r.parked, key)
			some = true
		}
	}
	return some
}
