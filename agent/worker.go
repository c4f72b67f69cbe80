package agent

import (
	"context"
	"errors"
)

// A Worker does work: a [Loop], a plan.Executor, a team.Orchestrator.
//
// Open begins the run that has its log in scope, or goes on with it: the same
// line does both. Prompts that the log does not hold yet are said to it, in
// order. They are counted and not compared: of three prompts, a log with two
// hears the third. Nothing is done before the run's events are ranged over.
type Worker interface {
	Open(ctx context.Context, scope Scope, prompts ...string) (*Run, error)
}

// WorkerFunc makes a function a [Worker].
type WorkerFunc func(ctx context.Context, scope Scope, prompts ...string) (*Run, error)

// Open implements [Worker].
func (f WorkerFunc) Open(ctx context.Context, scope Scope, prompts ...string) (*Run, error) {
	return f(ctx, scope, prompts...)
}

// Do has w do what prompt asks, in memory, to its end or its first question,
// which nobody can answer any more: Open a run where there may be some, or where
// a journal, a pool or somebody who is asked is needed, and [Drain] it.
// An error is one that keeps the run from going on, such as the client's; what
// a limit, a refusal or a failed check comes to is told by the result.
func Do(ctx context.Context, w Worker, prompt string) (Result, error) {
	run, err := w.Open(ctx, Scope{}, prompt)
	if err != nil {
		return Result{}, err
	}
	err = Drain(ctx, run, nil)
	return run.Result(), err
}

// Drain ranges over a run's events to its end. It puts the run's questions to
// ask, one at a time, and answers them; a nil ask, or one that returns false,
// leaves them open, and Drain returns. A run that has ended has nothing left to
// do, which is no error here.
func Drain(ctx context.Context, run *Run, ask func(Question) (Answer, bool)) error {
	for event, err := range run.Events(ctx) {
		if errors.Is(err, ErrEnded) {
			return nil
		}
		if err != nil {
			return err
		}
		paused, ok := event.(Paused)
		if !ok || ask == nil {
			continue
		}
		for _, q := range paused.Questions {
			answer, ok := ask(q)
			if !ok {
				return nil
			}
			// Another may have answered it meanwhile; that answer holds.
			if err := run.Answer(q.ID, answer); err != nil && !errors.Is(err, ErrStale) && !errors.Is(err, ErrNoQuestion) {
				return err
			}
		}
	}
	return nil
}
