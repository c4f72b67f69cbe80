package plan

import "strings"

// Summary tells what came of the plan: the completed tasks with their results,
// then the others with the reasons. It is bounded by nothing.
func (s State) Summary() string {
	words := s.texts()
	var done, others []Task
	for _, t := range s.tasks {
		if t.Status == Completed {
			done = append(done, t)
		} else {
			others = append(others, t)
		}
	}
	var items []string
	for _, t := range append(done, others...) {
		items = append(items, words.item(&t, t.Result))
	}
	return strings.Join(items, "\n\n")
}

// Answer is what the plan has come to: the answer made of all results, if that
// was asked for; else the results of the completed tasks that nothing depends
// on; else the [State.Summary].
func (s State) Answer() string {
	if s.solved != nil && s.solved.Status == Completed && s.solved.Result != "" {
		return s.solved.Result
	}
	var ends []string
	for i, t := range s.tasks {
		if len(s.down[i]) == 0 && t.Status == Completed && t.Result != "" {
			ends = append(ends, t.Result)
		}
	}
	if len(ends) == 0 || s.done < len(s.tasks) {
		return s.Summary()
	}
	return strings.Join(ends, "\n\n")
}
