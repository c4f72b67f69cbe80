package flow

import (
	"context"
	"errors"
	"fmt"
)

// ErrTie is the error of a vote that has no winner.
var ErrTie = errors.New("flow: the vote is tied")

// A Poll is what came of a vote.
type Poll[T any] struct {
	Winner T
	For    int         // votes for the winner; that it is more than half is for the caller to ask
	Votes  []Ballot[T] // one for each voter, in their order
}

// A Ballot is what one voter said, or why it said nothing.
type Ballot[T any] struct {
	Value T
	Err   error
}

// Vote has n voters do the same task, at most 4 at once, and returns the value
// that came most often. The rule for a tie must be said: tie picks one of the
// values that came equally often, which are in the order of their first voters;
// see [FirstOfTied] and [NoWinner]. A voter that fails has no vote; if all fail
// their errors are returned. The poll is right with an error, too.
func Vote[T comparable](
	ctx context.Context, n int, voter func(ctx context.Context, number int) (T, error), tie func(ctx context.Context, tied []T) (T, error),
) (Poll[T], error) {
	if tie == nil {
		return Poll[T]{}, errors.New("flow: voting: no rule for a tie")
	}
	votes, values, err := ballots(ctx, n, voter)
	poll := Poll[T]{Votes: votes}
	if err != nil {
		return poll, err
	}
	count := make(map[T]int)
	for _, v := range values {
		count[v]++
		poll.For = max(poll.For, count[v])
	}
	var tied []T
	for _, v := range values {
		if count[v] == poll.For {
			tied = append(tied, v)
			count[v] = 0 // named once
		}
	}
	if poll.Winner = tied[0]; len(tied) > 1 {
		if poll.Winner, err = tie(ctx, tied); err != nil {
			return poll, fmt.Errorf("flow: voting: %w", err)
		}
	}
	return poll, nil
}

// FirstOfTied is the tie rule by which the value wins that came first.
func FirstOfTied[T any](_ context.Context, tied []T) (T, error) { return tied[0], nil }

// NoWinner is the tie rule by which nobody wins: the error is [ErrTie].
func NoWinner[T any](context.Context, []T) (none T, err error) { return none, ErrTie }

// Synthesize has n voters do the same task, at most 4 at once, and merges what
// they made, in their order. A voter that fails is left out; if all fail their
// errors are returned.
func Synthesize[T, Out any](
	ctx context.Context, n int, voter func(ctx context.Context, number int) (T, error), merge func(context.Context, []T) (Out, error),
) (out Out, err error) {
	if merge == nil {
		return out, fmt.Errorf("flow: merging votes: %w", errMissing)
	}
	_, values, err := ballots(ctx, n, voter)
	if err != nil {
		return out, err
	}
	return merge(ctx, values)
}

// ballots asks the voters, and returns also the values alone.
func ballots[T any](ctx context.Context, n int, voter func(context.Context, int) (T, error)) (votes []Ballot[T], values []T, err error) {
	if n < 1 || voter == nil {
		return nil, nil, fmt.Errorf("flow: voting with %d voters: there must be one or more, and a function", n)
	}
	votes = make([]Ballot[T], n)
	err = each(ctx, 0, n, func(ctx context.Context, i int) error {
		votes[i].Value, votes[i].Err = guarded(fmt.Sprintf("voter %d", i+1), func() (T, error) { return voter(ctx, i+1) })
		return context.Cause(ctx)
	})
	if err != nil {
		return votes, nil, fmt.Errorf("flow: voting: %w", err)
	}
	var faults []error
	for i, v := range votes {
		if v.Err != nil {
			faults = append(faults, fmt.Errorf("flow: voter %d: %w", i+1, v.Err))
			continue
		}
		values = append(values, v.Value)
	}
	if len(values) == 0 {
		return votes, nil, errors.Join(faults...)
	}
	return votes, values, nil
}
