package team

import (
	"strconv"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// A Step names what may be under way now: [Work], [Review], [Wait] or [Stop].
type Step interface{ step() }

type (
	// Work has the worker do the task, or mend it: prompts that its run has not
	// heard are said to it. Begun says that this was noted as started: if it is
	// not under way, it was cut off.
	Work struct {
		Prompts []string
		Try     int
		Begun   bool
	}

	// Review asks the reviewer about the latest result, as [ReviewStarted] says.
	Review struct {
		Prompts []string
		Review  int
		Try     int
		Begun   bool
	}

	// Wait is for a task.
	Wait struct{}

	// Stop ends the run. It has ended when the state holds the fact already.
	Stop struct{ agent.Stopped }
)

func (Work) step()   {}
func (Review) step() {}
func (Wait) step()   {}
func (Stop) step()   {}

const (
	defaultRetries = 2
	reviewTries    = 2 // of one review
)

// Next says what may be under way in a run in state s. It does nothing itself:
// the same worker and state always give the same step.
func (r *Reviewed) Next(s State) Step { return r.next(&s) }

func (r *Reviewed) next(s *State) Step {
	switch {
	case s.stopped != nil:
		return Stop{*s.stopped}
	case s.halt != nil:
		return s.stop(agent.Canceled, s.halt.Why)
	case s.canceled:
		return s.stop(agent.Canceled, "")
	case len(s.told) == 0:
		return Wait{}
	case s.working:
		return Work{r.prompts(s, s.given), s.tries, true}
	case s.unheard():
		return Work{r.prompts(s, len(s.told)), s.tries + 1, false}
	case s.failed != nil && !s.retrying():
		return s.fail()
	case s.due && len(s.faults) < reviewTries:
		return r.review(s)
	case s.due:
		return s.unreviewed(r.words())
	case s.verdict.Approved:
		return s.stop(agent.Completed, listed(append(s.verdict.Issues[:len(s.verdict.Issues):len(s.verdict.Issues)], s.verdict.Suggestions...)))
	case s.redos <= r.retries():
		return Work{r.prompts(s, len(s.told)), s.tries + 1, false}
	}
	issues := s.verdict.asks()
	if issues == "" {
		issues = r.words().NoIssues
	}
	return s.reject(issues)
}

// unheard tells whether something was said that the worker was not told.
func (s *State) unheard() bool {
	for _, t := range s.told[s.given:] {
		if t.said != "" {
			return true
		}
	}
	return false
}

// fail ends a run whose worker failed before there was a result. What the
// worker's verifier refused is no verdict of the reviewer.
func (s *State) fail() Step {
	f := s.failed
	stop := agent.Stopped{Reason: f.Reason, Cause: f.Cause, Detail: f.Why, Limit: f.Limit}
	if stop.Reason != agent.Refused && stop.Reason != agent.Failed && !f.cut() {
		stop.Reason, stop.Detail = agent.Failed, joined(": ", string(f.Reason), string(f.Cause), f.Why)
	}
	stop.Turn = max(1, s.tries)
	return Stop{stop}
}

// reject ends a run whose result was not accepted. The limit is the one that
// cut the last retry short, if there was one.
func (s *State) reject(issues string) Step {
	stop := agent.Stopped{Reason: agent.Unverified, Detail: issues, Turn: max(1, s.tries)}
	if s.failed != nil {
		stop.Limit = s.failed.Limit
	}
	return Stop{stop}
}

// unreviewed ends a run whose result nobody could review.
func (s *State) unreviewed(words *Texts) Step {
	last := s.faults[len(s.faults)-1]
	return Stop{agent.Stopped{
		Reason: agent.Unverified, Detail: fill(words.Unreviewed, "fault", last.Fault), Limit: last.Limit, Turn: max(1, s.tries),
	}}
}

func (s *State) stop(reason agent.Reason, detail string) Step {
	return Stop{agent.Stopped{Reason: reason, Detail: detail, Turn: max(1, s.tries)}}
}

// prompts are the first n messages to the worker.
func (r *Reviewed) prompts(s *State, n int) []string {
	words, list := r.words(), make([]string, n)
	for i, t := range s.told[:n] {
		if list[i] = t.said; t.said != "" {
			continue
		}
		if t.issues == "" {
			t.issues = words.NoIssues
		}
		if list[i] = fill(words.Redo, "issues", t.issues); t.failed != "" {
			list[i] = fill(words.RedoFailed, "why", t.failed, "issues", t.issues)
		}
	}
	return list
}

// review asks about the latest result: once, or again with what was wrong with
// the reply.
func (r *Reviewed) review(s *State) Step {
	step := Review{Review: s.reviews + 1, Try: 1}
	if s.reviewing || len(s.faults) > 0 {
		step = Review{Review: s.reviews, Try: len(s.faults) + 1, Begun: s.reviewing}
	}
	step.Prompts = []string{r.request(s)}
	for _, f := range s.faults {
		if !f.Failed { // else the request that failed is made again
			step.Prompts = append(step.Prompts, fill(r.words().BadVerdict, "fault", f.Fault))
		}
	}
	return step
}

// request is what a reviewer is told: the task as the worker was, with the
// results that it builds on, what came of it, and what was done.
func (r *Reviewed) request(s *State) string {
	words := r.words()
	var said []string
	for _, t := range s.told {
		if t.said != "" {
			said = append(said, t.said)
		}
	}
	before, partial := "", ""
	if s.verdict != nil && !s.verdict.Approved {
		before = fill(words.Before, "issues", s.verdict.asks())
	}
	if s.work.partial() {
		partial = fill(words.Partial, "why", s.work.why())
	}
	return fill(words.ReviewTask, "task", strings.Join(said, "\n\n"), "before", before,
		"result", s.work.Result, "partial", partial, "calls", words.calls(s.work))
}

// calls lists what a worker called.
func (t *Texts) calls(w *WorkEnded) string {
	if len(w.Calls) == 0 {
		return t.NoCalls
	}
	var b strings.Builder
	if left := w.Called - len(w.Calls); left > 0 {
		b.WriteString(fill(t.MoreCalls, "calls", strconv.Itoa(left)) + "\n")
	}
	for _, c := range w.Calls {
		outcome := string(c.Outcome)
		switch {
		case !c.Ended:
			outcome = t.Open
		case outcome == "":
			outcome = t.OK
		}
		b.WriteString(fill(t.CallLine, "name", c.Name, "arguments", c.Arguments, "outcome", outcome, "result", c.Result) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// met says which limit was met.
func met(l *budget.ExceededError) string {
	if l == nil {
		return ""
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return string(l.Limit) + ": " + number(l.Used) + " of " + number(l.Max)
}

func joined(between string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, between)
}
