package plan

import (
	"context"
	"slices"

	"github.com/triad-go/triad/budget"
)

// A Planner drafts the tasks that are still to do. An error that is, or wraps,
// an [*InvalidError] says for good that no valid plan came, and a
// [*budget.ExceededError] that there is nothing left to plan with; any other is
// one of the way there, such as the model client's. What the proposal has spent
// is right with an error, too. A planner with a method Validate() error is asked
// by it, before the run begins, what is wrong with it.
type Planner interface {
	Plan(ctx context.Context, b Brief) (Proposal, error)
}

// A Proposal is what a planner comes to. The tasks that are completed already
// are not among them. Their ids must be new in the run.
type Proposal struct {
	Tasks []Task
	Reply string // the model's last, if there was one
	Spent budget.Spent
}

// PlannerFunc makes a function a [Planner].
type PlannerFunc func(ctx context.Context, b Brief) (Proposal, error)

// Plan implements [Planner].
func (f PlannerFunc) Plan(ctx context.Context, b Brief) (Proposal, error) { return f(ctx, b) }

// An EarlyPlanner can tell of each task as soon as it stands complete in the
// reply, before it is known whether the plan as a whole is valid. Of a reply
// that begins anew it tells again from the first task on. Found is false when
// the planner should end.
type EarlyPlanner interface {
	Planner
	PlanEarly(ctx context.Context, b Brief, found func(Task) bool) (Proposal, error)
}

// Fixed returns a planner that always has this plan, made in code. Tasks whose
// status is final are not run again. It has no other plan when tasks fail: the
// same one can't come twice, since each task's id names its log.
func Fixed(d *DAG) Planner {
	return PlannerFunc(func(context.Context, Brief) (Proposal, error) { return Proposal{Tasks: d.Tasks()}, nil })
}

// Simple returns a planner that makes a plan of one task, the goal itself, of
// goals that isSimple says are simple, without asking p. What failed so is
// planned by p.
func Simple(p Planner, isSimple func(goal string) bool) Planner { return simple{p, isSimple} }

type simple struct {
	planner  Planner
	isSimple func(goal string) bool
}

// Plan implements [Planner].
func (s simple) Plan(ctx context.Context, b Brief) (Proposal, error) {
	if len(b.Completed)+len(b.Failed) > 0 || b.Feedback != "" || !s.isSimple(b.Goal) {
		return s.planner.Plan(ctx, b)
	}
	return Proposal{Tasks: []Task{{ID: Form{Given: b.Given}.name(0), Description: b.Goal}}}, nil
}

// accept checks a proposal against the plan that it is to go on with: ids that
// were used name logs, and what is depended on must be there.
func accept(p Proposal, known []string, used map[string]bool, tools []string, inOrder bool) ([]Task, error) {
	tasks := cloned(p.Tasks)
	var faults faultList
	if len(tasks) == 0 {
		faults.add(EmptyPlan, "", "the plan has no tasks")
	}
	ids := make(map[string]bool, len(known))
	for _, id := range known {
		ids[id] = true
	}
	for i := range tasks {
		t := &tasks[i]
		checkTask(t, "a task without id", &faults)
		if used[t.ID] {
			faults.add(UsedID, t.ID, "an earlier plan of this run has a task of this id")
		}
		if t.Tool != "" && !slices.Contains(tools, t.Tool) {
			faults.add(BadTool, t.ID, "there is no tool %q", t.Tool)
		}
		if t.Status == Running {
			t.Status = Pending // of a run that is not this one
		}
	}
	connect(tasks, ids, &faults)
	if inOrder {
		ordered(tasks, &faults)
	}
	return tasks, faults.err()
}
