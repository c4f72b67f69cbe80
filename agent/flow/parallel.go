package flow

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

const defaultAtOnce = 4

// Parallel does sections side by side, at most so many at once (0 is 4), and
// returns what they made in the order of the sections. The first error cancels
// the others and is returned when all have ended. A panic is an error.
func Parallel[T any](ctx context.Context, atOnce int, sections ...func(context.Context) (T, error)) ([]T, error) {
	out := make([]T, len(sections))
	err := each(ctx, atOnce, len(sections), func(ctx context.Context, i int) (err error) {
		if sections[i] == nil {
			return fmt.Errorf("flow: section %d: %w", i+1, errMissing)
		}
		if out[i], err = sections[i](ctx); err != nil {
			err = fmt.Errorf("flow: section %d: %w", i+1, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Orchestrate splits a job into tasks, has each worked on, at most so many at
// once (0 is 4), and joins what came of them, in the order of the tasks. Where
// tasks depend on each other, or must survive a crash, use a plan.Executor.
func Orchestrate[Job, Task, Part, Out any](
	ctx context.Context, job Job, atOnce int,
	split func(context.Context, Job) ([]Task, error),
	work func(context.Context, Task) (Part, error),
	join func(context.Context, Job, []Part) (Out, error),
) (out Out, err error) {
	if split == nil || work == nil || join == nil {
		return out, fmt.Errorf("flow: orchestrating: %w", errMissing)
	}
	tasks, err := split(ctx, job)
	if err != nil {
		return out, fmt.Errorf("flow: splitting: %w", err)
	}
	parts := make([]Part, len(tasks))
	err = each(ctx, atOnce, len(tasks), func(ctx context.Context, i int) (err error) {
		if parts[i], err = work(ctx, tasks[i]); err != nil {
			err = fmt.Errorf("flow: task %d: %w", i+1, err)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	return join(ctx, job, parts)
}

// each calls do for 0 to n-1 side by side, until one fails.
func each(ctx context.Context, atOnce, n int, do func(ctx context.Context, i int) error) error {
	if atOnce < 0 {
		return fmt.Errorf("flow: %d at once: must be 1 or more", atOnce)
	}
	if atOnce == 0 {
		atOnce = defaultAtOnce
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error {
			if err := context.Cause(within); err != nil {
				return err // not started: another has failed
			}
			_, err := guarded(fmt.Sprintf("number %d", i+1), func() (struct{}, error) { return struct{}{}, do(within, i) })
			return err
		})
	}
	return group.Wait()
}
