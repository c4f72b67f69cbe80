package plan

import (
	"fmt"
	"strings"
)

// An InvalidError says all that is wrong with a plan.
type InvalidError struct{ Faults []Fault }

// Error implements error: one line a fault.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return "plan: not a valid plan: " + strings.Join(lines, "\n")
}

// Has tells whether one of the faults is of that kind.
func (e *InvalidError) Has(kind FaultKind) bool {
	for _, f := range e.Faults {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// A Fault is one thing that is wrong with a plan.
type Fault struct {
	Kind FaultKind `json:"kind"`

	// Tasks are the ids of those at fault: of a cycle exactly its members. Of a
	// task without an id it is its place in the list, such as "tasks[2]".
	Tasks []string `json:"tasks,omitempty"`

	// Detail is what is wrong, in words that a planner can act on.
	Detail string `json:"detail"`
}

// String returns the fault as one line.
func (f Fault) String() string {
	if len(f.Tasks) == 0 || f.Kind == Cycle {
		return f.Detail
	}
	return strings.Join(f.Tasks, ", ") + ": " + f.Detail
}

// A FaultKind says what sort of thing is wrong.
type FaultKind string

// The kinds of faults.
const (
	NoPlan            FaultKind = "no_plan"            // the reply holds no complete plan object
	ManyPlans         FaultKind = "many_plans"         // or several
	RepeatedKey       FaultKind = "repeated_key"       // an object has a key twice
	EmptyPlan         FaultKind = "empty_plan"         // no tasks
	BadTask           FaultKind = "bad_task"           // a task is no object, or a field has the wrong type
	BadID             FaultKind = "bad_id"             // missing, blank, no text, or none that a task can have
	RepeatedID        FaultKind = "repeated_id"        // two tasks have it
	UsedID            FaultKind = "used_id"            // a task of an earlier plan of the run has it
	BadDescription    FaultKind = "bad_description"    // missing, blank, or no text
	BadDependency     FaultKind = "bad_dependency"     // no list of ids
	UnknownDependency FaultKind = "unknown_dependency" // on a task that is not there
	SelfDependency    FaultKind = "self_dependency"    // on itself
	Cycle             FaultKind = "cycle"              // tasks that wait for each other
	BadReference      FaultKind = "bad_reference"      // to a result that is not there, or comes later
	BadTool           FaultKind = "bad_tool"           // no such tool, or arguments that it does not take
	BadOrder          FaultKind = "bad_order"          // missing, negative, or no whole number
	BadStatus         FaultKind = "bad_status"         // no status that there is
)

// A faultList collects faults.
type faultList []Fault

func (l *faultList) add(kind FaultKind, task, format string, args ...any) {
	f := Fault{Kind: kind, Detail: fmt.Sprintf(format, args...)}
	if task != "" {
		f.Tasks = []string{task}
	}
	*l = append(*l, f)
}

func (l faultList) err() error {
	if len(l) == 0 {
		return nil
	}
	return &InvalidError{l}
}
