package team

import (
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A State is what has happened in a run of a [Reviewed], folded from its log.
type State struct {
	told  []told // to the worker, a run of its each; the first is the task
	given int    // of told, what the worker was given
	tries int    // worker runs that began
	redos int    // retries that were asked for, or used up by a failed run

	working bool
	work    *WorkEnded // the latest that gave a result
	failed  *WorkEnded // the latest, if it gave none

	reviewing bool
	due       bool          // the latest result is to be reviewed
	reviews   int           // results whose review began
	faults    []ReviewEnded // tries at the latest review that gave no verdict
	verdict   *Verdict      // the latest

	canceled bool // who works or reviews was stopped
	spent    budget.Spent
	worked   budget.Spent // of spent, the worker's run
	judged   budget.Spent // of spent, the latest review's
	halt     *agent.StopAsked
	again    bool // something was said since: it begins the run again
	stopped  *agent.Stopped
}

// A told is what the worker is told: something said from outside, or what a
// rejection or a failed run leads to.
type told struct {
	said   string
	issues string // of the latest rejection
	failed string // why the run before gave nothing
}

// Fold returns the state that a log tells of.
func Fold(log ...agent.Entry) State {
	var s State
	for _, e := range log {
		s.fold(e)
	}
	return s
}

// With returns s with facts added; s stays as it is. It is for who drives a run
// by hand.
func (s State) With(facts ...agent.Fact) State {
	s.told, s.faults = slices.Clip(s.told), slices.Clip(s.faults)
	for _, f := range facts {
		s.fold(agent.Entry{Fact: f})
	}
	return s
}

func (s *State) fold(e agent.Entry) {
	s.spent.Time = max(s.spent.Time, e.Active)
	switch f := e.Fact.(type) {
	case agent.Said:
		s.hear(f)
	case WorkStarted:
		s.working, s.tries, s.given = true, f.Try, len(s.told)
	case WorkEnded:
		s.endWork(f)
	case ReviewStarted:
		s.reviewing = true
		if s.reviews < f.Review {
			s.reviews, s.faults, s.judged = f.Review, nil, budget.Spent{}
		}
	case ReviewEnded:
		s.endReview(f)
	case agent.StopAsked:
		s.halt, s.again = &f, false
	case agent.Stopped:
		if s.stopped = &f; s.again {
			s.begin()
		}
	}
}

// hear takes in the task, or what is said later. After the end it begins
// another round, with new retries.
func (s *State) hear(f agent.Said) {
	s.told = append(s.told, told{said: f.Text})
	if s.again = s.halt != nil; s.stopped != nil {
		s.begin()
	}
}

// begin begins another round, with new retries. Of a worker or a reviewer that
// waited for an answer when the run was stopped nothing will come any more.
func (s *State) begin() {
	s.stopped, s.halt, s.work, s.verdict, s.failed, s.faults = nil, nil, nil, nil, nil, nil
	s.redos, s.due, s.canceled, s.again = 0, false, false, false
	s.working, s.reviewing = false, false
}

// endWork notes what the worker's run came to. One that failed never replaces
// an earlier result.
func (s *State) endWork(f WorkEnded) {
	s.working = false
	idle := f.cut() && f.Spent.Turns == s.worked.Turns && f.Spent.Usage() == s.worked.Usage() // what it has is of the try before
	s.spent, s.worked = swap(s.spent, s.worked, f.Spent), f.Spent
	switch {
	case f.Reason == agent.Canceled:
		s.canceled = true
	case f.gave() && !idle:
		if f.Result == "" && s.work != nil {
			f.Result = s.work.Result
		}
		s.work, s.failed, s.due = &f, nil, true
	default:
		s.failed = &f
		if s.retrying() {
			s.redos++
			if f.Reason != Errored { // else the run has not ended: the request that failed is made again
				s.told = append(s.told, told{issues: s.verdict.asks(), failed: f.why()})
			}
		}
	}
}

// retrying tells whether the worker is at what a rejection asked for.
func (s *State) retrying() bool { return s.work != nil && s.verdict != nil && !s.verdict.Approved }

func (s *State) endReview(f ReviewEnded) {
	s.reviewing = false
	f.Spent.Main, f.Spent.Review = llm.Usage{}, f.Spent.Review.Plus(f.Spent.Main)
	s.spent, s.judged = swap(s.spent, s.judged, f.Spent), f.Spent
	switch {
	case f.Verdict == nil && f.Fault == "":
		s.canceled = true
	case f.Verdict == nil:
		s.faults = append(s.faults, f)
	default:
		s.verdict, s.due, s.faults = f.Verdict, false, nil
		if !f.Verdict.Approved {
			s.redos++
			s.told = append(s.told, told{issues: f.Verdict.asks()})
		}
	}
}

// swap takes what a run within had used before out of a sum, and puts in what
// it has used by now.
func swap(sum, before, now budget.Spent) budget.Spent { return sum.PlusInner(now.Since(before)) }

// gave tells whether the run gave a result, be it cut short.
func (w *WorkEnded) gave() bool { return w.Reason == agent.Completed || w.partial() }

// partial tells whether a limit cut the run short when there was a result: one
// without any is as good as failed, and there is nothing to review.
func (w *WorkEnded) partial() bool { return w.cut() && strings.TrimSpace(w.Result) != "" }

// cut tells whether a limit cut the run short.
func (w *WorkEnded) cut() bool {
	switch w.Reason {
	case agent.OverBudget, agent.TimedOut, agent.Stalled:
		return true
	}
	return false
}

// why says how the run ended, in one line.
func (w *WorkEnded) why() string {
	return joined(": ", string(w.Reason), string(w.Cause), w.Why, met(w.Limit))
}

// Spent returns what the run has used, the worker's run and the reviews together.
func (s State) Spent() budget.Spent { return s.spent }

// Verdict returns the latest verdict; nil if there is none.
func (s State) Verdict() *Verdict { return s.verdict }

// result says how far the run has come.
func (s *State) result() agent.Result {
	r := agent.Result{Spent: s.spent, Turns: s.tries}
	if s.work != nil {
		r.Text, r.Partial = s.work.Result, s.work.partial()
	}
	if s.stopped == nil {
		return r
	}
	r.Reason, r.Cause, r.Detail, r.Limit = s.stopped.Reason, s.stopped.Cause, s.stopped.Detail, s.stopped.Limit
	switch r.Reason {
	case agent.Completed:
		r.Verdict = &agent.Verified{Pass: true, Why: s.stopped.Detail}
	case agent.Unverified:
		r.Verdict = &agent.Verified{Why: s.stopped.Detail}
		if s.due {
			r.Verdict.Fault = s.stopped.Detail
		}
	}
	if s.work == nil && s.failed != nil {
		r.Text = s.failed.Result
	}
	return r
}
