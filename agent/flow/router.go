package flow

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/agent"
)

// A Router is an [agent.Worker] that does each prompt in one of the modes. Which
// one was chosen is recorded, so a run that is opened again goes on in it. Only
// React is needed. A mode that is not there is done by the next simpler one; one
// that the user chose must be there.
//
// The work itself is done by runs within the run: "react", which goes on with
// its history from prompt to prompt, and "plan_2" or "team_2" for the second
// prompt. Each has the limits of its own recipe. What is said while one of them
// is under way is the next prompt. Images are refused. The Turns of its result
// are prompts; those of its Spent are the requests of Classify.
type Router struct {
	// Name tells this router from others in traces.
	Name string

	// React, Plan and Team do the work: an agent.Loop, a plan.Executor, a
	// team.Orchestrator.
	//
	// A React that is an *agent.Loop is offered the tool escalate_to_plan, if
	// there is a Plan; NoEscalation leaves it out. When the tool is called, that
	// run ends, and a plan begins whose prompt holds the prompt, the reason, and
	// what was found. Another React may offer [Escalate] itself.
	React, Plan, Team agent.Worker
	NoEscalation      bool

	// Choice returns the mode that the user has chosen for a prompt, or nothing;
	// nil chooses nothing. See [Session].
	Choice func(prompt string) Mode

	// Classify finds what there is to know about a prompt, for [Choose]. It is
	// not asked where the user has chosen, or where there is React alone. Nil
	// leaves all else to React. See [Classifier].
	Classify func(ctx context.Context, prompt string) (Decision, error)

	// Texts are the words in which the router speaks to models.
	Texts Texts
}

// Open implements [agent.Worker].
func (r *Router) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if r.React == nil {
		return nil, &agent.ConfigError{Field: "React", Err: errors.New("is missing")}
	}
	return agent.NewRun(ctx, &routing{router: r}, scope, prompts...)
}

// worker returns who works in a mode.
func (r *Router) worker(m Mode) agent.Worker {
	switch m {
	case Team:
		return r.Team
	case Plan:
		return r.Plan
	case React:
		return r.react()
	}
	return nil
}

// simpler returns m, or the next simpler mode that is there.
func (r *Router) simpler(m Mode) Mode {
	if m == Team && r.Team == nil {
		m = Plan
	}
	if m == Plan && r.Plan == nil {
		m = React
	}
	return m
}

// decide finds the mode of a prompt.
func (r *Router) decide(ctx context.Context, prompt string) (Mode, Decision, error) {
	var chosen Mode
	if r.Choice != nil {
		chosen = r.Choice(prompt)
	}
	if chosen != "" && r.worker(chosen) == nil {
		return "", Decision{}, fmt.Errorf("flow: the user chose the mode %q, which is not there", chosen)
	}
	var d Decision
	if chosen == "" && r.Classify != nil && (r.Plan != nil || r.Team != nil) {
		var err error
		if d, err = r.Classify(ctx, prompt); err != nil {
			return "", d, err
		}
	}
	return r.simpler(Choose(chosen, d)), d, nil
}
