package team

import (
	"context"
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
// others go on. What a try has changed that failed or was rejected is not undone.
//
// Budget bounds the worker's run in one task, all its tries together. What
// bounds the whole, all roles and tasks together, is the pool of the scope:
//
//	run, err := crew.Open(ctx, agent.Scope{Pool: &budget.Pool{Budget: budget.Unattended()}}, goal)
//
// When it has nothing left no role is asked any more. The run is OverBudget
// then if no task is done, else Incomplete or Unverified, and its result's Limit
// says of what.
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

	// Client is that of the roles that are nil. Tools, Policy and Budget are those
	// of the default workers: tools and policy are shared, the budget is for one
	// task of one worker. Files are the prompts of default roles; nil is the
	// built-in ones.
	Client llm.Client
	Tools  *tool.Registry
	Policy tool.Policy
	Budget budget.Budget
	Files  *prompt.Files

	// Headless says that nobody can be asked, by no role, whatever it says
	// itself; see [agent.Loop].Headless. The plan of a headless team can't be
	// reviewed by a person.
	Headless bool

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
	here := *o
	here.Headless = o.Headless || scope.Headless
	if err := here.Validate(); err != nil {
		return nil, err
	}
	scope.Headless = here.Headless
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
			w.Policy, w.Budget = o.Policy, o.Budget
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
