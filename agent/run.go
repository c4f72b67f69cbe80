package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A Mode is a way of working, as a [Run] sees it: facts go in, work comes out.
// It does nothing itself. A Loop, a plan.Executor and a team.Orchestrator have
// one each; who only uses them needs none. Messages with images are refused
// unless the mode has a method Images() bool that says yes.
type Mode interface {
	Kinds(kind string) Decoder // of its facts, beside those of every mode; nil for others
	Fold(Entry)
	Work(Scope) Work
	Result() Result
}

// A checker is a [Mode] that looks at the arguments of an answer before it
// counts. What check returns does that, and is called without the run's lock.
type checker interface {
	check(Answered) func() (Answered, error)
}

// A granter is a [Mode] that can say what is wrong with a grant.
type granter interface{ grants(Granted) error }

// Errors of a [Run].
var (
	ErrRanging = errors.New("agent: the run's events are being ranged over already")
	ErrEnded   = errors.New("agent: the run has ended, and nothing new was said or granted")
	ErrEmpty   = errors.New("agent: the message is empty")
	ErrNoWork  = errors.New("agent: a new run needs a prompt")

	// ErrNoImages is of a run whose mode works on text: a plan, a team, a router.
	ErrNoImages = errors.New("agent: the run takes no images")
)

// A Run is a piece of work under way, of any mode. Its methods may be called
// from any goroutine, also from the body of a loop over its events; there is
// one such loop at a time.
type Run struct {
	mode  Mode
	scope Scope
	store journal.Journal // the scope's, or what its claim gives

	owns sync.Mutex // before mu: who claims the run, for as long as it is not under way

	mu      sync.Mutex
	at      int       // entries in the log
	answers []settled // of this log, for answers given twice
	inbox   []Fact    // prompts, until they are in the log
	unseen  []Fact    // in the log, and not yet yielded
	inner   map[string]*Run
	parked  map[string]*Run       // runs within that wait
	kids    map[string]*Run       // those that have been under way here and have not ended
	woken   map[string]*Run       // those that were answered and are not under way again
	later   map[string][]Answered // answers for runs within that are not under way
	posts   map[string]bool       // of the mailbox, that are in the log
	ride    *ride                 // under way, or nil
	rest    bool                  // at the next turn boundary
	ended   bool                  // the last word is a stop
	posted  bool                  // a message of the mailbox has come since
	halted  bool                  // a person's stop is in the log, and the run has not stopped
	end     int                   // the length of the log at the last stop
	idle    map[string]bool       // jobs noted as started that never began; of the one who ranges
	bad     error                 // the journal failed: nothing may be added any more
	active  time.Duration         // until the ride under way began
	pooled  time.Duration         // of it, that the pool knows of
	one     [1]journal.Entry
}

type settled struct {
	id     string
	answer Answer
}

// NewRun returns the run of m that has its log in scope. It is for those who
// write a mode; use [Worker].Open. Prompts that the log does not hold are said
// to the run when its events are ranged over.
func NewRun(ctx context.Context, m Mode, scope Scope, prompts ...string) (*Run, error) {
	r := &Run{mode: m, scope: scope.root()}
	r.store = r.scope.Journal
	heard := 0
	for e, err := range r.scope.Journal.Load(ctx, r.scope.ID) {
		if err != nil {
			return nil, fmt.Errorf("agent: opening %s: %w", r.scope.ID, err)
		}
		entry, err := loaded(e, m.Kinds)
		if err != nil {
			return nil, fmt.Errorf("agent: opening %s: entry %d: %w", r.scope.ID, r.at, err)
		}
		if said, ok := entry.Fact.(Said); ok && said.Prompt {
			heard++
		}
		r.fold(entry)
	}
	for _, p := range prompts[min(heard, len(prompts)):] {
		if blank(p) {
			return nil, ErrEmpty
		}
		r.inbox = append(r.inbox, Said{Text: llm.Clean(p), Prompt: true})
	}
	if r.scope.depth == 0 {
		r.join(budget.Spent{})
	}
	return r, nil
}

// join tells the shared budget what the run had spent before, but for what it
// knows from the log of the run above. It is for the one who opened the run.
func (r *Run) join(counted budget.Spent) {
	spent := r.mode.Result().Spent
	r.pooled = spent.Time
	if r.scope.depth > 0 {
		spent.Time = 0 // the run above has waited for it
		spent = spent.Since(budget.Spent{}.PlusInner(counted))
	}
	r.scope.Pool.Join(r.scope.ID, spent)
}

// fold adds an entry that is in the journal. It is called with mu held, or
// before anybody else knows the run.
func (r *Run) fold(e Entry) {
	r.at++
	r.active = max(r.active, e.Active)
	switch f := e.Fact.(type) {
	case Answered:
		r.answers = append(r.answers, settled{f.ID, f.Answer})
		r.took(f.Post)
	case Said:
		r.took(f.Post)
		r.ended, r.posted = false, r.posted || f.Post != ""
	case Granted:
		r.ended = false
	case StopAsked:
		r.took(f.Post)
		r.halted = true
	case Stopped:
		r.halted, r.rest, r.end = false, false, r.at
		r.parked, r.woken = nil, nil // nothing of this run is waited for any more
		if r.ride != nil {
			r.ride.told = nil
		}
	}
	r.mode.Fold(e)
	if _, ok := e.Fact.(Stopped); ok {
		r.ended = r.over()
		r.posted = r.posted && !r.ended
	}
}

// over tells whether a stop has ended the run, which goes on with what was said
// since the stop was asked for. A result is large, and folding is deep: it has a
// frame of its own.
//
//go:noinline
func (r *Run) over() bool { return r.mode.Result().Ended() }

// ID returns the run's id in its journal.
func (r *Run) ID() string { return r.scope.ID }

// Log returns what has happened so far, from the journal.
func (r *Run) Log(ctx context.Context) (Log, error) {
	var log Log
	for e, err := range r.scope.Journal.Load(ctx, r.scope.ID) {
		if err != nil {
			return log, fmt.Errorf("agent: reading the log of %s: %w", r.scope.ID, err)
		}
		entry, err := loaded(e, r.mode.Kinds)
		if err != nil {
			return log, fmt.Errorf("agent: reading the log of %s: entry %d: %w", r.scope.ID, len(log), err)
		}
		log = append(log, entry)
	}
	return log, nil
}

// Result returns how far the run has come. Questions of runs within that have
// not been under way since this run was opened are not among those it lists:
// range over the events first.
func (r *Run) Result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result()
}

func (r *Run) result() Result {
	res := r.mode.Result()
	if res.Ended() {
		return res
	}
	for key, in := range r.parked {
		for _, q := range in.Result().Questions {
			q.ID = key + "/" + q.ID
			res.Questions = append(res.Questions, q)
		}
	}
	if len(res.Questions) > 0 {
		res.Reason = Waits
		slices.SortStableFunc(res.Questions, func(a, b Question) int { return strings.Compare(a.ID, b.ID) })
	}
	return res
}
