package plan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A DAG is a valid plan: tasks, and which of them wait for which. There are no
// others: [NewDAG] and JSON make them, and nothing changes them; the zero DAG is
// one of no tasks. Its JSON has the statuses and results, so that a DAG can be
// stored and carried on with.
type DAG struct {
	tasks []Task
	edges edges
}

// edges are the dependencies by place in the list, both ways.
type edges struct {
	up, down [][]int32 // what a task depends on; what depends on it
	at       map[string]int32
}

// NewDAG makes a plan of tasks. If they are none, the error is an
// [*InvalidError] with every fault. Dependencies that a task names twice count
// once; references in arguments become dependencies, in the form ${task_id}.
func NewDAG(tasks ...Task) (*DAG, error) {
	tasks = cloned(tasks)
	var faults faultList
	if len(tasks) == 0 {
		faults.add(EmptyPlan, "", "the plan has no tasks")
	}
	for i := range tasks {
		checkTask(&tasks[i], fmt.Sprintf("tasks[%d]", i), &faults)
	}
	e := connect(tasks, nil, &faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &DAG{tasks, e}, nil
}

// cloned returns tasks that share nothing with those given.
func cloned(tasks []Task) []Task {
	tasks = slices.Clone(tasks)
	for i := range tasks {
		tasks[i] = tasks[i].clone()
	}
	return tasks
}

// checkTask looks at a task by itself.
func checkTask(t *Task, place string, faults *faultList) {
	name := t.ID
	switch {
	case strings.TrimSpace(t.ID) == "":
		faults.add(BadID, place, "the id is missing or blank")
		name = place
	default:
		if why := misnamed(t.ID); why != "" {
			faults.add(BadID, t.ID, "%s", why)
		}
	}
	if t.Tool == "" && strings.TrimSpace(t.Description) == "" {
		faults.add(BadDescription, name, "the description is missing or blank, and there is no tool")
	}
	if !t.Status.known() {
		faults.add(BadStatus, name, "there is no status %q", t.Status)
	}
	if t.Order < 0 {
		faults.add(BadOrder, name, "the order %d is negative", t.Order)
	}
}

// own matches the keys of the runs that a plan makes beside those of its tasks.
var own = regexp.MustCompile(`^(` + solveKey + `|` + reportKey + `|` + summarizeKey + `)_[0-9]+$`)

// misnamed says what is wrong with an id, which is a part of the path of a log.
func misnamed(id string) string {
	switch {
	case strings.ContainsAny(id, "/\x00") || id == "." || id == "..":
		return "an id can't hold a slash or a zero byte, or be . or .."
	case own.MatchString(id):
		return "the plan has a run of its own of that name"
	}
	return ""
}

// Tasks returns the tasks, in order.
func (d *DAG) Tasks() []Task { return cloned(d.tasks) }

// Len returns the number of tasks.
func (d *DAG) Len() int { return len(d.tasks) }

// Ready returns the pending tasks that may start, in order: all that they
// depend on is completed, or partial and accepted.
func (d *DAG) Ready() (ready []Task) {
	for i := range d.tasks {
		if d.tasks[i].Status == Pending && !slices.ContainsFunc(d.edges.up[i], func(j int32) bool { return !d.tasks[j].satisfies() }) {
			ready = append(ready, d.tasks[i].clone())
		}
	}
	return ready
}

// CriticalPath returns the chain of tasks that takes longest, and how long it
// takes: no number of workers makes the plan shorter. A nil takes counts 1 a task.
func (d *DAG) CriticalPath(takes func(Task) time.Duration) (path []Task, length time.Duration) {
	if takes == nil {
		takes = func(Task) time.Duration { return 1 }
	}
	if len(d.tasks) == 0 {
		return nil, 0
	}
	ends := make([]time.Duration, len(d.tasks))
	from := make([]int32, len(d.tasks))
	last := int32(0)
	for _, i := range topological(d.edges) {
		from[i] = -1
		for _, j := range d.edges.up[i] {
			if from[i] < 0 || ends[j] > ends[from[i]] {
				from[i] = j
			}
		}
		ends[i] = takes(d.tasks[i].clone())
		if from[i] >= 0 {
			ends[i] += ends[from[i]]
		}
		if ends[i] > ends[last] {
			last = i
		}
	}
	for i := last; i >= 0; i = from[i] {
		path = append(path, d.tasks[i].clone())
	}
	slices.Reverse(path)
	return path, ends[last]
}

type wireDAG struct {
	Tasks []Task `json:"tasks"`
}

// MarshalJSON implements [json.Marshaler]: {"tasks": [{"id": …}, …]}.
func (d *DAG) MarshalJSON() ([]byte, error) { return json.Marshal(wireDAG{d.tasks}) }

// UnmarshalJSON implements [json.Unmarshaler]. Tasks that are no valid plan are
// an [*InvalidError], and d stays as it was.
func (d *DAG) UnmarshalJSON(data []byte) error {
	var w wireDAG
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("plan: decoding a DAG: %w", err)
	}
	made, err := NewDAG(w.Tasks...)
	if err != nil {
		return err
	}
	*d = *made
	return nil
}
