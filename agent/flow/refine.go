package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triad-go/triad/agent"
)

const defaultAttempts = 3

// A Draft is what attempts have come to. The zero Draft is that before the first.
type Draft[T any] struct {
	Value    T
	Passed   bool // false after the last attempt: what is there is not good enough
	Why      string
	Attempts int
}

// Refine makes something and has it judged, and makes it anew from the last
// draft and what the judge said of it, until it passes, at most so many times
// (0 is 3). The judge may be a model or code. What has not passed by then is
// returned, and says so. With an error the draft is the last that was judged.
func Refine[T any](
	ctx context.Context, attempts int,
	improve func(ctx context.Context, last Draft[T]) (T, error),
	judge func(context.Context, T) (agent.Verdict, error),
) (Draft[T], error) {
	if improve == nil || judge == nil {
		return Draft[T]{}, fmt.Errorf("flow: refining: %w", errMissing)
	}
	return repeat(ctx, attempts, improve, judge, nil)
}

// ErrNoFeedback says that there is nothing outside the model to learn from.
var ErrNoFeedback = errors.New("flow: reflecting needs feedback from outside")

const (
	maxLessons = 3
	maxLesson  = 500 // characters
)

// Reflect tries until feedback from outside the model, such as tests, passes
// what was made, at most so many times (0 is 3). After a failure a short lesson
// is drawn from what the feedback says, and the next attempts are given the
// lessons, at most the 3 latest, the oldest first, each cut to 500 characters. A nil lesson takes the
// feedback's words as they are. Without feedback the error is [ErrNoFeedback],
// and nothing is tried.
func Reflect[T any](
	ctx context.Context, attempts int,
	try func(ctx context.Context, lessons []string) (T, error),
	feedback func(context.Context, T) (agent.Verdict, error),
	lesson func(ctx context.Context, failed Draft[T]) (string, error),
) (Draft[T], error) {
	switch {
	case feedback == nil:
		return Draft[T]{}, ErrNoFeedback
	case try == nil:
		return Draft[T]{}, fmt.Errorf("flow: reflecting: %w", errMissing)
	case lesson == nil:
		lesson = func(_ context.Context, failed Draft[T]) (string, error) { return failed.Why, nil }
	}
	var lessons []string
	again := func(ctx context.Context, _ Draft[T]) (T, error) { return try(ctx, slices.Clone(lessons)) }
	learn := func(ctx context.Context, failed Draft[T]) error {
		text, err := lesson(ctx, failed)
		if err != nil {
			return fmt.Errorf("drawing a lesson: %w", err)
		}
		if r := []rune(text); len(r) > maxLesson {
			text = string(r[:maxLesson-1]) + "…"
		}
		lessons = append(lessons, text)
		lessons = lessons[max(0, len(lessons)-maxLessons):]
		return nil
	}
	return repeat(ctx, attempts, again, feedback, learn)
}

// repeat makes drafts until one passes. After one that has not, and before the
// next, it learns.
func repeat[T any](
	ctx context.Context, attempts int, do func(context.Context, Draft[T]) (T, error),
	judge func(context.Context, T) (agent.Verdict, error), learn func(context.Context, Draft[T]) error,
) (last Draft[T], err error) {
	if attempts < 0 {
		return last, fmt.Errorf("flow: %d attempts: must be 1 or more", attempts)
	}
	if attempts == 0 {
		attempts = defaultAttempts
	}
	for n := 1; n <= attempts; n++ {
		if err := context.Cause(ctx); err != nil {
			return last, fmt.Errorf("flow: attempt %d: %w", n, err)
		}
		if n > 1 && learn != nil {
			if err := learn(ctx, last); err != nil {
				return last, fmt.Errorf("flow: attempt %d: %w", n, err)
			}
		}
		value, err := do(ctx, last)
		if err != nil {
			return last, fmt.Errorf("flow: attempt %d: %w", n, err)
		}
		verdict, err := judge(ctx, value)
		if err != nil {
			return last, fmt.Errorf("flow: judging attempt %d: %w", n, err)
		}
		if last = (Draft[T]{value, verdict.Pass, verdict.Why, n}); last.Passed {
			break
		}
	}
	return last, nil
}
