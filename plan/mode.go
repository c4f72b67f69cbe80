package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// mode is an Executor at work, as [agent.Run] sees it.
type mode struct {
	executor *Executor
	state    State
	next     func(*State) Step
	gate     agent.Gate
	words    *Texts
	jobs     map[string]*taskJob // of tasks that may start or have
	list     []agent.Job         // room for the work of one step

	research *Research // if it is one
}

func newMode(x *Executor) *mode {
	m := &mode{executor: x, next: x.next, words: x.words(), jobs: map[string]*taskJob{}}
	m.state.words = m.words
	if x.Gate {
		m.gate = agent.NewGate()
	}
	return m
}

func (m *mode) Kinds(kind string) agent.Decoder { return kinds(kind) }

func kinds(kind string) agent.Decoder {
	switch kind {
	case Drafted{}.Kind():
		return agent.Decode[Drafted]
	case DraftFailed{}.Kind():
		return agent.Decode[DraftFailed]
	case PlanRejected{}.Kind():
		return agent.Decode[PlanRejected]
	case TaskFound{}.Kind():
		return agent.Decode[TaskFound]
	case TaskStarted{}.Kind():
		return agent.Decode[TaskStarted]
	case TaskEnded{}.Kind():
		return agent.Decode[TaskEnded]
	case WentOn{}.Kind():
		return agent.Decode[WentOn]
	case Solved{}.Kind():
		return agent.Decode[Solved]
	case Judged{}.Kind():
		return agent.Decode[Judged]
	case Summarized{}.Kind():
		return agent.Decode[Summarized]
	case Recalled{}.Kind():
		return agent.Decode[Recalled]
	}
	return nil
}

func (m *mode) Fold(e agent.Entry) {
	m.state.fold(e)
	switch f := e.Fact.(type) {
	case TaskEnded:
		delete(m.jobs, f.ID)
	case Drafted:
		clear(m.jobs)
	}
}

// Result says how far the plan has come. Text is the answer of a run that is
// Completed or Unverified, and the summary of all tasks of any other that has
// ended.
func (m *mode) Result() agent.Result {
	s := &m.state
	r := agent.Result{Spent: s.spent, Turns: s.drafts}
	if s.stopped == nil {
		if w, ok := m.next(s).(Wait); ok && len(w.Questions) > 0 {
			r.Reason, r.Questions = agent.Waits, w.Questions
		}
		return r
	}
	r.Reason, r.Cause, r.Detail, r.Limit = s.stopped.Reason, s.stopped.Cause, s.stopped.Detail, s.stopped.Limit
	r.Partial = s.done > 0 && r.Reason != agent.Completed && r.Reason != agent.Unverified
	if r.Text = s.Answer(); r.Partial && s.solved == nil {
		r.Text = s.Summary()
	}
	if j := s.judged; j != nil {
		r.Verdict = &agent.Verified{Pass: j.Pass, Why: j.Why, Fault: j.Fault}
	}
	return r
}

func (m *mode) Work(scope agent.Scope) agent.Work {
	w := agent.Work{AtOnce: m.executor.parallel(), Finish: true}
	switch step := m.next(&m.state).(type) {
	case Recall:
		w.Jobs, w.Alone = m.one(m.recall()), true
	case Draft:
		w.Jobs = m.one(m.draft(step, scope))
		if w.Alone = !m.executor.Early; !w.Alone {
			w.AtOnce++ // the planner beside the tasks
			m.tasks(step.Early, scope, &w)
		}
	case RunTasks:
		w.Jobs = m.list[:0]
		m.tasks(step.Tasks, scope, &w)
	case Solve:
		w.Jobs, w.Alone = m.one(m.solve(scope.Pool)), true
	case Verify:
		w.Jobs, w.Alone = m.one(m.verify(scope.Pool)), true
	case Summarize:
		w.Jobs, w.Alone = m.one(m.research.summarize(&m.state)), true
	case Note:
		w.Note = step.Facts
	case Stop:
		if m.remembers(&step.Stopped) {
			w.Jobs, w.Alone = m.one(m.extract(step.Stopped)), true
			break
		}
		w.Stop = &step.Stopped
	}
	if w.Jobs != nil {
		m.list = w.Jobs
	}
	return w
}

func (m *mode) one(j agent.Job) []agent.Job { return append(m.list[:0], j) }

// tasks adds the jobs of tasks.
func (m *mode) tasks(tasks []Assignment, scope agent.Scope, w *agent.Work) {
	for _, a := range tasks {
		j, ok := m.jobs[a.ID]
		if !ok {
			j = m.task(a.ID, scope)
			m.jobs[a.ID] = j
		}
		job := j.Job
		if !a.Begun {
			j.task.Place, job.Start = a.Place, TaskStarted{a.ID, a.Place}
		}
		w.Jobs = append(w.Jobs, job)
	}
}

// draftKey names the job of the planner. It is at work beside tasks, and no id
// of one holds a slash.
const draftKey = "/draft"

// draft makes the job of asking the planner.
func (m *mode) draft(step Draft, scope agent.Scope) agent.Job {
	x := m.executor
	used, early := m.usedBefore(), m.found()
	return agent.Job{Key: draftKey, Do: func(ctx context.Context, p agent.Port) (agent.Fact, error) {
		step.Brief.Tools = x.Tools.List().Specs()
		settle, err := scope.Pool.Reserve(budget.Spent{Turns: 1})
		reject := func(f PlanRejected) (agent.Fact, error) {
			f.Error, f.Heard = err.Error(), step.Heard
			return f, nil
		}
		if limit, ok := errors.AsType[*budget.ExceededError](err); ok {
			return reject(PlanRejected{Limit: limit})
		}
		var made Proposal
		defer func() { settle(made.Spent) }() // also if the planner panics
		made, err = m.plan(ctx, step.Brief, early, p)
		var tasks []Task
		if err == nil {
			tasks, err = accept(made, ids(step.Brief.Completed), used, specNames(step.Brief.Tools), m.research != nil)
		}
		early.separate(tasks, used)
		limit, exceeded := errors.AsType[*budget.ExceededError](err)
		invalid, ok := errors.AsType[*InvalidError](err)
		switch {
		case err == nil:
			return Drafted{tasks, step.Replan, step.Told, step.Heard, made.Spent}, nil
		case exceeded:
			return reject(PlanRejected{Limit: limit, Reply: made.Reply, Spent: made.Spent})
		case ok:
			return reject(PlanRejected{Faults: invalid.Faults, Reply: made.Reply, Spent: made.Spent})
		case ctx.Err() != nil:
			return nil, err
		case step.Replan || x.ErrorsFail:
			return reject(PlanRejected{Spent: made.Spent})
		}
		return DraftFailed{err.Error(), made.Spent}, fmt.Errorf("plan: drafting: %w", err)
	}}
}

// usedBefore returns the ids that a new task may not have. Those found in the
// draft under way will be found again.
func (m *mode) usedBefore() map[string]bool {
	s := &m.state
	used := make(map[string]bool, len(s.used))
	for id := range s.used {
		used[id] = true
	}
	for _, t := range s.tasks[len(s.tasks)-s.early:] {
		delete(used, t.ID)
	}
	return used
}

func (m *mode) plan(ctx context.Context, b Brief, found finds, p agent.Port) (Proposal, error) {
	early, ok := m.executor.Planner.(EarlyPlanner)
	if !ok || !m.executor.Early {
		return m.executor.Planner.Plan(ctx, b)
	}
	changed := false // it is another plan than the one whose tasks were found
	return early.PlanEarly(ctx, b, func(t Task) bool {
		var faults faultList
		if checkTask(&t, "", &faults); len(faults) > 0 {
			return true // the plan will be refused
		}
		old, again := found[t.ID]
		if changed = changed || again && !same(old, t); changed || again {
			return true
		}
		found[t.ID] = t
		return p.Tell(TaskFound{t})
	})
}

func ids(tasks []Task) []string {
	list := make([]string, len(tasks))
	for i := range tasks {
		list[i] = tasks[i].ID
	}
	return list
}

func specNames(specs []llm.Spec) []string {
	list := make([]string, len(specs))
	for i := range specs {
		list[i] = specs[i].Name
	}
	return list
}
