package plan

import (
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
)

// A Step names what may be under way now: [Recall], [Draft], [RunTasks],
// [Solve], [Verify], [Summarize], [Note], [Wait] or [Stop].
type Step interface{ step() }

type (
	// Recall asks the caller's memory.
	Recall struct{}

	// Draft asks the planner. Replan says that it counts as one, and Told how
	// many of the messages for later it heeds, Heard how many of the others: the
	// fact must say so. Early are
	// the tasks that were found in the draft so far and may be under way.
	Draft struct {
		Brief  Brief
		Replan bool
		Told   int
		Heard  int // as in Drafted
		Early  []Assignment
	}

	// RunTasks names the tasks that may be under way now, as many at once as the
	// executor says: those that are, and the next in order. Those that are, are
	// left alone.
	RunTasks struct{ Tasks []Assignment }

	// Solve makes the answer of all results.
	Solve struct{}

	// Verify asks the verifier, or the critic, about the whole.
	Verify struct{}

	// Summarize shortens the results of a research for its planner.
	Summarize struct{}

	// Note names facts that follow from what has happened and need no act.
	Note struct{ Facts []agent.Fact }

	// Wait is for answers from outside.
	Wait struct{ Questions []agent.Question }

	// Stop ends the run. It has ended when the state holds the fact already.
	Stop struct{ agent.Stopped }
)

func (Recall) step()    {}
func (Draft) step()     {}
func (RunTasks) step()  {}
func (Solve) step()     {}
func (Verify) step()    {}
func (Summarize) step() {}
func (Note) step()      {}
func (Wait) step()      {}
func (Stop) step()      {}

// An Assignment is a task that may run. Begun says that it was noted as
// started: if it is not under way, it was cut off. Place is as in [TaskStarted].
type Assignment struct {
	ID    string
	Begun bool
	Place int
}

// A Brief is what a planner is told.
type Brief struct {
	Goal     string // with the requirements that were added
	Remember string // what the caller's memory says to it
	Feedback string // of the verifier or the critic, on what was completed

	// Completed are the tasks that stay, with their results; new ones may depend
	// on them. Failed are those that did not work out, and why.
	Completed []Task
	Failed    []Task
	Summary   string // stands in for the results, where they are too long

	Given int        // ids that were given out before: the next is task_ and one more
	Tools []llm.Spec // what tasks may name as their tool
}

// Next says what may be under way in a run in state s. It does nothing itself:
// the same executor and state always give the same step. Ask it again after
// every fact.
func (x *Executor) Next(s State) Step {
	s.words = x.words()
	return x.next(&s)
}

func (x *Executor) next(s *State) Step {
	switch {
	case s.stopped != nil:
		return Stop{*s.stopped}
	case s.halt != nil:
		return s.halted(x.words())
	case s.rejected != nil:
		return s.unplanned(x.words())
	case s.goal == "":
		return Wait{}
	case s.recalled == nil && x.Memory != nil:
		return Recall{}
	case s.drafts == 0:
		return x.draft(s, false)
	case s.stale:
		return x.renew(s, false)
	case x.Review && s.verdict == nil:
		return Wait{[]agent.Question{{ID: fmt.Sprintf("review_%d", s.drafts), About: agent.AboutPlan, Text: x.words().review(s)}}}
	case s.failing:
		return x.decide(s)
	case s.doomed.n > 0:
		return Note{x.skips(s)}
	case s.left > 0:
		return s.run(x.parallel(), x.Barrier)
	}
	return x.finish(s)
}

// draft asks for a plan of what is not completed.
func (x *Executor) draft(s *State, replan bool) Step {
	d := Draft{Brief: s.brief(), Replan: replan, Heard: len(s.wishes)}
	if s.early > 0 {
		d.Early = s.run(x.parallel(), false).Tasks
	}
	return d
}

// heed asks for a plan of what messages for later want.
func (x *Executor) heed(s *State) Step {
	d := x.draft(s, false).(Draft)
	d.Told = len(s.later)
	d.Brief.Goal = s.texts().goal(d.Brief.Goal, s.later)
	return d
}

// renew asks for another plan once what is under way has ended: its results
// count, and may yet turn the scale.
func (x *Executor) renew(s *State, replan bool) Step {
	if len(s.running) > 0 {
		return s.run(0, false)
	}
	return x.draft(s, replan)
}

func (s *State) brief() Brief {
	b := Brief{Goal: s.Goal(), Feedback: s.feedback, Completed: s.completed(), Failed: s.failed(), Given: s.given - s.early}
	if s.recalled != nil {
		b.Remember = *s.recalled
	}
	return b
}

// run names what is under way, and the next few that may start.
func (s *State) run(most int, barrier bool) RunTasks {
	fresh := &s.ready
	if barrier {
		fresh = &s.round
	}
	return s.assign(fresh, most)
}

// assign names what is under way, and the first so many of the fresh ones.
func (s *State) assign(fresh *places, most int) RunTasks {
	most = min(most, fresh.n)
	tasks := make([]Assignment, 0, len(s.running)+most)
	taken := make([]bool, 1+len(s.running)+most) // which of the numbers that may be given are
	for _, i := range s.running {
		t := &s.tasks[i]
		tasks = append(tasks, Assignment{t.ID, true, t.Place})
		if 0 < t.Place && t.Place < len(taken) {
			taken[t.Place] = true
		}
	}
	place := 0
	for i := fresh.next(0); most > 0; i = fresh.next(i + 1) {
		for place++; taken[place]; place++ {
		}
		tasks = append(tasks, Assignment{s.tasks[i].ID, false, place})
		most--
	}
	return RunTasks{tasks}
}

// decide says what follows from failures, once what is under way has ended.
func (x *Executor) decide(s *State) Step {
	if x.OnFailure == GoOn {
		return Note{append([]agent.Fact{WentOn{s.done, len(s.tasks)}}, x.skips(s)...)}
	}
	if len(s.running) > 0 {
		return s.run(0, false)
	}
	behind := x.OnFailure == ReplanAlways || 2*s.done < len(s.tasks)
	switch {
	case !behind:
		return Note{append([]agent.Fact{WentOn{s.done, len(s.tasks)}}, x.skips(s)...)}
	case s.replans < x.replans():
		return x.draft(s, true)
	}
	stop := s.outcome(x.words())
	if x.OnFailure == ReplanAlways && !overrun(stop) {
		stop.Reason, stop.Cause = agent.Failed, agent.Blocked
	}
	return s.close(stop, x.words().NoReplan)
}

// skips ends the tasks that wait for what will never be there, directly or not.
// Each names the task that is at the root of it.
func (x *Executor) skips(s *State) (facts []agent.Fact) {
	root := map[int32]string{}
	var queue []int32
	for i := s.doomed.next(0); i >= 0; i = s.doomed.next(i + 1) {
		for _, j := range s.up[i] {
			if t := &s.tasks[j]; t.Status.Final() && !t.satisfies() {
				root[i] = t.ID
				if t.Cause != "" {
					root[i] = t.Cause
				}
				break
			}
		}
		queue = append(queue, i)
	}
	for n := 0; n < len(queue); n++ {
		i := queue[n]
		status := Failed
		if cause, ok := s.at[root[i]]; ok {
			status = s.tasks[cause].Status
		}
		why := fill(x.words().Skipped, "task", root[i], "status", status.String())
		facts = append(facts, TaskEnded{s.tasks[i].ID, Outcome{Status: Skipped, Why: why, Cause: root[i]}})
		for _, j := range s.down[i] {
			if _, queued := root[j]; !queued && s.tasks[j].Status == Pending {
				root[j] = root[i]
				queue = append(queue, j)
			}
		}
	}
	return facts
}
