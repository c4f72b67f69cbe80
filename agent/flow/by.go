package flow

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/triad-go/triad/agent"
)

// By returns a step that w does: from a prompt to the text of its answer. A run
// that has not completed is an [*EndError]. It is kept in memory; a stage of a
// [Pipeline] that must not lose it opens w in its [Visit.Scope].
func By(w agent.Worker) func(ctx context.Context, prompt string) (string, error) {
	return func(ctx context.Context, prompt string) (string, error) {
		result, err := agent.Do(ctx, w, prompt)
		switch {
		case err != nil:
			return result.Text, err
		case result.Reason != agent.Completed:
			return result.Text, &EndError{result}
		}
		return result.Text, nil
	}
}

// An EndError is a run that ended, or paused, without being completed.
type EndError struct{ Result agent.Result }

// Error implements error.
func (e *EndError) Error() string {
	text := "flow: the run ended as " + string(e.Result.Reason)
	if e.Result.Reason == agent.Waits {
		text = "flow: the run waits for an answer"
	}
	if e.Result.Detail != "" {
		text += ": " + e.Result.Detail
	}
	return text
}

// guarded calls do and turns a panic into an error.
func guarded[T any](what string, do func() (T, error)) (out T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("flow: %s: panic: %v\n%s", what, v, debug.Stack())
		}
	}()
	return do()
}
