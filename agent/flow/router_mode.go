package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// routing is a Router at work, as [agent.Run] sees it.
type routing struct {
	router *Router
	state  state
	looked int // the prompt after which react has been found not to have handed over
}

// Kinds implements [agent.Mode].
func (*routing) Kinds(kind string) agent.Decoder {
	switch kind {
	case Routed{}.Kind():
		return agent.Decode[Routed]
	case Worked{}.Kind():
		return agent.Decode[Worked]
	}
	return nil
}

func (m *routing) Fold(e agent.Entry) { m.state.fold(e) }

func (m *routing) Result() agent.Result {
	s := &m.state
	r := agent.Result{Spent: s.spent, Turns: s.number}
	if s.stopped == nil {
		return r
	}
	r.Reason, r.Cause, r.Detail, r.Limit = s.stopped.Reason, s.stopped.Cause, s.stopped.Detail, s.stopped.Limit
	if w := s.last; w != nil {
		r.Text, r.Partial, r.Findings, r.Verdict = w.Text, w.Partial, w.Findings, w.Verdict
	}
	return r
}

func (m *routing) Work(scope agent.Scope) agent.Work {
	w := agent.Work{Alone: true}
	switch step, stopped := m.state.next(m.escalates() && m.looked != m.state.number); step {
	case decide:
		w.Boundary, w.Jobs = true, []agent.Job{m.decide(scope)}
	case work:
		w.Jobs = []agent.Job{m.work()}
	case look:
		w.Jobs = []agent.Job{m.look(scope)}
	case stop:
		w.Stop = &stopped
	}
	return w
}

func (m *routing) escalates() bool { return m.router.Plan != nil && !m.router.NoEscalation }

// decide makes the job of finding the mode of the prompt. A shared budget that
// is used up ends the run instead.
func (m *routing) decide(scope agent.Scope) agent.Job {
	s := m.state
	if s.worked != nil { // the next prompt
		s.unheard = slices.Clip(s.unheard)
		s.advance()
		s.number++
	}
	return agent.Job{Key: fmt.Sprintf("route_%d", s.number), Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		settle, err := scope.Pool.Reserve(budget.Spent{Turns: 1})
		if err != nil {
			return exhausted(err, s.number), nil
		}
		var d Decision
		defer func() { settle(d.Spent) }() // also if the host's Classify panics
		mode, d, err := m.router.decide(ctx, s.prompts[0])
		if err != nil {
			return nil, err
		}
		return Routed{Number: s.number, Mode: mode, Prompt: m.router.words().brief(&s, mode), Decision: d}, nil
	}}
}

// work makes the job of doing the prompt in its mode, in a run of its own.
func (m *routing) work() agent.Job {
	s, mode := m.state, m.state.routed.Mode
	key, prompts := fmt.Sprintf("%s_%d", mode, s.number), []string{s.routed.Prompt}
	var counted budget.Spent
	if mode == React {
		key, prompts, counted = "react", s.told, s.ours
	}
	return agent.Job{Key: key, Do: func(context.Context, agent.Port) (agent.Fact, error) {
		w := m.router.worker(mode)
		if w == nil {
			return nil, fmt.Errorf("flow: the mode %q was chosen before and is not there any more", mode)
		}
		if mode == React {
			w = continued(w)
		}
		return nil, &agent.Delegate{Worker: w, Prompts: prompts, Counted: counted, End: func(r agent.Result) agent.Fact {
			return Worked{
				Mode: mode, Stopped: agent.Stopped{Reason: r.Reason, Cause: r.Cause, Detail: r.Detail, Limit: r.Limit},
				Text: r.Text, Partial: r.Partial, Findings: r.Findings, Verdict: r.Verdict, Spent: r.Spent,
			}
		}}
	}}
}

// look makes the job of reading in react's log whether it has handed over. Its
// fact is the plan that follows; there is none where it has not.
func (m *routing) look(scope agent.Scope) agent.Job {
	s := m.state
	scope.ID, scope.Pool = scope.ID+"/react", nil // it only reads
	return agent.Job{Key: fmt.Sprintf("look_%d", s.number), Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		run, err := m.router.React.Open(ctx, scope)
		if err != nil {
			return nil, err
		}
		log, err := run.Log(ctx)
		if err != nil {
			return nil, err
		}
		reason, findings, ok := handedOver(log)
		if !ok {
			m.looked = s.number
			return nil, nil
		}
		return Routed{Number: s.number, Mode: Plan, Prompt: m.router.words().handover(&s, reason, findings), Escalated: reason}, nil
	}}
}

// continued opens w's run and says to it what of the prompts its log does not
// hold, also after its end: a run within that has ended is not gone on with for
// the prompts it was opened with.
func continued(w agent.Worker) agent.Worker {
	return agent.WorkerFunc(func(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
		run, err := w.Open(ctx, scope)
		if err != nil || run == nil {
			return run, err
		}
		log, err := run.Log(ctx)
		if err != nil {
			return nil, err
		}
		if len(log) == 0 {
			return w.Open(ctx, scope, prompts...)
		}
		heard := 0
		for _, e := range log {
			if said, ok := e.Fact.(agent.Said); ok && heard < len(prompts) && said.Text == prompts[heard] {
				heard++
			}
		}
		for _, p := range prompts[heard:] {
			if err := run.Say(p); err != nil {
				return nil, err
			}
		}
		return run, nil
	})
}

// exhausted is the end of a run whose shared budget has nothing left.
func exhausted(err error, turn int) agent.Stopped {
	f := agent.Stopped{Reason: agent.OverBudget, Detail: err.Error(), Turn: turn}
	if limit, ok := errors.AsType[*budget.ExceededError](err); ok {
		f.Limit = limit
		if limit.Limit == budget.Time {
			f.Reason = agent.TimedOut
		}
	}
	return f
}
