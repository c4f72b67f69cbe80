package agent

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent/journal"
)

// Answer answers a question of the run, or of one within it. When it returns
// nil the answer is in the journal and holds. The same answer twice is fine;
// another one is [ErrStale]; an unknown question is [ErrNoQuestion]; one that
// does not fit is [ErrUnfit], and the question stays open.
//
// A run within that is not open here yet, since the events have not been ranged
// over, is looked up in the journal. What its log alone can't settle, changed
// arguments and questions of a mode that is no loop, is [ErrAsleep]: answer it
// at [Paused], or leave it in the mailbox with [Post]. While the events are
// ranged over, such an answer waits until the run within is open; a wrong one
// ends the loop with an error.
func (r *Run) Answer(id string, a Answer) error {
	return r.answer(Answered{ID: id, Answer: a})
}

func (r *Run) answer(f Answered) error {
	f, settled, err := r.checked(f)
	if settled || err != nil {
		return err
	}
	stops, err := r.take(f)
	if stops && err == nil {
		return r.stop(StopAsked{Why: f.Answer.Text})
	}
	return err
}

// child returns the run within that a path leads to first, if it is open here.
// It is called with mu held.
func (r *Run) child(id string) (in *Run, key, rest string, deep bool) {
	key, rest, deep = strings.Cut(id, "/")
	return cmp.Or(r.inner[key], r.parked[key], r.woken[key]), key, rest, deep
}

// checked takes changed arguments through the gates, before anything is claimed
// or locked: the host's policy may look at the run.
func (r *Run) checked(f Answered) (_ Answered, settled bool, err error) {
	r.mu.Lock()
	in, _, rest, deep := r.child(f.ID)
	if deep {
		r.mu.Unlock()
		if in == nil {
			return f, false, nil
		}
		id := f.ID
		f.ID = rest
		f, settled, err = in.checked(f)
		f.ID = id
		return f, settled, err
	}
	_, settled, err = r.admit(f)
	c, ok := r.mode.(checker)
	if settled || err != nil || !ok || len(f.Answer.Arguments) == 0 {
		r.mu.Unlock()
		return f, settled, err
	}
	check := c.check(f)
	r.mu.Unlock()
	f, err = check()
	return f, false, err
}

// take adds an answer to the log that it belongs to, unless another has come
// first, and says whether it stops the run.
func (r *Run) take(f Answered) (stops bool, err error) {
	r.owns.Lock()
	r.mu.Lock()
	in, key, rest, deep := r.child(f.ID)
	if deep && in != nil {
		r.mu.Unlock() // the one within locks itself
		r.owns.Unlock()
		return false, r.pass(key, in, rest, f)
	}
	defer r.owns.Unlock()
	defer r.mu.Unlock()
	if deep {
		return false, r.takeBelow(key, rest, f)
	}
	q, settled, err := r.admit(f)
	_, checks := r.mode.(checker)
	switch {
	case settled || err != nil:
		return false, err
	case checks && len(f.Answer.Arguments) > 0 && f.Check == nil: // it came up this moment
		return false, fmt.Errorf("%w: %s", ErrAsleep, f.ID)
	}
	if stops = q.About == AboutOutcome && f.Answer.Text == StopTheRun; stops && r.ride != nil {
		r.ride.closing = &StopAsked{Why: f.Answer.Text} // what is under way ends before its calls do
	}
	return stops, r.postLocked(f)
}

// admit returns the open question of an answer, or tells that it was settled by
// the same answer, or with an error that it can't be answered so. It is called
// with mu held.
func (r *Run) admit(f Answered) (q Question, settled bool, err error) {
	for _, old := range r.answers {
		if old.id == f.ID && !r.open(f.ID) {
			if old.answer.equal(f.Answer) {
				return q, true, nil
			}
			return q, false, fmt.Errorf("%w: %s", ErrStale, f.ID)
		}
	}
	questions := r.mode.Result().Questions
	i := slices.IndexFunc(questions, func(q Question) bool { return q.ID == f.ID })
	switch {
	case i < 0:
		return q, false, fmt.Errorf("%w: %s", ErrNoQuestion, f.ID)
	case !questions[i].fits(f.Answer):
		return q, false, questions[i].unfit(f.ID)
	}
	return questions[i], false, nil
}

// open tells whether a question is open, which one that a call asks again is.
func (r *Run) open(id string) bool {
	return slices.ContainsFunc(r.mode.Result().Questions, func(q Question) bool { return q.ID == id })
}

// pass adds an answer to the log of a run within, which is under way or waits.
func (r *Run) pass(key string, in *Run, id string, f Answered) error {
	whole := f
	f.ID = id
	err := r.owning(func() error {
		stops, err := in.take(f)
		if stops && err == nil {
			return in.stop(StopAsked{Why: f.Answer.Text})
		}
		return err
	})
	if outdated(err) && r.drop(in) {
		return r.answer(whole) // which waits for the handle that is opened, or is for the log
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.parked[key] == in {
		r.wake(key, in)
	}
	r.ring()
	return nil
}

// outdated tells whether an error is of a handle that has been left behind:
// another one is opened, the log has more than it knows of, or the claim that it
// was lent was given up this moment.
func outdated(err error) bool {
	return errors.Is(err, errAnew) || errors.Is(err, journal.ErrConflict) || errors.Is(err, journal.ErrLost)
}

// drop forgets the handle of a run within, unless it is under way.
func (r *Run) drop(in *Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, open := range r.inner {
		if open == in {
			return false
		}
	}
	same := func(_ string, other *Run) bool { return other == in }
	maps.DeleteFunc(r.parked, same)
	maps.DeleteFunc(r.woken, same)
	return true
}

// wake lets a run within that waits go on. It is called with mu held.
func (r *Run) wake(key string, in *Run) {
	delete(r.parked, key)
	if r.woken == nil {
		r.woken = map[string]*Run{}
	}
	r.woken[key] = in
}

// answered wakes the runs within that wait for nothing any more: their answer is
// in the log, and who gave it has not come to say so. It is called with mu held.
func (r *Run) answered() (some bool) {
	for key, in := range r.parked {
		if in.Result().Reason != Waits {
			r.wake(key, in)
			some = true
		}
	}
	return some
}

// answerLater keeps an answer for a run within that nobody has opened yet.
func (r *Run) answerLater(key, id string, f Answered) error {
	for _, old := range r.later[key] {
		if old.ID == id {
			if old.Answer.equal(f.Answer) {
				return nil
			}
			return fmt.Errorf("%w: %s", ErrStale, f.ID)
		}
	}
	if r.later == nil {
		r.later = map[string][]Answered{}
	}
	f.ID = id
	r.later[key] = append(r.later[key], f)
	r.ring()
	return nil
}

// enter notes that in is under way, and gives it the answers that waited for it.
func (r *Run) enter(key string, in *Run) error {
	r.mu.Lock()
	if r.inner == nil {
		r.inner = map[string]*Run{}
	}
	r.inner[key] = in
	if r.kids == nil {
		r.kids = map[string]*Run{}
	}
	r.kids[key] = in
	answers := r.later[key]
	delete(r.later, key)
	delete(r.woken, key)
	var closing *StopAsked
	if r.ride != nil {
		closing = cmp.Or(r.ride.closing, r.ride.told)
	}
	r.mu.Unlock()
	for _, a := range answers {
		if err := in.answer(a); err != nil {
			return fmt.Errorf("agent: answering %s/%s: %w", key, a.ID, err)
		}
	}
	if closing != nil { // it came up while the others were told
		return in.stop(StopAsked{Why: closing.Why})
	}
	return nil
}

// leave notes that in is not under way any more, and keeps the answers for
// runs within it that it did not hear.
func (r *Run) leave(key string, in *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.inner, key)
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended {
		delete(r.kids, key) // its end tells what it has spent
	}
	for k, answers := range in.later {
		for _, a := range answers {
			if r.later == nil {
				r.later = map[string][]Answered{}
			}
			a.ID = k + "/" + a.ID
			r.later[key] = append(r.later[key], a)
		}
	}
	in.later = nil
}
