package plan

import (
	"maps"
	"slices"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// A State is what has happened in a run of a plan, folded from its log. Adding
// a fact costs what it touches, not the size of the plan.
type State struct {
	words *Texts // of who runs it; nil is English

	goal     string
	wishes   []string // of the reviewer and others, after the goal
	later    []string // to be heeded when the run would end
	recalled *string
	feedback string // of the verifier or the critic, the latest

	board
	early    int    // of the tasks, those found in a draft that is being written
	lost     []Task // failed, of the plan before
	replaced []Task // all that later plans have replaced
	given    int    // tasks ever named: ids go on, since each names a log
	used     map[string]bool

	drafts, replans, rounds int
	stale                   bool          // the plan does not count any more
	failing                 bool          // failures that nothing has been decided about
	verdict                 *agent.Answer // on the last draft
	rejected                *PlanRejected

	solved  *Solved
	judged  *Judged
	summary *Summarized

	spent   budget.Spent
	halt    *agent.Stopped // the end that is to come
	again   bool           // a message came since: it begins the run again
	stopped *agent.Stopped
}

// Fold returns the state that a log tells of. What it says in words of its own,
// such as those around a requirement in its Goal, is English.
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
	s.wishes, s.later, s.lost, s.replaced = slices.Clip(s.wishes), slices.Clip(s.later), slices.Clip(s.lost), slices.Clip(s.replaced)
	s.board, s.used = s.board.clone(), maps.Clone(s.used)
	for _, f := range facts {
		s.fold(agent.Entry{Fact: f})
	}
	return s
}

// Goal returns what is to be reached, with all requirements that were added.
func (s State) Goal() string {
	return s.texts().goal(s.goal, s.wishes)
}

func (s *State) texts() *Texts {
	if s.words == nil {
		own := english
		return &own
	}
	return s.words
}

// Tasks returns the tasks of the plan in order, with what came of them.
func (s State) Tasks() []Task { return cloned(s.tasks) }

// Task returns the task of that id in the plan.
func (s State) Task(id string) (Task, bool) {
	i, ok := s.at[id]
	if !ok {
		return Task{}, false
	}
	return s.tasks[i].clone(), true
}

// Replaced returns the tasks that were not completed when another plan took
// their place, as they were then.
func (s State) Replaced() []Task { return cloned(s.replaced) }

// Progress returns how many tasks of the plan are completed, and of how many.
func (s State) Progress() (completed, all int) { return s.done, len(s.tasks) }

// Spent returns what the run has used, its tasks with it.
func (s State) Spent() budget.Spent { return s.spent }

// DAG returns the plan as it is now, with statuses and results; nil if there is
// none yet. It is the place to look for them: no summary tells them as well.
func (s State) DAG() *DAG {
	if len(s.tasks) == 0 {
		return nil
	}
	b := s.board.clone()
	return &DAG{b.tasks, edges{up: b.up, down: b.down, at: b.at}}
}

func (s *State) fold(e agent.Entry) {
	active := max(s.spent.Time, e.Active)
	s.take(e.Fact)
	s.spent.Time = active // whatever a planner says of its own
}

func (s *State) take(fact agent.Fact) {
	switch f := fact.(type) {
	case agent.Said:
		s.hear(f)
	case agent.Answered:
		s.verdict = &f.Answer
		if !f.Answer.Yes() && !f.Answer.Denied() {
			s.wishes, s.stale, s.verdict = append(s.wishes, f.Answer.Text), true, nil
		} else if f.Answer.Denied() {
			s.halt, s.again = &agent.Stopped{Reason: agent.Canceled, Detail: f.Answer.Text}, false
		}
	case Recalled:
		s.recalled = &f.Text
	case Drafted:
		s.draft(f)
	case DraftFailed:
		s.spent = s.spent.Plus(f.Spent)
	case PlanRejected:
		if s.spent = s.spent.Plus(f.Spent); f.Heard >= len(s.wishes) {
			s.rejected = &f
		}
	case TaskFound:
		s.find(f.Task)
	case TaskStarted:
		s.start(f.ID, f.Place)
	case TaskEnded:
		s.end(f)
	case WentOn:
		s.failing = false
	case Solved:
		s.solved, s.spent = &f, s.spent.PlusInner(f.Spent)
	case Judged:
		s.judge(f)
	case Summarized:
		s.summary, s.spent = &f, s.spent.PlusInner(f.Spent)
	case agent.StopAsked:
		s.halt, s.again = &agent.Stopped{Reason: agent.Canceled, Detail: f.Why}, false
	case agent.Stopped:
		if s.stopped = &f; s.again {
			s.begin()
		}
	}
}

// hear takes a message in. The first is the goal, and what comes before there
// is a plan belongs to it. Later ones make the plan out of date, and begin a
// run again that has ended.
func (s *State) hear(f agent.Said) {
	switch {
	case s.goal == "":
		s.goal = f.Text
		return
	case f.Later && s.stopped == nil && s.halt == nil:
		s.later = append(s.later, f.Text)
		return
	}
	s.wishes = append(s.wishes, f.Text)
	s.stale = s.drafts > 0
	s.rejected = nil // with what is said now there may be a plan
	if s.again = s.halt != nil; s.stopped != nil {
		s.begin()
	}
}

// begin begins a run again that has ended.
func (s *State) begin() {
	s.stopped, s.halt, s.again, s.rejected, s.solved, s.judged = nil, nil, false, nil, nil, nil
	s.replans, s.rounds, s.failing, s.feedback = 0, 0, false, ""
	if s.early > 0 {
		s.unfind()
	}
}

// unfind drops the tasks of a plan that has not come: what is not completed of
// them is no part of the next, whatever that calls its own.
func (s *State) unfind() {
	before := len(s.tasks) - s.early
	kept := slices.Clone(s.tasks[:before])
	for _, t := range s.tasks[before:] {
		if t.satisfies() {
			kept = append(kept, t)
		} else {
			s.replaced = append(s.replaced, t)
		}
	}
	s.board, s.early = newBoard(kept), 0
}

// draft puts a new plan in place of what is not completed.
func (s *State) draft(f Drafted) {
	s.spent = s.spent.Plus(f.Spent)
	before := len(s.tasks) - s.early
	found := map[string]Task{} // while the plan was being written
	for _, t := range s.tasks[before:] {
		found[t.ID] = t
	}
	s.early = 0
	kept, failed := make([]Task, 0, len(s.tasks)+len(f.Tasks)), []Task(nil)
	for _, t := range s.tasks {
		switch _, again := found[t.ID]; {
		case again:
		case t.satisfies():
			kept = append(kept, t)
		default:
			if s.replaced = append(s.replaced, t); t.Status.Final() && t.Status != Skipped {
				failed = append(failed, t)
			}
		}
	}
	if len(failed) > 0 {
		s.lost = failed
	}
	for _, t := range f.Tasks {
		if old, ok := found[t.ID]; ok {
			t.Outcome = old.Outcome
			delete(found, t.ID)
		}
		kept = append(kept, t)
	}
	s.replaced = append(s.replaced, dropped(s.tasks[before:], found, s.texts().Changed)...)
	s.name(f.Tasks)
	s.board = newBoard(kept)
	s.failing = slices.ContainsFunc(s.tasks, func(t Task) bool { return t.fails() })
	s.drafts, s.stale, s.verdict, s.solved, s.judged = s.drafts+1, f.Heard < len(s.wishes), nil, nil, nil
	if f.Replan {
		s.replans++
	}
	told := min(f.Told, len(s.later))
	s.wishes, s.later = append(s.wishes, s.later[:told]...), s.later[told:]
}

// dropped returns the tasks that are still among those found, as what they are
// once a plan without them has come: what was under way is canceled.
func dropped(tasks []Task, found map[string]Task, why string) (gone []Task) {
	for _, t := range tasks {
		if _, ok := found[t.ID]; !ok {
			continue
		}
		if t.Status == Running {
			t.Status, t.Why = Canceled, why
		}
		gone = append(gone, t)
	}
	return gone
}

// name keeps in mind which ids were given out.
func (s *State) name(tasks []Task) {
	if s.used == nil {
		s.used = make(map[string]bool, len(tasks))
	}
	for _, t := range tasks {
		if !s.used[t.ID] {
			s.used[t.ID] = true
			s.given++
		}
	}
}

// find adds a task of a plan that is being written.
func (s *State) find(t Task) {
	if _, ok := s.at[t.ID]; ok {
		return
	}
	s.name([]Task{t})
	s.board = newBoard(append(slices.Clip(s.tasks), t))
	s.early++
}

// end notes what came of a task. Of one that has ended, and of one that is not
// in the plan, only the spend counts.
func (s *State) end(f TaskEnded) {
	s.spent = s.spent.PlusInner(f.Spent)
	if s.settle(f.ID, f.Outcome) && f.fails() {
		s.failing = true
	}
}

// fails tells whether the task's end is a failure, about which the plan must
// decide. A person's cancel is none, and what is skipped follows from one.
func (o *Outcome) fails() bool { return o.Status == Failed || o.Status == Partial && !o.Accepted }

func (s *State) judge(f Judged) {
	s.judged, s.spent = &f, s.spent.PlusInner(f.Spent)
	s.rounds++
	if !f.Pass {
		s.feedback = f.Why
	}
}

// failed returns the tasks that a new plan must do without.
func (s *State) failed() (tasks []Task) {
	for _, t := range s.tasks {
		if t.Status.Final() && t.Status != Skipped && !t.satisfies() {
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return s.lost
	}
	return tasks
}

// completed returns the tasks whose results stay.
func (s *State) completed() (tasks []Task) {
	for _, t := range s.tasks {
		if t.satisfies() {
			tasks = append(tasks, t)
		}
	}
	return tasks
}
