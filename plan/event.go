package plan

import "github.com/triad-go/triad/budget"

// Facts of a plan, beside those of every mode: [agent.Said] is the goal, and
// what is said after it a requirement more; [agent.Answered] is the review.
type (
	// Drafted puts tasks in place of all that are not completed. The others stay
	// in front of them. Replan says that it counts as one.
	Drafted struct {
		Tasks  []Task       `json:"tasks"`
		Replan bool         `json:"replan,omitempty"`
		Told   int          `json:"told,omitempty"`  // how many of the messages for later it heeds
		Heard  int          `json:"heard,omitempty"` // how many of the others it knows: one that came meanwhile makes it out of date
		Spent  budget.Spent `json:"spent,omitzero"`
	}

	// DraftFailed is a planner request that came to nothing. The run can go on:
	// it is made again.
	DraftFailed struct {
		Error string       `json:"error"`
		Spent budget.Spent `json:"spent,omitzero"`
	}

	// PlanRejected says that no plan comes, for good: planning has failed, or
	// there was nothing left to plan with, and Limit says of what.
	PlanRejected struct {
		Error  string                `json:"error"`
		Limit  *budget.ExceededError `json:"limit,omitempty"`
		Faults []Fault               `json:"faults,omitempty"`
		Reply  string                `json:"reply,omitempty"` // the planner's last
		Heard  int                   `json:"heard,omitempty"` // as in Drafted: after one that came meanwhile it is asked anew
		Spent  budget.Spent          `json:"spent,omitzero"`
	}

	// TaskFound is a task that stands complete in the planner's reply, while the
	// rest is still being written.
	TaskFound struct {
		Task Task `json:"task"`
	}

	// TaskStarted is noted before the task's worker begins.
	// Place is the lowest number from 1 that no other task under way has.
	TaskStarted struct {
		ID    string `json:"id"`
		Place int    `json:"place,omitempty"`
	}

	// TaskEnded is what came of a task, also of one that never started.
	TaskEnded struct {
		ID string `json:"id"`
		Outcome
	}

	// WentOn says that after failures enough is completed to do without another plan.
	WentOn struct {
		Completed int `json:"completed"`
		Of        int `json:"of"`
	}

	// Solved is the answer made of all results.
	Solved struct{ Outcome }

	// Judged is what the verifier, or the critic of a research, says of the
	// whole. Of a critic that could not say it is Unreviewed; Limit is the limit
	// that kept it from judging, if one did.
	Judged struct {
		Pass       bool                  `json:"pass"`
		Why        string                `json:"why,omitempty"`
		Fault      string                `json:"fault,omitempty"` // the verifier itself failed
		Unreviewed bool                  `json:"unreviewed,omitempty"`
		Limit      *budget.ExceededError `json:"limit,omitempty"`
		Spent      budget.Spent          `json:"spent,omitzero"`
	}

	// Summarized stands in for the results of a research in front of its
	// planner. It covers the first so many tasks.
	Summarized struct {
		Text   string       `json:"text"`
		Covers int          `json:"covers"`
		Spent  budget.Spent `json:"spent,omitzero"`
	}

	// Recalled is what the caller's memory says to the goal.
	Recalled struct {
		Text string `json:"text,omitempty"`
	}
)

// Kind implements [agent.Event].
func (Drafted) Kind() string      { return "drafted" }
func (DraftFailed) Kind() string  { return "draft_failed" }
func (PlanRejected) Kind() string { return "plan_rejected" }
func (TaskFound) Kind() string    { return "task_found" }
func (TaskStarted) Kind() string  { return "task_started" }
func (TaskEnded) Kind() string    { return "task_ended" }
func (WentOn) Kind() string       { return "went_on" }
func (Solved) Kind() string       { return "solved" }
func (Judged) Kind() string       { return "judged" }
func (Summarized) Kind() string   { return "summarized" }
func (Recalled) Kind() string     { return "recalled" }

// Fact implements [agent.Fact].
func (Drafted) Fact()      {}
func (DraftFailed) Fact()  {}
func (PlanRejected) Fact() {}
func (TaskFound) Fact()    {}
func (TaskStarted) Fact()  {}
func (TaskEnded) Fact()    {}
func (WentOn) Fact()       {}
func (Solved) Fact()       {}
func (Judged) Fact()       {}
func (Summarized) Fact()   {}
func (Recalled) Fact()     {}
