package team

import (
	"iter"
	"maps"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// InOrder returns the events of a team's or a plan's run as a person reads them:
// what happens within tasks that run side by side comes one task after the
// other, in the order of the plan. A task that runs alone, and the first of
// those that have not ended, are shown live; the others are held back until
// their turn, or until the run waits or ends. All other events come as they are,
// and so do those of tasks that are not in the plan, as far as it is known.
//
// What is held back takes memory without bound: of tasks that wait for a slow
// one, all that their workers say and do meanwhile. The facts of it are in the
// journal already, so leaving the loop loses none of them. Log is what the run's
// log held before, if it was opened again.
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
	order   []string // the tasks of the plan, and those found of one that is being written
	placed  map[string]bool
	front   int // of order, the first that has not ended
	ended   map[string]bool
	running map[string]bool
	held    map[string][]agent.Event
}

func newQueue() *queue {
	return &queue{placed: map[string]bool{}, ended: map[string]bool{}, running: map[string]bool{}, held: map[string][]agent.Event{}}
}

// take returns the events that are to be shown now that e has come.
func (q *queue) take(e agent.Event) []agent.Event {
	switch e := e.(type) {
	case plan.Drafted:
		shown := q.all()
		q.draft(e)
		return append(shown, e)
	case plan.TaskFound:
		q.place(e.Task.ID)
	case plan.TaskStarted:
		if q.placed[e.ID] {
			q.running[e.ID] = true
		}
	case plan.TaskEnded:
		if !q.placed[e.ID] {
			break
		}
		q.hold(e.ID, e)
		q.ended[e.ID] = true
		alone := q.alone(e.ID)
		delete(q.running, e.ID)
		return q.due(alone)
	case agent.Inner:
		id, _, _ := strings.Cut(e.Path, "/")
		if q.running[id] || len(q.held[id]) > 0 { // behind what is held of it
			q.hold(id, e)
			return q.due(q.alone(id))
		}
	case agent.Paused, agent.Stopped:
		return append(q.all(), e)
	}
	return []agent.Event{e}
}

func (q *queue) hold(id string, e agent.Event) { q.held[id] = append(q.held[id], e) }

// draft puts new tasks behind those that have ended. Tasks that were found early
// and are not in the plan that came of it have no place any more.
func (q *queue) draft(e plan.Drafted) {
	before := q.order
	q.order, q.front = make([]string, 0, len(before)+len(e.Tasks)), 0
	clear(q.placed)
	for _, id := range before {
		if q.ended[id] {
			q.place(id)
		}
	}
	for _, t := range e.Tasks {
		q.place(t.ID)
		if t.Status.Final() {
			q.ended[t.ID] = true
		}
	}
	maps.DeleteFunc(q.running, func(id string, _ bool) bool { return !q.placed[id] })
}

func (q *queue) place(id string) {
	if !q.placed[id] {
		q.placed[id] = true
		q.order = append(q.order, id)
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
