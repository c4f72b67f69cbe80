package team

import (
	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// mode is an Orchestrator at work: its plan, and what a team tells beside.
type mode struct {
	agent.Mode // the plan's

	ended    map[string]plan.Task
	tally    Tally
	rejected string // the planner's reply that was no plan
}

// Fold implements [agent.Mode].
func (m *mode) Fold(e agent.Entry) {
	m.Mode.Fold(e)
	switch f := e.Fact.(type) {
	case plan.Drafted:
		m.draft(f)
	case plan.PlanRejected:
		m.rejected = f.Reply
	case plan.TaskEnded:
		m.end(plan.Task{ID: f.ID, Outcome: plan.Outcome{Status: f.Status, Verdict: f.Verdict, Cut: f.Cut}})
	}
}

// draft forgets what another plan has taken the place of.
func (m *mode) draft(f plan.Drafted) {
	for id, t := range m.ended {
		if t.Status != plan.Completed {
			m.tally.add(&t, -1)
			delete(m.ended, id)
		}
	}
	m.rejected = ""
	for _, t := range f.Tasks {
		if t.Status.Final() {
			m.end(t)
		}
	}
}

func (m *mode) end(t plan.Task) {
	if _, again := m.ended[t.ID]; again {
		return
	}
	if m.ended == nil {
		m.ended = map[string]plan.Task{}
	}
	m.ended[t.ID] = t
	m.tally.add(&t, 1)
}

// Result adds to the plan's how many tasks ended how, and says of a result that
// a limit cut short that it is partial. Where no plan was made the text is what
// the planner said.
func (m *mode) Result() agent.Result {
	r := m.Mode.Result()
	if !r.Ended() {
		return r
	}
	r.Partial = r.Partial || m.tally.Partial > 0
	r.Detail = joined("; ", m.tally.String(), r.Detail)
	if r.Cause == agent.PlanningFailed {
		r.Text = m.rejected
	}
	return r
}
