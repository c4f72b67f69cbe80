package agent

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/tool"
)

// A Scope is where a run takes place: its journal, its id in it, and the
// budget that it shares. A run hands its own down to the runs within it. The
// zero Scope is a run of its own, in memory, that shares nothing.
type Scope struct {
	// Journal keeps the logs; nil keeps this run's in memory. If it is a
	// [journal.Claimer] a run is claimed while it is under way; if it is a
	// [journal.Mailbox] its posts are taken in.
	Journal journal.Journal

	// ID names the run in the journal. Empty makes a new one.
	ID string

	// Pool is a budget that this run draws from beside its own; nil is none.
	Pool *budget.Pool

	// Gate, if set, lets one call with side effects run at a time, in all runs
	// that share it; others wait for it, which their time limits do not count.
	// See [NewGate].
	Gate Gate

	// Handovers bounds the runs within this one, at all depths together; nil is 20.
	// Depth bounds how deep they nest; nil is 5.
	Handovers *int
	Depth     *int

	// Now is the clock; nil is the system's.
	Now func() time.Time

	// Headless says that nobody can be asked, in this run and in those within
	// it, whatever their recipes say; see [Loop].Headless.
	Headless bool

	private bool // the journal is this tree's own
	depth   int32
	inner   *tree // what the runs of a tree share; nil at its root
}

// A Gate is shared by runs whose side effects must not overlap.
type Gate chan struct{}

// NewGate returns an open gate.
func NewGate() Gate { return make(Gate, 1) }

// enter waits until the gate is open, and closes it behind itself.
func (g Gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g Gate) leave() { <-g }

// A tree is shared by a run and all within it.
type tree struct {
	handovers atomic.Int64

	mu   sync.Mutex
	late map[string]*tool.Stragglers // by run; of those that have some
}

// stragglers returns what calls of a run were given up: also of one that was
// left and is opened again. It is nil if none were, unless they are to be noted.
func (t *tree) stragglers(run string, note bool) *tool.Stragglers {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.late[run]
	if s == nil && note {
		if t.late == nil {
			t.late = map[string]*tool.Stragglers{}
		}
		s = &tool.Stragglers{}
		t.late[run] = s
	}
	return s
}

const (
	defaultHandovers = 20
	defaultDepth     = 5
)

// root fills in what the root of a tree has.
func (s Scope) root() Scope {
	if s.inner == nil {
		s.inner = &tree{}
	}
	if s.Journal == nil {
		s.Journal, s.private = &journal.Memory{}, true
	}
	if s.ID == "" {
		s.ID = "run-" + strings.ToLower(rand.Text())
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	return s
}

// within returns the scope of the run that key names in this one.
func (s Scope) within(key string) Scope {
	s.ID += "/" + key
	s.depth++
	return s
}

// handOver counts a run within, and says whether there may be another.
func (s Scope) handOver() bool {
	most, deepest := defaultHandovers, defaultDepth
	if s.Handovers != nil {
		most = *s.Handovers
	}
	if s.Depth != nil {
		deepest = *s.Depth
	}
	return int(s.depth) < deepest && s.inner.handovers.Add(1) <= int64(most)
}

// claim takes ownership of the run, if the journal knows of such a thing. The
// runs within a run are covered by its claim.
func (s Scope) claim(ctx context.Context) (journal.Claim, error) {
	if c, ok := s.Journal.(journal.Claimer); ok && s.depth == 0 && !s.private {
		return c.Claim(ctx, s.ID)
	}
	return free{}, nil
}

// free is the claim of a journal that has none.
type free struct{}

func (free) Renew(context.Context) error   { return nil }
func (free) Every() time.Duration          { return 0 }
func (free) Release(context.Context) error { return nil }
