package plan

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A reader finds the tasks in a plan that is still being written, one by one as
// each is complete. It gives up at the first thing that is not as it should be:
// the plan is judged as a whole in any case.
type reader struct {
	form  Form
	text  strings.Builder
	at    int // of the text, what was looked at
	tasks []Task
	names map[string]string
	in    bool // within the list
	lost  bool
}

// read takes a piece of the reply and returns the tasks that it completes, with
// the ids that they will have. Only tasks whose dependencies were found before
// are among them.
func (r *reader) read(delta string) (found []Task) {
	r.text.WriteString(delta)
	for !r.lost {
		text := r.text.String()
		if !r.in {
			at, ok := listBegins(text, r.form.lists())
			if !ok {
				return found
			}
			r.at, r.in = at, true
		}
		rest := strings.TrimLeft(text[r.at:], " \t\r\n,")
		if !strings.HasPrefix(rest, "{") {
			r.lost = rest != "" // the end of the list, or nonsense
			return found
		}
		size := walk(rest, func(int, string, int) bool { return true })
		if !json.Valid([]byte(rest[:size])) {
			return found // not complete yet
		}
		r.at = len(text) - len(rest) + size
		if t, ok := r.task(rest[:size]); ok {
			found = append(found, t)
		}
	}
	return found
}

// task reads the next task of the list.
func (r *reader) task(text string) (Task, bool) {
	var t Task
	var faults faultList
	repeats(text, &faults)
	r.form.task(&t, json.RawMessage(text), "task", &faults)
	r.tasks = append(r.tasks, t)
	at, known := map[string]int32{}, map[string]bool{}
	for i := range r.tasks {
		at[r.tasks[i].ID] = int32(i)
	}
	for _, id := range r.form.Known {
		known[id] = true
	}
	last := len(r.tasks) - 1
	refer(r.tasks, last, at, known, &faults)
	for _, id := range r.tasks[last].Dependencies {
		if j, ok := at[id]; (!ok || int(j) == last) && !known[id] {
			faults.add(UnknownDependency, t.ID, "not found yet")
		}
	}
	if _, twice := r.names[t.ID]; twice || len(faults) > 0 {
		r.lost = true
		return t, false
	}
	if r.names == nil {
		r.names = map[string]string{}
	}
	r.names[t.ID] = r.form.name(last)
	one := cloned(r.tasks[last:])
	one[0].Dependencies = distinct(one[0].Dependencies)
	rename(one, r.names)
	return one[0], true
}

// listBegins returns the place behind the bracket with which the list of tasks
// opens.
func listBegins(text string, lists []string) (int, bool) {
	open := strings.IndexByte(text, '{')
	for _, l := range lists {
		key := fmt.Sprintf("%q", l)
		if open < 0 || !strings.Contains(text[open:], key) {
			continue
		}
		at := open + strings.Index(text[open:], key) + len(key)
		rest := strings.TrimLeft(text[at:], " \t\r\n")
		if list := strings.TrimLeft(strings.TrimPrefix(rest, ":"), " \t\r\n"); strings.HasPrefix(rest, ":") && strings.HasPrefix(list, "[") {
			return len(text) - len(list) + 1, true
		}
	}
	return 0, false
}
