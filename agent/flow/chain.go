package flow

import (
	"context"
	"fmt"
)

// Chain does steps one after the other, each on what the one before made of
// it. It returns what the last one made. An error ends it early, and a
// [*GateError] is one: what there is by then is returned with it.
//
//	text, err := flow.Chain(ctx, topic, flow.By(outliner), flow.Gate("too short", long), flow.By(writer))
func Chain[T any](ctx context.Context, in T, steps ...func(context.Context, T) (T, error)) (T, error) {
	for i, step := range steps {
		if step == nil {
			return in, fmt.Errorf("flow: step %d: %w", i+1, errMissing)
		}
		if err := context.Cause(ctx); err != nil {
			return in, fmt.Errorf("flow: before step %d: %w", i+1, err)
		}
		out, err := step(ctx, in)
		if err != nil {
			return in, fmt.Errorf("flow: step %d: %w", i+1, err)
		}
		in = out
	}
	return in, nil
}

// Gate returns a step that lets through what passes, as it is. Anything else
// ends the chain with a [*GateError] that says why.
func Gate[T any](why string, passes func(T) bool) func(context.Context, T) (T, error) {
	return func(_ context.Context, in T) (T, error) {
		if !passes(in) {
			return in, &GateError{why}
		}
		return in, nil
	}
}

// A GateError says that a gate said no.
type GateError struct{ Why string }

// Error implements error.
func (e *GateError) Error() string { return "the gate said no: " + e.Why }
