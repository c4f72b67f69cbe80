package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A DAG is a valid plan: tasks, and which of them wait for which. There are no
// others: [NewDAG] and JSON make them, and nothing changes them. Its JSON has
// the statuses and results, so that a DAG can be stored and carried on with.
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

func cloned(tasks []Task) []Task {
	tasks = slices.Clone(tasks)
	for i := range tasks {
		tasks[i].Dependencies = slices.Clone(tasks[i].Dependencies)
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
	case strings.ContainsAny(t.ID, "/\x00") || t.ID == "." || t.ID == "..":
		faults.add(BadID, t.ID, "an id can't hold a slash or a zero byte, or be . or ..") // it is a part of a path
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

// Tasks returns the tasks, in order.
func (d *DAG) Tasks() []Task { return cloned(d.tasks) }

// Len returns the number of tasks.
func (d *DAG) Len() int { return len(d.tasks) }

// Ready returns the pending tasks that may start, in order: all that they
// depend on is completed, or partial and accepted.
func (d *DAG) Ready() (ready []Task) {
	for i := range d.tasks {
		if d.tasks[i].Status == Pending && !slices.ContainsFunc(d.edges.up[i], func(j int32) bool { return !d.tasks[j].satisfies() }) {
			ready = append(ready, d.tasks[i])
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
		ends[i] = takes(d.tasks[i])
		if from[i] >= 0 {
			ends[i] += ends[from[i]]
		}
		if ends[i] > ends[last] {
			last = i
		}
	}
	for i := last; i >= 0; i = from[i] {
		path = append(path, d.tasks[i])
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
