package plan

import (
	"cmp"
	"strconv"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

const (
	maxNamed  = 3    // tasks that the detail of an end names
	maxBlame  = 150  // characters of what it says of each
	maxDetail = 1000 // characters of what a planner's error says in it
)

// close ends all tasks, and then the run.
func (s *State) close(stop agent.Stopped, why string) Step {
	var facts []agent.Fact
	for i := range s.tasks {
		switch t := &s.tasks[i]; t.Status {
		case Running:
			facts = append(facts, TaskEnded{t.ID, Outcome{Status: Canceled, Why: why}})
		case Pending:
			facts = append(facts, TaskEnded{t.ID, Outcome{Status: Skipped, Why: why}})
		}
	}
	if len(facts) > 0 {
		return Note{facts}
	}
	return s.stop(stop)
}

// finish ends a plan whose tasks have all ended: solved, verified, then stopped.
func (x *Executor) finish(s *State) Step {
	if len(s.later) > 0 {
		return x.heed(s)
	}
	if x.Solve != nil && s.solved == nil && s.done > 0 {
		return Solve{}
	}
	stop := s.outcome(x.words())
	if stop.Reason != agent.Completed || x.Verifier == nil {
		return s.stop(stop)
	}
	switch v := s.judged; {
	case v == nil:
		return Verify{}
	case v.Fault != "":
		return s.stop(agent.Stopped{Reason: agent.Failed, Cause: agent.VerifierFault, Detail: v.Fault})
	case v.Pass:
		stop.Detail = v.Why
		return s.stop(stop)
	case x.Feedback && s.rounds < x.verifications():
		return x.draft(s, false)
	}
	return s.stop(s.unverified(x.words()))
}

// halted ends a run that a person has stopped, also in review.
func (s *State) halted(words *Texts) Step {
	stop := *s.halt
	if stop.Detail == "" {
		stop.Detail = words.Halted
		if s.verdict != nil && s.verdict.Denied() {
			stop.Detail = words.NotApproved
		}
	}
	return s.close(stop, words.Halted)
}

// unplanned ends a run for which no plan comes. What an earlier plan has
// completed is kept. A limit that was in the way is no bad planning.
func (s *State) unplanned(words *Texts) Step {
	limit, why := s.rejected.Limit, words.PlanningFailed
	if limit != nil {
		why = joined(": ", string(over(limit)), words.met(limit))
	}
	said := bounded(s.rejected.Error, maxDetail)
	stop := agent.Stopped{Reason: agent.Failed, Cause: agent.PlanningFailed, Limit: limit}
	switch {
	case s.done > 0 && s.done == len(s.tasks) && s.judged != nil && !s.judged.Pass:
		return s.close(s.unverified(words), why)
	case s.done > 0 && s.drafts > 0:
		stop.Reason, stop.Cause = agent.Incomplete, ""
	case limit != nil:
		stop.Reason, stop.Cause = over(limit), ""
	}
	if s.drafts > 0 {
		detail, _, shared := s.blame(words)
		switch {
		case shared && limit != nil:
			said = "" // the tasks say it
		case limit == nil && detail != "":
			said = words.PlanningFailed + ": " + said
		}
		said = joined("; ", detail, said)
	}
	stop.Detail = said
	return s.close(stop, why)
}

// unverified says how a run ends whose results did not pass, and for which no
// better ones could be planned.
func (s *State) unverified(words *Texts) agent.Stopped {
	stop := agent.Stopped{Reason: agent.Unverified, Detail: cmp.Or(s.judged.Why, words.NotPassed), Limit: s.judged.Limit}
	if s.rejected != nil {
		stop.Detail += "; " + bounded(s.rejected.Error, maxDetail)
		stop.Limit = cmp.Or(stop.Limit, s.rejected.Limit)
	}
	return stop
}

// outcome says how the plan ends by its tasks alone. Where a limit ended all
// that failed, it is named; if it is that of the budget that the run shares
// with its tasks and nothing is done, the run itself is over it.
func (s *State) outcome(words *Texts) agent.Stopped {
	stop := agent.Stopped{Reason: agent.Completed}
	switch {
	case s.done == 0:
		stop.Reason, stop.Cause = agent.Failed, agent.NoTaskDone
	case s.done < len(s.tasks):
		stop.Reason = agent.Incomplete
	case !s.accepted():
		stop.Reason = agent.Unverified
	case s.solved != nil && s.solved.Status != Completed:
		return agent.Stopped{Reason: agent.Incomplete, Detail: s.solved.Why, Limit: s.solved.Limit}
	default:
		return stop
	}
	shared := false
	stop.Detail, stop.Limit, shared = s.blame(words)
	if s.done == 0 && shared {
		stop.Reason, stop.Cause = over(stop.Limit), ""
	}
	return stop
}

// over is the reason of a run that is over the limit.
func over(l *budget.ExceededError) agent.Reason {
	if l.Limit == budget.Time {
		return agent.TimedOut
	}
	return agent.OverBudget
}

func overrun(stop agent.Stopped) bool {
	return stop.Reason == agent.OverBudget || stop.Reason == agent.TimedOut
}

// accepted tells whether who checked the completed tasks agrees with all.
func (s *State) accepted() bool {
	for i := range s.tasks {
		if v := s.tasks[i].Verdict; v != nil && !v.Pass {
			return false
		}
	}
	return true
}

// blame names the tasks that decided an end which is not Completed, and why
// each did, in bounded words: those that failed, else those that were not
// accepted, else those that were skipped. Limit is one that all of them met, nil
// if there is none; shared says that it is that of the shared budget.
func (s *State) blame(words *Texts) (detail string, limit *budget.ExceededError, shared bool) {
	for _, decides := range []func(*Task) bool{(*Task).fell, (*Task).refused, (*Task).skipped} {
		var named []string
		n, limits := 0, 0
		for i := range s.tasks {
			t := &s.tasks[i]
			if !decides(t) {
				continue
			}
			if n++; n <= maxNamed {
				named = append(named, bounded(t.ID, maxBlame)+": "+t.reason(words))
			}
			if t.Limit == nil {
				continue
			}
			if limits++; limit == nil || t.Shared && !shared {
				limit, shared = t.Limit, t.Shared
			}
		}
		if n == 0 {
			continue
		}
		if n > maxNamed {
			named = append(named, fill(words.MoreTasks, "tasks", strconv.Itoa(n-maxNamed)))
		}
		if limits < n {
			limit, shared = nil, false
		}
		return joined("; ", named...), limit, shared
	}
	return "", nil, false
}

func (t *Task) fell() bool {
	return t.Status.Final() && t.Status != Completed && t.Status != Skipped
}

func (t *Task) refused() bool { return t.Status == Completed && t.Verdict != nil && !t.Verdict.Pass }

func (t *Task) skipped() bool { return t.Status == Skipped }

// reason says in one line why a task has decided an end.
func (t *Task) reason(words *Texts) string {
	why := t.Why
	if t.refused() {
		why = cmp.Or(t.Verdict.Why, t.Verdict.Fault, words.NotPassed)
	}
	return cmp.Or(firstLine(why, maxBlame), t.Status.String())
}

func (s *State) stop(stop agent.Stopped) Step {
	stop.Turn = max(1, s.drafts)
	return Stop{stop}
}
