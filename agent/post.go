package agent

import (
	"context"
	"fmt"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
)

// post adds a fact from outside to the log.
func (r *Run) post(f Fact) error {
	r.owns.Lock()
	defer r.owns.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.postLocked(f)
}

func (r *Run) postLocked(f Fact) error {
	if r.ride == nil {
		return r.visit(f)
	}
	if _, stop := f.(StopAsked); stop {
		if r.ended {
			r.ride.closing = nil
			return nil
		}
		// What is under way is let go of, and what ended well is noted, before the stop is.
		r.ride.stops = append(r.ride.stops, f)
		r.ride.cancel(errStopped)
	} else if err := r.commit(append(r.ride.due(), f)...); err != nil {
		r.ride.cancel(err)
		return err
	}
	r.ring()
	return nil
}

// visit adds a fact to the log of a run that is not under way here. Another
// process may own it, so it is claimed for that long.
func (r *Run) visit(f Fact) error {
	return r.claimed(func(journal.Journal) error {
		err := r.arrive()
		if _, stop := f.(StopAsked); err == nil && !(stop && r.ended) {
			err = r.commit(f)
		}
		return err
	})
}

// arrive puts the prompts into the log.
func (r *Run) arrive() error {
	for len(r.inbox) > 0 {
		if err := r.commit(r.inbox[0]); err != nil {
			return err
		}
		r.inbox = r.inbox[1:]
	}
	return nil
}

// commit saves a fact, then folds it. What has been committed is yielded later,
// before anything is done about it.
func (r *Run) commit(facts ...Fact) error {
	if r.bad != nil {
		return r.bad
	}
	now, active := r.scope.Now(), r.active
	if r.ride != nil {
		active = r.ride.elapsed(now)
	}
	entries := r.one[:0]
	for _, f := range facts {
		entries = append(entries, Entry{now, active, f}.stored())
	}
	// The context of the run is not that of its journal: what ended well is
	// kept, also after a cancel.
	if err := r.store.Append(context.Background(), r.scope.ID, r.at, entries...); err != nil {
		r.bad = fmt.Errorf("agent: saving %s of %s: %w", facts[0].Kind(), r.scope.ID, err)
		return r.bad
	}
	if r.scope.depth == 0 && active > r.pooled {
		r.scope.Pool.Add(budget.Spent{Time: active - r.pooled})
		r.pooled = active
	}
	for _, f := range facts {
		r.fold(Entry{now, active, f})
		if r.ride != nil {
			r.unseen = append(r.unseen, f)
		}
	}
	return nil
}

// ring wakes the ride, if one is waiting.
func (r *Run) ring() {
	if r.ride == nil {
		return
	}
	select {
	case r.ride.wake <- struct{}{}:
	default:
	}
}
