package plan

import (
	"bytes"
	"fmt"
	"slices"
)

// finds are the tasks that were found while a plan was being written, by id.
// They may have been started. A planner that is asked again, after a crash or
// to mend its plan, may write others under their ids.
type finds map[string]Task

// found returns what was found in the draft under way.
func (m *mode) found() finds {
	f := finds{}
	for _, t := range m.state.tasks[len(m.state.tasks)-m.state.early:] {
		f[t.ID] = t
	}
	return f
}

// separate gives other ids to tasks that are not what was found under theirs,
// and to those that depend on such a task: each id names a log.
func (f finds) separate(tasks []Task, used map[string]bool) {
	if len(f) == 0 {
		return
	}
	names := map[string]string{}
	for changed := true; changed; {
		changed = false
		for i := range tasks {
			t := &tasks[i]
			old, found := f[t.ID]
			if !found || names[t.ID] != "" {
				continue
			}
			other := slices.ContainsFunc(t.Dependencies, func(id string) bool { return names[id] != "" })
			if other || !same(old, *t) {
				names[t.ID], changed = f.fresh(t.ID, tasks, used), true
			}
		}
	}
	rename(tasks, names)
}

func (f finds) fresh(id string, tasks []Task, used map[string]bool) string {
	if own.MatchString(id + "_2") {
		id += "_"
	}
	for n := 2; ; n++ {
		name := fmt.Sprintf("%s_%d", id, n)
		_, found := f[name]
		if !found && !used[name] && !slices.ContainsFunc(tasks, func(t Task) bool { return t.ID == name }) {
			return name
		}
	}
}

// same tells whether two tasks are the same work.
func same(a, b Task) bool {
	return a.Description == b.Description && a.Tool == b.Tool && bytes.Equal(a.Arguments, b.Arguments) &&
		slices.Equal(a.Dependencies, b.Dependencies) && slices.Equal(a.Tools, b.Tools)
}
