package team

import (
	"iter"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// InOrder returns the events of a team's or a plan's run as a person reads them:
// what happens within tasks that run side by side comes one task after the
// other, in the order of the plan. A task that runs alone, and the first of
// those that have not ended, are shown live; the others are held back until
// their turn, or until the run waits or ends. All other events come as they are.
//
// What is held back is in the journal already, so leaving the loop loses none of
// it. Log is what the run's log held before, if it was opened again.
func InOrder(events iter.Seq2[agent.Event, error], log ...agent.Entry) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		q := newQueue()
		for _, e := range log {
			q.take(e.Fact)
		}
		q.all()
		for event, err := range events {
			show := q.all
			if err == nil {
				show = func() []agent.Event { return q.take(event) }
			}
			for _, e := range show() {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil && !yield(nil, err) {
				return
			}
		}
		for _, e := range q.all() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A queue holds back the events of tasks whose turn has not come.
type queue struct {
	order   []string // the tasks of the plan
	front   int      // of order, the first that has not ended
	ended   map[string]bool
	running map[string]bool
	held    map[string][]agent.Event
}

func newQueue() *queue {
	return &queue{ended: map[string]bool{}, running: map[string]bool{}, held: map[string][]agent.Event{}}
}

// take returns the events that are to be shown now that e has come.
func (q *queue) take(e agent.Event) []agent.Event {
	switch e := e.(type) {
	case plan.Drafted:
		shown := q.all()
		q.draft(e)
		return append(shown, e)
	case plan.TaskStarted:
		q.running[e.ID] = true
	case plan.TaskEnded:
		q.hold(e.ID, e)
		q.ended[e.ID] = true
		alone := q.alone(e.ID)
		delete(q.running, e.ID)
		return q.due(alone)
	case agent.Inner:
		id, _, _ := strings.Cut(e.Path, "/")
		if q.running[id] {
			q.hold(id, e)
			return q.due(q.alone(id))
		}
	case agent.Paused, agent.Stopped:
		return append(q.all(), e)
	}
	return []agent.Event{e}
}

func (q *queue) hold(id string, e agent.Event) { q.held[id] = append(q.held[id], e) }

// draft puts new tasks behind those that have ended.
func (q *queue) draft(e plan.Drafted) {
	var kept []string
	for _, id := range q.order {
		if q.ended[id] {
			kept = append(kept, id)
		}
	}
	q.order, q.front = append(kept, make([]string, 0, len(e.Tasks))...), 0
	for _, t := range e.Tasks {
		q.order = append(q.order, t.ID)
		if t.Status.Final() {
			q.ended[t.ID] = true
		}
	}
}

func (q *queue) alone(id string) bool { return len(q.running) == 1 && q.running[id] }

// due returns what is held back of the tasks whose turn it is. Those are all if
// one runs alone, unless it is the first: then they come after it.
func (q *queue) due(alone bool) (out []agent.Event) {
	for q.front < len(q.order) {
		id := q.order[q.front]
		out = append(out, q.free(id)...)
		if !q.ended[id] {
			break
		}
		q.front++
	}
	if alone && (q.front == len(q.order) || !q.running[q.order[q.front]]) {
		out = append(out, q.all()...)
	}
	return out
}

// all returns all that is held back, in the order of the plan.
func (q *queue) all() (out []agent.Event) {
	if len(q.held) == 0 {
		return nil
	}
	for _, id := range q.order {
		out = append(out, q.free(id)...)
	}
	return out
}

func (q *queue) free(id string) []agent.Event {
	events := q.held[id]
	delete(q.held, id)
	return events
}
