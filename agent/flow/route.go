package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrUnclear is the error of a labeler that cannot tell.
var ErrUnclear = errors.New("flow: cannot tell which branch")

// Route has label say which branch in takes, and does that branch. Where label
// cannot tell ([ErrUnclear]), or names no branch, otherwise does it: an agent
// or a person. It must be there. Any other error of label is returned: nobody
// knows then what should be done.
func Route[In, Out any](
	ctx context.Context, in In, label func(context.Context, In) (string, error),
	branches map[string]func(context.Context, In) (Out, error), otherwise func(context.Context, In) (Out, error),
) (out Out, err error) {
	if label == nil || otherwise == nil {
		return out, fmt.Errorf("flow: routing: %w: both label and otherwise are needed", errMissing)
	}
	name, err := label(ctx, in)
	if err != nil && !errors.Is(err, ErrUnclear) {
		return out, fmt.Errorf("flow: routing: %w", err)
	}
	branch := branches[name]
	if err != nil || branch == nil {
		branch = otherwise
	}
	return branch(ctx, in)
}

// Label reads which of the labels a reply is, whatever its case and however it
// is quoted. Any other reply is [ErrUnclear]: no words are looked for in it.
func Label(reply string, labels ...string) (string, error) {
	reply = strings.Trim(reply, " \t\r\n\"'`*.")
	for _, l := range labels {
		if strings.EqualFold(reply, l) {
			return l, nil
		}
	}
	return "", ErrUnclear
}
