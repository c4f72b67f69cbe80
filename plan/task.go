package plan

import (
	"encoding/json"
	"slices"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// A Task is a piece of work, and what has come of it. It starts when the tasks
// that it depends on are completed.
type Task struct {
	// ID names the task in its plan, and its run's log below the plan's. It is
	// compared exactly. It can't hold a slash or a zero byte, or be . or .., or
	// one of solve_1, report_1, summarize_1 and so on: these are the plan's own.
	ID string `json:"id"`

	// Description says what is to be done, to the worker.
	Description string `json:"description,omitempty"`

	// Tool, if set, names a tool that is called with Arguments in place of a
	// worker; no model is asked. Strings in Arguments may hold references to the
	// results of earlier tasks, ${task_id} or #E1 (the first task of the plan),
	// which make those its dependencies.
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`

	Dependencies []string `json:"dependencies,omitempty"`
	Type         string   `json:"type,omitempty"`  // a word of the planner's, for the caller
	Order        int      `json:"order,omitempty"` // of a research plan, see [Research]

	// Place is the task's place among those under way when it started; see
	// [TaskStarted]. 0 is not started.
	Place int `json:"place,omitempty"`

	// Tools, if not empty, are all that the worker of this task may call.
	Tools []string `json:"tools,omitempty"`

	Outcome
}

// clone returns a task that shares nothing with t.
func (t Task) clone() Task {
	t.Arguments, t.Dependencies, t.Tools = slices.Clone(t.Arguments), slices.Clone(t.Dependencies), slices.Clone(t.Tools)
	if t.Verdict != nil {
		verdict := *t.Verdict
		t.Verdict = &verdict
	}
	if t.Limit != nil {
		limit := *t.Limit
		t.Limit = &limit
	}
	return t
}

// An Outcome is how far a task has come.
type Outcome struct {
	Status Status `json:"status,omitempty"`

	// Result is what the task came to; of one that failed, what it had so far.
	Result string `json:"result,omitempty"`

	// Why says why the task is not completed, and Cause names the task because
	// of which this one was skipped.
	Why   string `json:"why,omitempty"`
	Cause string `json:"cause,omitempty"`

	// Accepted says that a partial result stands for a completed one in front of
	// the tasks that depend on it.
	Accepted bool `json:"accepted,omitempty"`

	// Verdict is what the verifier of the task's run says, if it has one. A task
	// is completed without its consent only where that is accepted.
	Verdict *agent.Verified `json:"verdict,omitempty"`

	// Cut says that what was completed was cut short by a limit on the way.
	Cut bool `json:"cut,omitempty"`

	// Limit is the limit that the task's run met, if one ended it. Shared says
	// that the budget which the plan and its tasks share has nothing left: then
	// Limit is that budget's.
	Limit  *budget.ExceededError `json:"limit,omitempty"`
	Shared bool                  `json:"shared,omitempty"`

	Spent budget.Spent `json:"spent,omitzero"`
}

// A Status says how far a task has come. All but Pending and Running are final.
type Status string

// The statuses.
const (
	Pending   Status = ""
	Running   Status = "running"
	Completed Status = "completed"
	Partial   Status = "partial" // a limit cut it short
	Failed    Status = "failed"
	Skipped   Status = "skipped" // it never started, and will not
	Canceled  Status = "canceled"
)

// String returns the status as a word.
func (s Status) String() string {
	if s == Pending {
		return "pending"
	}
	return string(s)
}

// Final tells whether nothing more will happen to a task of this status.
func (s Status) Final() bool { return s != Pending && s != Running }

func (s Status) known() bool {
	switch s {
	case Pending, Running, Completed, Partial, Failed, Skipped, Canceled:
		return true
	}
	return false
}

// satisfies tells whether tasks that depend on this one may start.
func (o *Outcome) satisfies() bool { return o.Status == Completed || o.Status == Partial && o.Accepted }
