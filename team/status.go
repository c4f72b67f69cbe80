package team

import (
	"fmt"
	"strings"

	"github.com/triad-go/triad/plan"
)

// A Status says how far a task of a team has come. All but Pending and Running
// are final.
type Status string

// The statuses. The tasks that depend on one of the first three run, unless the
// team is strict.
const (
	Approved    Status = "approved"
	NotAccepted Status = "not_accepted" // rejected to the end; the issues are open
	Unreviewed  Status = "unreviewed"   // nobody could review it
	Failed      Status = "failed"
	Skipped     Status = "skipped" // it never started, and will not
	Canceled    Status = "canceled"

	Pending Status = "pending"
	Running Status = "running"
)

// StatusOf returns the status of a task of a team's plan. Only what a reviewer
// approved is Approved. Its Cut says that a limit cut the result short, and its
// Verdict's Why gives the open issues, or the remarks beside an approval.
func StatusOf(t plan.Task) Status {
	switch v := t.Verdict; t.Status {
	case plan.Completed:
		switch {
		case v == nil || v.Fault != "":
			return Unreviewed
		case v.Pass:
			return Approved
		}
		return NotAccepted
	case plan.Pending:
		return Pending
	case plan.Running:
		return Running
	case plan.Skipped:
		return Skipped
	case plan.Canceled:
		return Canceled
	}
	return Failed // also what its time limit cut short
}

// A Tally counts the tasks by their status, and those whose result a limit cut
// short, which have a status as well.
type Tally struct {
	Approved, NotAccepted, Unreviewed, Failed, Skipped, Canceled int
	Open                                                         int // pending or running
	Partial                                                      int
}

// Count counts the tasks of a team's plan.
func Count(tasks []plan.Task) (t Tally) {
	for i := range tasks {
		t.add(&tasks[i], 1)
	}
	return t
}

func (t *Tally) add(task *plan.Task, n int) {
	switch StatusOf(*task) {
	case Approved:
		t.Approved += n
	case NotAccepted:
		t.NotAccepted += n
	case Unreviewed:
		t.Unreviewed += n
	case Failed:
		t.Failed += n
	case Skipped:
		t.Skipped += n
	case Canceled:
		t.Canceled += n
	default:
		t.Open += n
	}
	if task.Cut {
		t.Partial += n
	}
}

// String returns the counts that are not 0: "3 approved, 1 not_accepted".
func (t Tally) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{t.Approved, string(Approved)}, {t.NotAccepted, string(NotAccepted)}, {t.Unreviewed, string(Unreviewed)},
		{t.Failed, string(Failed)}, {t.Skipped, string(Skipped)}, {t.Canceled, string(Canceled)},
		{t.Open, "open"}, {t.Partial, "of them partial"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
