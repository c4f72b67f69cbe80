package plan

import (
	"context"
	"errors"

	"github.com/triad-go/triad/llm"
)

// An asking is a request to a planner under way. It counts what failed attempts
// have used.
type asking struct {
	wasted llm.Usage
	tell   func(Task) bool // of a task that stands complete; nil for nobody
	reader reader
}

var errLeft = errors.New("plan: the planner is not wanted any more")

func (a *asking) ask(ctx context.Context, c llm.Client, req llm.Request) (llm.Reply, error) {
	for chunk, err := range c.Stream(ctx, req) {
		if err != nil {
			if e, ok := errors.AsType[*llm.Error](err); ok {
				a.wasted = e.Usage // of all attempts
			}
			return llm.Reply{}, err
		}
		switch chunk := chunk.(type) {
		case llm.Reply:
			if chunk.Finish == llm.FinishError || chunk.Finish == llm.FinishAborted {
				a.wasted = a.wasted.Plus(chunk.Usage)
				return llm.Reply{}, &llm.Error{Kind: llm.ErrIncomplete, Message: "the reply ended with " + string(chunk.Finish), Usage: a.wasted}
			}
			return chunk, nil
		case llm.Restart:
			a.count(chunk.Cause)
			a.reader = reader{form: a.reader.form}
		case llm.RetryNotice:
			a.count(chunk.Cause)
		case llm.TextDelta:
			if !a.hear(string(chunk)) {
				return llm.Reply{}, errLeft
			}
		}
	}
	return llm.Reply{}, &llm.Error{Kind: llm.ErrNoReply, Message: "the client's stream ended without a reply and without an error"}
}

func (a *asking) count(e *llm.Error) {
	if e != nil {
		a.wasted = a.wasted.Plus(e.Usage)
	}
}

// hear tells of the tasks that a piece of the reply completes.
func (a *asking) hear(delta string) bool {
	if a.tell == nil {
		return true
	}
	for _, t := range a.reader.read(delta) {
		if !a.tell(t) {
			return false
		}
	}
	return true
}
