package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A Form says how a planner's reply is read. The zero Form reads the plans of
// an [Executor].
type Form struct {
	// Lists are the names of the list of tasks, of which the first that is there
	// counts; nil is "tasks".
	Lists []string

	// Prefix begins the ids that the tasks get in place of the planner's:
	// task_1, task_2 …; empty is "task_". Given is how many the run has given
	// out before.
	Prefix string
	Given  int

	// Known are ids of earlier tasks, whose results the new ones may need.
	Known []string

	// Ordered says that each task must have an order, see [Research].
	Ordered bool

	// Tools are the names that a task may give as its tool; nil allows none.
	Tools []string
}

// Parse reads the one plan object in a reply and returns its tasks, valid and
// renumbered. The error is an [*InvalidError] with every fault, in the ids that
// the planner gave.
//
// The object has a list of objects, each with id (text or a number, which
// stands for its exact text), description, and, if wanted, dependencies (a list
// of ids, or null), type, tool and arguments, order, tools.
func (f Form) Parse(reply string) ([]Task, error) {
	lists := f.lists()
	text, faults := find(reply, lists)
	if len(faults) > 0 {
		return nil, faults.err()
	}
	repeats(text, &faults)
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		faults.add(NoPlan, "", "%v", err)
		return nil, faults.err()
	}
	var items []json.RawMessage
	for _, name := range lists {
		raw, ok := members[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 {
			faults.add(EmptyPlan, "", "%q must be a list of at least one task", name)
			return nil, faults.err()
		}
		break
	}
	tasks := make([]Task, len(items))
	for i, raw := range items {
		f.task(&tasks[i], raw, fmt.Sprintf("%s[%d]", lists[0], i), &faults)
	}
	known := make(map[string]bool, len(f.Known))
	for _, id := range f.Known {
		known[id] = true
	}
	connect(tasks, known, &faults)
	if f.Ordered {
		ordered(tasks, &faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	names := make(map[string]string, len(tasks))
	for i := range tasks {
		names[tasks[i].ID] = f.name(i)
	}
	rename(tasks, names)
	return tasks, nil
}

func (f Form) lists() []string {
	if len(f.Lists) == 0 {
		return []string{"tasks"}
	}
	return f.Lists
}

// name returns the id of task i.
func (f Form) name(i int) string { return fmt.Sprintf("%s%d", cmp.Or(f.Prefix, "task_"), f.Given+i+1) }

// task reads one task.
func (f Form) task(t *Task, raw json.RawMessage, place string, faults *faultList) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		faults.add(BadTask, place, "a task must be an object, not %s", brief(raw))
		return
	}
	id, ok := name(m["id"])
	if !ok {
		faults.add(BadID, place, "the id must be text or a number and not blank")
	}
	t.ID = id
	if id != "" {
		place = id
	}
	f.does(t, m, place, faults)
	if !isNull(m["dependencies"]) {
		t.Dependencies = names(m["dependencies"], place, "dependencies", BadDependency, faults)
	}
	if !isNull(m["tools"]) {
		t.Tools = names(m["tools"], place, "tools", BadTask, faults)
	}
	if !isNull(m["type"]) && json.Unmarshal(m["type"], &t.Type) != nil {
		faults.add(BadTask, place, "the type must be text")
	}
	if f.Ordered {
		f.order(t, m["order"], place, faults)
	}
}

// does reads what is to be done: a description, or a tool and its arguments.
func (f Form) does(t *Task, m map[string]json.RawMessage, place string, faults *faultList) {
	if len(f.Tools) > 0 && !isNull(m["tool"]) {
		if json.Unmarshal(m["tool"], &t.Tool) != nil || !has(f.Tools, t.Tool) {
			faults.add(BadTool, place, "there is no tool %s; there are %s", brief(m["tool"]), strings.Join(f.Tools, ", "))
		}
		if t.Arguments = m["arguments"]; isNull(t.Arguments) {
			t.Arguments = json.RawMessage("{}")
		}
		if t.Tool == "" {
			t.Arguments = nil
		}
	}
	raw := m["description"]
	if t.Tool != "" && isNull(raw) {
		return
	}
	if json.Unmarshal(raw, &t.Description) != nil || strings.TrimSpace(t.Description) == "" {
		faults.add(BadDescription, place, "the description must be text and not blank")
	}
}

func (f Form) order(t *Task, raw json.RawMessage, place string, faults *faultList) {
	if isNull(raw) || json.Unmarshal(raw, &t.Order) != nil || t.Order < 0 {
		faults.add(BadOrder, place, "the order must be a whole number, 0 or more")
	}
}

// name reads an id. A number stands for its exact text.
func name(raw json.RawMessage) (string, bool) {
	if isNull(raw) {
		return "", false
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, strings.TrimSpace(text) != ""
	}
	if c := raw[0]; c == '-' || c >= '0' && c <= '9' {
		return string(raw), true
	}
	return "", false
}

func names(raw json.RawMessage, place, field string, kind FaultKind, faults *faultList) (ids []string) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		faults.add(kind, place, "%s must be a list, not %s", field, brief(raw))
		return nil
	}
	for _, item := range list {
		id, ok := name(item)
		if !ok {
			faults.add(kind, place, "%s: %s is no id", field, brief(item))
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

// repeats finds keys that an object has twice, of which readers disagree which
// one counts, at every depth.
func repeats(text string, faults *faultList) {
	type level struct {
		keys map[string]bool // nil in a list
		key  bool            // a key comes next
	}
	var levels []level
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			if err != io.EOF {
				faults.add(NoPlan, "", "%v", err)
			}
			return
		}
		top := len(levels) - 1
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			levels = levels[:top]
			continue
		}
		if top >= 0 && levels[top].keys != nil {
			l := &levels[top]
			if l.key {
				key := token.(string)
				if l.keys[key] {
					faults.add(RepeatedKey, "", "the key %q stands twice in one object", key)
				}
				l.keys[key], l.key = true, false
				continue
			}
			l.key = true
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{map[string]bool{}, true})
		case json.Delim('['):
			levels = append(levels, level{})
		}
	}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// brief shows a value in a fault.
func brief(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	if r := []rune(string(raw)); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return string(raw)
}
