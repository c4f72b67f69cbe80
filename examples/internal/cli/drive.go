package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
)

// Drive opens the run that the flags name, tells it their answers, shows its
// events, and puts its questions to the terminal, if there is one. It returns
// how far the run has come; its error is what kept the run from going on.
func (o *Options) Drive(ctx context.Context, w agent.Worker) (agent.Result, error) {
	run, err := o.Open(ctx, w)
	if err != nil {
		return agent.Result{}, err
	}
	for _, err := range o.Events(ctx, run) {
		if err != nil {
			return run.Result(), err
		}
	}
	return run.Result(), nil
}

// Events ranges over the events of a run. Each has been shown when it is
// yielded, and the questions of a pause have been put to who can answer them.
// A run that has ended before yields nothing: its result is stored.
func (o *Options) Events(ctx context.Context, run *agent.Run) iter.Seq2[agent.Event, error] {
	return o.Watch(run, run.Events(ctx))
}

// Watch is Events for events of the run in another order.
func (o *Options) Watch(run *agent.Run, events iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for event, err := range events {
			if errors.Is(err, agent.ErrEnded) {
				o.Note("(this run has ended before, with this result)")
				return
			}
			if err == nil {
				o.Show(event)
			}
			if paused, ok := event.(agent.Paused); ok {
				err = o.ask(run, paused.Questions)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Open opens the run that the flags name and tells it their answers.
func (o *Options) Open(ctx context.Context, w agent.Worker) (*agent.Run, error) {
	var scope agent.Scope
	if o.Journal != "" {
		store, err := o.Store(ctx)
		if err != nil {
			return nil, err
		}
		scope = agent.Scope{Journal: store, ID: o.Run}
	}
	var prompts []string
	if o.Prompt != "" {
		prompts = append(prompts, o.Prompt)
	}
	run, err := w.Open(ctx, scope, prompts...)
	if err != nil {
		return nil, err
	}
	for _, a := range o.Answers {
		if err := run.Answer(a.ID, a.Answer); err != nil {
			return nil, fmt.Errorf("answering %s: %w", a.ID, err)
		}
	}
	if o.Journal != "" {
		o.Run = run.ID()
	}
	return run, nil
}

// ask answers what it may by itself, and puts the rest to the terminal. What
// stays open leaves the run paused.
func (o *Options) ask(run *agent.Run, questions []agent.Question) error {
	for _, q := range questions {
		answer, ok := agent.Approve(), true
		if !o.Yes || q.About != agent.AboutCall && q.About != agent.AboutPlan {
			answer, ok = o.read(q)
		}
		if !ok {
			continue
		}
		// Another may have answered it meanwhile; that answer holds.
		if err := run.Answer(q.ID, answer); err != nil && !errors.Is(err, agent.ErrStale) && !errors.Is(err, agent.ErrNoQuestion) {
			return fmt.Errorf("answering %s: %w", q.ID, err)
		}
	}
	return nil
}

// read asks the terminal. It is false where nobody answers.
func (o *Options) read(q agent.Question) (agent.Answer, bool) {
	for o.Terminal {
		o.Ask(q)
		line, err := o.lines.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" && err != nil {
			break // io.EOF: the person has gone
		}
		if answer, ok := Understood(q, line); ok {
			return answer, true
		}
	}
	return agent.Answer{}, false
}

// Understood reads what a person typed to a question: yes, always, no with or
// without a reason, words, or one of the choices that there are. It is false
// where that is no answer.
func Understood(q agent.Question, line string) (agent.Answer, bool) {
	word, rest, _ := strings.Cut(line, " ")
	yesNo := q.About == agent.AboutCall || q.About == agent.AboutGoingOn || q.About == agent.AboutPlan
	switch {
	case line == "":
	case len(q.Choices) > 0:
		i := slices.IndexFunc(q.Choices, func(c string) bool { return strings.EqualFold(c, line) })
		if i >= 0 {
			return agent.Words(q.Choices[i]), true
		}
	case !yesNo:
		return agent.Words(line), true
	case word == "y" || word == "yes":
		return agent.Approve(), true
	case word == "n" || word == "no":
		return agent.Deny(rest), true
	case (word == "a" || word == "always") && q.About == agent.AboutCall:
		return agent.ApproveForSession(), true
	case q.About == agent.AboutPlan:
		return agent.Words(line), true
	}
	return agent.Answer{}, false
}
