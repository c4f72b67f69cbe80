package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Asker asks a client for values of type T, and asks again where a reply is
// none. Set [Request.Format] to the schema of T where the client may know it;
// the check is [Decode] in any case.
type Asker[T any] struct {
	Client Client

	// Retries is how often it is asked again at most; nil is 1, 0 is never.
	Retries *int

	// Feedback is what the model is told of a reply that is no T, after the
	// reply itself. {fault} stands for what is wrong. Empty is [DefaultFeedback].
	Feedback string
}

// DefaultFeedback tells a model that its reply was not of the form asked for.
const DefaultFeedback = "Your reply could not be read: {fault}\nReply again with the one JSON value asked for and nothing else: no other text, no code fence."

// Ask returns the value and the usage of all its requests, also of those that
// failed and of those that a [Retry] below made again. The usage is right with
// an error, too. The error is the last [*DecodeError], or the client's.
//
// A refusal is not asked again.
func (a Asker[T]) Ask(ctx context.Context, req Request) (T, Usage, error) {
	var none T
	var spent Usage
	left := 1
	if a.Retries != nil {
		left = *a.Retries
	}
	if left < 0 {
		return none, spent, &Error{Kind: ErrNotAllowed, Message: fmt.Sprintf("asking again %d times: Retries may not be negative", left)}
	}
	for ; ; left-- {
		reply, wasted, err := Read(ctx, a.Client, req, nil)
		spent = spent.Plus(wasted).Plus(reply.Usage)
		if err != nil {
			return none, spent, err
		}
		value, err := Decode[T](reply)
		if err == nil {
			return value, spent, nil
		}
		if left == 0 || errors.Is(err, ErrRefused) {
			return none, spent, err
		}
		req.Messages = append(slices.Clip(req.Messages), a.again(reply, err)...)
	}
}

// again says what was wrong. Of the reply only the text goes back: calls have
// no results here, and a message without text and calls is never sent.
func (a Asker[T]) again(reply Reply, err error) []Message {
	fault := err.Error()
	if e, ok := errors.AsType[*DecodeError](err); ok {
		fault = e.Fault()
	}
	feedback := a.Feedback
	if feedback == "" {
		feedback = DefaultFeedback
	}
	said := Message{User, FromFeedback, Parts{Text(strings.ReplaceAll(feedback, "{fault}", fault))}}
	text := reply.Message.Text()
	if text == "" {
		return []Message{said}
	}
	return []Message{AssistantText(text), said}
}
