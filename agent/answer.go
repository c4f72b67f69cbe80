package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Answer answers a question of the run, or of one within it. When it returns
// nil the answer is in the journal and holds. The same answer twice is fine;
// another one is [ErrStale]; an unknown question is [ErrNoQuestion]; one that
// does not fit is [ErrUnfit], and the question stays open.
//
// For a run within that is not under way, the answer is looked at when that run
// goes on: a wrong one ends the loop over the events with an error.
func (r *Run) Answer(id string, a Answer) error {
	return r.answer(Answered{ID: id, Answer: a})
}

func (r *Run) answer(f Answered) error {
	stops, err := r.take(f)
	if stops && err == nil {
		return r.stop(StopAsked{Why: f.Answer.Text})
	}
	return err
}

// take takes an answer in, and says whether it stops the run.
func (r *Run) take(f Answered) (stops bool, err error) {
	r.mu.Lock()
	key, rest, deep := strings.Cut(f.ID, "/")
	if in := cmp.Or(r.inner[key], r.parked[key], r.woken[key]); deep && in != nil {
		r.mu.Unlock() // the one within locks itself
		return false, r.pass(key, in, rest, f)
	}
	if deep {
		defer r.mu.Unlock()
		if settled, err := r.below(f); settled || err != nil {
			return false, err
		}
		return false, r.answerLater(key, rest, f)
	}
	_, settled, err := r.admit(f)
	check := func() (Answered, error) { return f, nil }
	if c, ok := r.mode.(checker); ok && !settled && err == nil && len(f.Answer.Arguments) > 0 {
		check = c.check(f)
	}
	r.mu.Unlock()
	if settled || err != nil {
		return false, err
	}
	if f, err = check(); err != nil { // the host's policy may look at the run
		return false, err
	}
	return r.settle(f)
}

// settle adds an answer to the log, unless another has come first.
func (r *Run) settle(f Answered) (stops bool, err error) {
	r.owns.Lock()
	defer r.owns.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	q, settled, err := r.admit(f)
	if settled || err != nil {
		return false, err
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
		q = questions[i]
		return q, false, fmt.Errorf("%w: %s is about %s and takes %s", ErrUnfit, f.ID, q.About, q.wants())
	}
	return questions[i], false, nil
}

// open tells whether a question is open, which one that a call asks again is.
func (r *Run) open(id string) bool {
	return slices.ContainsFunc(r.mode.Result().Questions, func(q Question) bool { return q.ID == id })
}

// pass answers a question of a run within, which is under way or waits.
func (r *Run) pass(key string, in *Run, id string, f Answered) error {
	f.ID = id
	if err := r.owning(func() error { return in.answer(f) }); err != nil {
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

// below looks an answer up in the log of a run within that is not open here:
// whether its question is settled, and with an error if otherwise.
func (r *Run) below(f Answered) (settled bool, err error) {
	at := strings.LastIndexByte(f.ID, '/')
	id, question := r.scope.ID+"/"+f.ID[:at], f.ID[at+1:]
	var old *Answer
	ended := false
	for e, err := range r.scope.Journal.Load(context.Background(), id) {
		if err != nil {
			return false, fmt.Errorf("agent: answering %s: %w", f.ID, err)
		}
		entry, err := loaded(e, loopKinds)
		if err != nil {
			continue // a fact of another mode
		}
		switch fact := entry.Fact.(type) {
		case Answered:
			if fact.ID == question {
				old = &fact.Answer
			}
		case CallPaused:
			if fact.Call == question {
				old = nil // it asks again
			}
		case Stopped:
			ended = true
		case Said:
			ended = false
		}
	}
	switch {
	case old != nil && old.equal(f.Answer):
		return true, nil
	case old != nil:
		return true, fmt.Errorf("%w: %s", ErrStale, f.ID)
	case ended:
		return true, fmt.Errorf("%w: %s", ErrNoQuestion, f.ID)
	}
	return false, nil
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
		closing = r.ride.closing
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
