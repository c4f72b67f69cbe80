package plan

import (
	"context"
	"errors"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/tool"
)

// An Executor reaches a goal by a plan: it is drafted, reviewed if wanted, and
// its tasks are run as their dependencies allow. It is data, like [agent.Loop],
// shared by any number of runs at once and never changed by them. Planner and
// Worker are needed; all else is optional.
//
// A plan costs at least one model request more than a loop: it pays where parts
// of the work can run side by side or must be seen before they begin.
//
// The Budget of a Loop that is the Worker bounds one task. What bounds the
// whole, planner and all tasks together, is the pool of the scope:
//
//	run, err := executor.Open(ctx, agent.Scope{Pool: &budget.Pool{Budget: budget.Unattended()}}, goal)
//
// When it has nothing left nothing more is planned. The run is OverBudget then
// if no task is completed, else Incomplete, and its result's Limit says of what.
type Executor struct {
	// Name tells this executor from others in traces.
	Name string

	// Planner drafts the plan. With Early, an [EarlyPlanner]'s tasks start
	// while it is still writing; if the plan is then refused they are canceled.
	// Early can't be reviewed.
	Planner Planner
	Early   bool

	// Worker does the tasks that name no tool, each in a run of its own. WorkerFor,
	// if set, says which worker does a task; it must say the same each time. A
	// worker is told the results of what its task depends on directly. One of
	// over 32,000 characters is told by its beginning and end; if the worker is
	// an [agent.Loop], or an [Outer] of one, whose Compressor is a
	// [compress.Tiers] with a store, all of it is read back from there.
	Worker    agent.Worker
	WorkerFor func(Task) agent.Worker

	// Tools are what tasks may name as their tool. Policy is about their calls,
	// as in [agent.Loop].
	Tools  *tool.Registry
	Policy tool.Policy

	// Headless says that nobody can be asked, in the tasks neither, whatever
	// their workers say; see [agent.Loop].Headless. A headless plan can't be
	// reviewed.
	Headless bool

	// Review asks a person before a plan is carried out.
	Review bool

	// OnFailure says what a failed task does to the plan. Replans is how often it
	// may be planned anew because of failures; nil is 2, 0 is never. What a failed
	// task has changed by then is not undone, so a task that is drafted anew may
	// do again what that one did. The planner is told why it failed, the new
	// task's worker nothing of it.
	OnFailure FailureRule
	Replans   *int

	// Parallel is how many tasks run at once; 0 is 4. With Barrier the ready
	// tasks are run in rounds: no task starts before all of the round before
	// have ended.
	Parallel int
	Barrier  bool

	// AcceptPartial lets tasks start on the partial result of one that a limit
	// cut short; else that is a failure.
	AcceptPartial bool

	// AcceptUnverified lets tasks start on the result of one whose run ended
	// Unverified, and counts it as completed, but the run then ends as
	// Unverified; else that is a failure.
	AcceptUnverified bool

	// ErrorsFail counts an error of a worker, such as its model client's, as a
	// failed task, and one of the planner as failed planning. Else it is yielded,
	// once the tasks under way have ended, and the run can go on.
	ErrorsFail bool

	// Gate keeps the side effects of different tasks from overlapping.
	Gate bool

	// TaskLimit bounds the active time of each task, which is then partial; 0
	// does not.
	TaskLimit time.Duration

	// Solve, if set, makes one answer of all results at the end, and is told what
	// is missing. It is best a Loop without tools.
	Solve agent.Worker

	// Verifier checks the whole before the run counts as Completed. With
	// Feedback a failed check is told to the planner, which goes on from what is
	// completed, until it was made Verifications times (nil is 3). VerifyLimit
	// bounds one check; 0 is 60 s. One that takes longer, or panics, has failed
	// itself, and so has the run.
	Verifier      Verifier
	Feedback      bool
	Verifications *int
	VerifyLimit   time.Duration

	// Memory's Recall is asked once for each goal, for the planner alone. Its
	// Extract is shown the goal and the answer of a run that is Completed.
	Memory *agent.Memory

	// Texts are the words in which the plan speaks; the zero Texts is English.
	Texts Texts
}

// A FailureRule says what a failed task does to a plan.
type FailureRule string

// The rules.
const (
	// ReplanBehind, the default, waits for the tasks under way and then plans
	// anew if less than half of the tasks are completed; else only what depends
	// on the failed task is skipped.
	ReplanBehind FailureRule = ""

	// ReplanAlways plans anew after any failure. With Parallel 1 the plan is a
	// task list. At the limit the run is Failed, as blocked.
	ReplanAlways FailureRule = "replan_always"

	// GoOn never plans anew: what depends on the failed task is skipped at once,
	// and the others go on.
	GoOn FailureRule = "go_on"
)

const (
	defaultParallel      = 4
	defaultReplans       = 2
	defaultVerifications = 3
)

func (x *Executor) parallel() int {
	if x.Parallel == 0 {
		return defaultParallel
	}
	return x.Parallel
}

func (x *Executor) replans() int { return or(x.Replans, defaultReplans) }

func (x *Executor) verifications() int { return or(x.Verifications, defaultVerifications) }

func or(p *int, otherwise int) int {
	if p != nil {
		return *p
	}
	return otherwise
}

func (x *Executor) words() *Texts {
	t := x.Texts.complete()
	return &t
}

// Open implements [agent.Worker]. The first prompt is the goal; the others, and
// what is said later, are requirements that are added to it. A faulty executor
// is an [*agent.ConfigError], before any request.
func (x *Executor) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if err := x.Validate(); err != nil {
		return nil, err
	}
	scope.Headless = scope.Headless || x.Headless
	if scope.Headless && x.Review {
		return nil, &agent.ConfigError{Field: "Review", Err: ErrHeadless}
	}
	return agent.NewRun(ctx, newMode(x), scope, prompts...)
}

// ErrHeadless says that a plan or a team wants its plan reviewed by a person in
// a scope in which nobody can be asked.
var ErrHeadless = errors.New("plan: a person must review it, and nobody can be asked")

// Mode returns the executor at work, for one run. It is for who builds another
// mode on it; use Open.
func (x *Executor) Mode() agent.Mode { return newMode(x) }
