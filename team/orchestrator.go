package team

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// An Orchestrator reaches a goal with a planner, workers and a reviewer. It is
// data, like [agent.Loop], shared by any number of runs at once and never
// changed by them. A Client is enough, or the roles one by one.
//
// Tasks run as their dependencies allow, one on each worker at a time; one that
// waits for an answer does not keep its worker from others. What a task builds
// on is told to it whole, and what is too long for that as in a [plan.Executor].
// A failed task is not planned anew: what depends on it is skipped, and the
// others go on.
type Orchestrator struct {
	// Name tells this team from others in traces.
	Name string

	// Planner drafts the tasks; nil is a [NewPlanner]. A [plan.ModelPlanner]
	// without instructions and form of its own gets the team's.
	Planner plan.Planner

	// Workers do the tasks. They are named worker-1, worker-2 … in their order,
	// and a task stays with the worker that began it: a run that is opened again
	// needs the same list. Nil is two [NewWorker]s.
	Workers []agent.Worker

	// Reviewer judges each result; nil is a [NewReviewer].
	Reviewer agent.Worker

	// Client is that of the roles that are nil. Tools, Policy, Headless and
	// Budget, of one task, are those of the default workers, who share them.
	// Files are the prompts of default roles; nil is the built-in ones.
	Client   llm.Client
	Tools    *tool.Registry
	Policy   tool.Policy
	Headless bool
	Budget   budget.Budget
	Files    *prompt.Files

	// Review asks a person before the plan is carried out.
	Review bool

	// Retries is how often the result of a task may go back; nil is 2, 0 is never.
	Retries *int

	// Strict fails a task whose result was not approved, or that nobody could
	// review; else the tasks that depend on it run, and are told so.
	Strict bool

	// Parallel is how many tasks run at once; 0 is one on each worker.
	Parallel int

	// TaskLimit bounds the active time of each task, its reviews with it. One
	// that has not ended by then has failed, and frees its worker; 0 does not.
	TaskLimit time.Duration

	// ErrorsFail counts an error of a worker, such as its model client's, as a
	// failed run, and one of the planner as failed planning. Else it is yielded
	// once the tasks under way have ended, and the run can go on.
	ErrorsFail bool

	// Gate keeps the side effects of different tasks from overlapping.
	Gate bool

	// Memory's Recall is asked once for each goal, for the planner alone. Its
	// Extract is shown the goal and the answer of a run that is Completed.
	// Workers and reviewer have none.
	Memory *agent.Memory

	// Texts are the words in which the team speaks; PlanTexts are those of its
	// plan. The zero Texts is English.
	Texts     Texts
	PlanTexts plan.Texts
}

const defaultWorkers = 2

// Open implements [agent.Worker]. The first prompt is the goal; the others, and
// what is said later, are requirements that are added to it, for which it is
// planned anew. A faulty team is an [*agent.ConfigError], before any request.
func (o *Orchestrator) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if scope.Headless && o.Review {
		return nil, &agent.ConfigError{Field: "Review", Err: plan.ErrHeadless}
	}
	return agent.NewRun(ctx, &mode{Mode: o.executor().Mode()}, scope, prompts...)
}

// executor returns the plan that the team is.
func (o *Orchestrator) executor() *plan.Executor {
	full := o.complete()
	reviewed, words := make([]*Reviewed, len(full.Workers)), o.Texts.complete()
	for i, w := range full.Workers {
		reviewed[i] = &Reviewed{
			Name: workerName(i), Worker: w, Reviewer: full.Reviewer,
			Retries: o.Retries, ErrorsFail: o.ErrorsFail, full: &words,
		}
	}
	return &plan.Executor{
		Name: o.Name, Planner: full.Planner, Review: o.Review, OnFailure: plan.GoOn,
		WorkerFor: func(t plan.Task) agent.Worker { return reviewed[max(0, t.Place-1)%len(reviewed)] },
		Parallel:  full.Parallel, AcceptUnverified: !o.Strict, TaskLimit: o.TaskLimit,
		ErrorsFail: o.ErrorsFail, Gate: o.Gate, Memory: o.Memory, Texts: o.PlanTexts,
	}
}

func workerName(i int) string { return fmt.Sprintf("worker-%d", i+1) }

// complete returns o with what it does not name.
func (o *Orchestrator) complete() *Orchestrator {
	full := *o
	if full.Files == nil {
		full.Files = builtIn()
	}
	switch p := o.Planner.(type) {
	case nil:
		full.Planner = asPlanner(plan.NewPlanner(o.Client), full.Files)
	case *plan.ModelPlanner:
		full.Planner = asPlanner(p, full.Files)
	}
	if o.Workers == nil {
		for i := range defaultWorkers {
			w := newWorker(workerName(i), o.Client, o.Tools, full.Files)
			w.Policy, w.Headless, w.Budget = o.Policy, o.Headless, o.Budget
			full.Workers = append(full.Workers, w)
		}
	}
	if o.Reviewer == nil {
		full.Reviewer = newReviewer(o.Client, full.Files)
	}
	if o.Parallel == 0 {
		full.Parallel = len(full.Workers)
	}
	return &full
}

// Validate reports all that is wrong with the team, each as an
// [*agent.ConfigError].
func (o *Orchestrator) Validate() error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &agent.ConfigError{Field: field, Err: fmt.Errorf(format, args...)})
	}
	if o.Client == nil && (o.Planner == nil || o.Workers == nil || o.Reviewer == nil) {
		fault("Client", "is missing, and so is a role that it stands for")
	}
	if o.Workers != nil && len(o.Workers) == 0 {
		fault("Workers", "there are none")
	}
	for i, w := range o.Workers {
		if w == nil {
			fault("Workers", "%s is missing", workerName(i))
		}
		if l, ok := w.(*agent.Loop); ok && l != nil && l.Memory != nil {
			fault("Workers", "%s has a memory: only the team may", workerName(i))
		}
	}
	if l, ok := o.Reviewer.(*agent.Loop); ok && l != nil {
		if l.Memory != nil {
			fault("Reviewer", "has a memory: only the team may")
		}
		if l.Tools != nil && len(l.Tools.List().Specs()) > 0 {
			fault("Reviewer", "has tools: only workers may")
		}
	}
	if o.Parallel < 0 {
		fault("Parallel", "%d tasks at once: must be 1 or more", o.Parallel)
	}
	if o.TaskLimit < 0 {
		fault("TaskLimit", "%v is negative", o.TaskLimit)
	}
	if err := o.Tools.Err(); err != nil {
		fault("Tools", "%w", err)
	}
	if err := o.Budget.Validate(); err != nil {
		fault("Budget", "%w", err)
	}
	return errors.Join(append(faults, notNegative("Retries", o.Retries))...)
}
