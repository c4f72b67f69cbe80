package team

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// A Reviewed is a worker whose work another one reviews. The first prompt is
// the task. A result that is rejected goes back with the issues to the worker,
// which goes on in its own history; each review has a fresh one.
//
// The run is Completed when a result was approved, and else Unverified: not
// accepted after the retries, or not reviewed (the verdict's Fault says why). A
// worker that fails before it has given a result ends the run as its own did,
// and so does one that a limit stops before. A result that a limit cut short is
// reviewed like others, and stays Partial. The result's Turns counts the tries,
// and its Limit is one that kept the result from being approved.
type Reviewed struct {
	// Name is the worker's, kept in the log.
	Name string

	Worker   agent.Worker
	Reviewer agent.Worker // best a Loop without tools, such as [NewReviewer]'s

	// Retries is how often a result may go back; nil is 2, 0 is never. A retry
	// whose run fails is used up, and the earlier result stays.
	Retries *int

	// ErrorsFail counts an error of the worker, such as its model client's, as a
	// failed run; else the run can go on after it. One of the reviewer is always
	// a review that failed.
	ErrorsFail bool

	// Texts are the words in which it speaks; the zero Texts is English.
	Texts Texts

	full *Texts // Texts with nothing left out, where that was made before
}

// Open implements [agent.Worker].
func (r *Reviewed) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	own := *r
	own.full = r.words()
	return agent.NewRun(ctx, &reviewedMode{reviewed: &own}, scope, prompts...)
}

// Validate reports all that is wrong, each as an [*agent.ConfigError].
func (r *Reviewed) Validate() error {
	var faults []error
	if r.Worker == nil {
		faults = append(faults, &agent.ConfigError{Field: "Worker", Err: errors.New("is missing")})
	}
	if r.Reviewer == nil {
		faults = append(faults, &agent.ConfigError{Field: "Reviewer", Err: errors.New("is missing")})
	}
	if err := notNegative("Retries", r.Retries); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func notNegative(field string, n *int) error {
	if n == nil || *n >= 0 {
		return nil
	}
	return &agent.ConfigError{Field: field, Err: fmt.Errorf("%d is negative", *n)}
}

// Narrow implements [plan.Narrower]. Of a worker that can't be held to tools
// the runs are not opened.
func (r *Reviewed) Narrow(tools []string) agent.Worker {
	narrowed := *r
	w, err := plan.Narrow(r.Worker, tools)
	if narrowed.Worker = w; err != nil {
		narrowed.Worker = agent.WorkerFunc(func(context.Context, agent.Scope, ...string) (*agent.Run, error) {
			return nil, fmt.Errorf("team: %w", err)
		})
	}
	return &narrowed
}

// Inner implements [plan.Outer]: all tries of the worker are one run.
func (r *Reviewed) Inner() (agent.Worker, string) { return r.Worker, workKey }

func (r *Reviewed) retries() int {
	if r.Retries == nil {
		return defaultRetries
	}
	return *r.Retries
}

func (r *Reviewed) words() *Texts {
	if r.full != nil {
		return r.full
	}
	t := r.Texts.complete()
	return &t
}
