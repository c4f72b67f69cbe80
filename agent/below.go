package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/agent/journal"
)

// A sleeper is a run within that is not open here, as far as its log tells of it.
type sleeper struct {
	id       string
	question string // its own id of the one that is answered
	length   int
	state    State
	loop     bool // all its facts are those of a loop, so state is whole
	ended    bool
	old      *Answer // of the question
}

// sleeper reads the log of the run within that an answer is for.
func (r *Run) sleeper(f Answered) (*sleeper, error) {
	at := strings.LastIndexByte(f.ID, '/')
	s := &sleeper{id: r.scope.ID + "/" + f.ID[:at], question: f.ID[at+1:], loop: true}
	for e, err := range r.scope.Journal.Load(context.Background(), s.id) {
		if err != nil {
			return nil, fmt.Errorf("agent: answering %s: %w", f.ID, err)
		}
		s.length++
		entry, err := loaded(e, loopKinds)
		if err != nil {
			s.loop = false // a fact of another mode
			continue
		}
		s.hear(entry)
	}
	return s, nil
}

func (s *sleeper) hear(e Entry) {
	switch fact := e.Fact.(type) {
	case Answered:
		if fact.ID == s.question {
			s.old = &fact.Answer
		}
	case CallPaused:
		if fact.Call == s.question {
			s.old = nil // it asks again
		}
	case StopAsked, Stopped:
		s.ended = true
	case Said:
		s.ended = false
	}
	s.state.fold(e)
}

// settled tells whether the question has this answer already, with an error if
// it has another, or is over.
func (s *sleeper) settled(f Answered) (bool, error) {
	switch {
	case s.old != nil && s.old.equal(f.Answer):
		return true, nil
	case s.old != nil:
		return true, fmt.Errorf("%w: %s", ErrStale, f.ID)
	case s.ended:
		return true, fmt.Errorf("%w: %s", ErrNoQuestion, f.ID)
	}
	return false, nil
}

// admit tells what is wrong with an answer, as far as the log can tell.
func (s *sleeper) admit(f Answered) error {
	for _, q := range s.state.result().Questions {
		switch {
		case q.ID != s.question:
		case !q.fits(f.Answer):
			return q.unfit(f.ID)
		case len(f.Answer.Arguments) > 0: // its policy is not known here
			return fmt.Errorf("%w: %s", ErrAsleep, f.ID)
		default:
			return nil
		}
	}
	if s.length == 0 || s.loop && s.state.call(s.question).place == "" && strings.Contains(s.question, ".") {
		return fmt.Errorf("%w: %s", ErrNoQuestion, f.ID)
	}
	return fmt.Errorf("%w: %s", ErrAsleep, f.ID)
}

// takeBelow adds an answer to the log of a run within that is not open here.
// Once the events are ranged over somebody may be about to open it, and the
// answer waits for that. It is called with owns and mu held.
func (r *Run) takeBelow(key, rest string, f Answered) error {
	s, err := r.sleeper(f)
	if err != nil {
		return err
	}
	if settled, err := s.settled(f); settled || err != nil {
		return err
	}
	if r.ride != nil {
		return r.answerLater(key, rest, f)
	}
	if err := s.admit(f); err != nil {
		return err
	}
	return r.claimed(func(store journal.Journal) error {
		f.ID = s.question
		entry := Entry{r.scope.Now(), s.state.spent.Time, f}
		if err := store.Append(context.Background(), s.id, s.length, entry.stored()); err != nil {
			return fmt.Errorf("agent: answering %s/%s: %w", key, rest, err)
		}
		return nil
	})
}

// claimed does one thing under a claim of the run. It is called with owns and
// mu held.
func (r *Run) claimed(do func(journal.Journal) error) error {
	ctx := context.Background()
	claim, err := r.scope.claim(ctx)
	if err != nil {
		return fmt.Errorf("agent: adding to %s: %w", r.scope.ID, err)
	}
	r.own(claim)
	defer r.own(nil)
	return errors.Join(do(r.store), claim.Release(ctx))
}
