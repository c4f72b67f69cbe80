package plan

import "github.com/triad-go/triad/agent"

// next says what may be under way in a research.
func (r *Research) next(x *Executor, s *State) Step {
	words := x.words()
	switch {
	case s.stopped != nil:
		return Stop{*s.stopped}
	case s.halt != nil:
		return s.halted(words)
	case s.rejected != nil && s.done == 0:
		return s.unplanned(words)
	case s.goal == "":
		return Wait{}
	case s.rejected == nil && s.drafts == 0:
		return x.draft(s, false)
	case s.rejected == nil && s.stale:
		return x.renew(s, false)
	case s.doomed.n > 0:
		return Note{x.skips(s)}
	case s.left > 0:
		return s.runOrder(x.parallel())
	case s.done == 0:
		return s.stop(s.outcome(words))
	case s.judged == nil:
		return Verify{}
	case s.rejected == nil && !s.judged.Pass && !s.judged.Unreviewed && s.rounds < r.Rounds:
		return r.again(x, s)
	case s.solved == nil:
		return Solve{}
	case s.rejected == nil && len(s.later) > 0:
		return x.heed(s)
	}
	return s.stop(s.conclude(words))
}

// again plans the next round, from short results and the latest critique.
func (r *Research) again(x *Executor, s *State) Step {
	size := 0
	for _, t := range s.completed() {
		size += runes(t.Result)
	}
	summarized := s.summary != nil && s.summary.Covers == len(s.tasks)
	if size > longestForPlanner && !summarized {
		return Summarize{}
	}
	step := x.draft(s, false).(Draft)
	if summarized {
		step.Brief.Summary = s.summary.Text
	}
	return step
}

// conclude says how a research ends whose tasks have all ended.
func (s *State) conclude(words *Texts) agent.Stopped {
	stop := s.outcome(words)
	if stop.Reason != agent.Completed {
		return stop
	}
	if s.judged.Pass {
		stop.Detail = s.judged.Why
		return stop
	}
	return s.unverified(words)
}

// runOrder names the tasks of the lowest order that has not ended.
func (s *State) runOrder(most int) RunTasks {
	lowest := -1
	for i := range s.tasks {
		if t := &s.tasks[i]; !t.Status.Final() && (lowest < 0 || t.Order < lowest) {
			lowest = t.Order
		}
	}
	fresh := newPlaces(len(s.tasks))
	for i := range s.tasks {
		if t := &s.tasks[i]; t.Status == Pending && t.Order == lowest {
			fresh.add(int32(i))
		}
	}
	return s.assign(&fresh, most)
}

// ordered finds tasks that depend on one that does not run before them.
func ordered(tasks []Task, faults *faultList) {
	order := make(map[string]int, len(tasks))
	for i := range tasks {
		order[tasks[i].ID] = tasks[i].Order
	}
	for i := range tasks {
		for _, id := range tasks[i].Dependencies {
			if before, ok := order[id]; ok && before >= tasks[i].Order && id != tasks[i].ID {
				faults.add(BadOrder, tasks[i].ID, "it depends on %s, which does not have a lower order", id)
			}
		}
	}
}

func runes(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}
