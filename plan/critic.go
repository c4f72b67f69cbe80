package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A Critic judges the results of a research. Why is its feedback, from which
// the next round is planned. An error says that it could not judge; it is asked
// once more then. What it has spent is right with an error, too.
type Critic interface {
	Judge(ctx context.Context, s State) (Judged, error)
}

// CriticFunc makes a function a [Critic].
type CriticFunc func(ctx context.Context, s State) (Judged, error)

// Judge implements [Critic].
func (f CriticFunc) Judge(ctx context.Context, s State) (Judged, error) { return f(ctx, s) }

// A ModelCritic asks a model for a verdict: a reply that is one JSON object, as
// [Object] reads it, of which only "passed": true passes. Only Client is needed.
type ModelCritic struct {
	Client  llm.Client
	Request llm.Request // what the request has beside instructions, messages and format
	Prices  budget.Prices
	Texts   Texts
}

// ErrNoVerdict is the error of a critic whose reply is no verdict. It is wrapped
// with what is wrong.
var ErrNoVerdict = errors.New("plan: the reply is no verdict")

var verdictSchema = json.RawMessage(`{"type":"object","properties":{"passed":{"type":"boolean"},"feedback":{"type":"string"}},"required":["passed","feedback"],"additionalProperties":false}`)

// Judge implements [Critic].
func (c *ModelCritic) Judge(ctx context.Context, s State) (Judged, error) {
	words, req := c.Texts.complete(), c.Request
	if req.System == "" {
		req.System = words.Critic
	}
	results := words.list(s.completed()) + words.missing(&s)
	req.Messages = []llm.Message{llm.UserText(fill(words.CriticTask, "goal", s.Goal(), "results", results))}
	if llm.DialectOf(c.Client).Format {
		req.Format = &llm.Format{Name: "verdict", Schema: verdictSchema}
	}
	var a asking
	reply, err := a.ask(ctx, c.Client, req)
	used := reply.Usage.Plus(a.wasted)
	v := Judged{Spent: budget.Spent{Turns: 1, Review: used, Cost: c.Prices.Cost(used, reply.Model, llm.DialectOf(c.Client).Model)}}
	if err != nil {
		return v, fmt.Errorf("plan: asking the critic: %w", err)
	}
	v.Pass, v.Why, err = verdict(reply)
	return v, err
}

// verdict reads a critic's reply. No words are searched for, and one that was cut
// or refused is no verdict, whatever it says.
func verdict(reply llm.Reply) (passed bool, feedback string, err error) {
	switch reply.Finish {
	case llm.FinishLength:
		return false, "", fmt.Errorf("%w: it was cut by the output limit", ErrNoVerdict)
	case llm.FinishRefused:
		return false, "", fmt.Errorf("%w: the model refused", ErrNoVerdict)
	}
	members, err := Object(reply.Message.Text())
	if err != nil {
		return false, "", fmt.Errorf("%w: %w", ErrNoVerdict, err)
	}
	switch string(members["passed"]) {
	case "true":
		passed = true
	case "false":
	case "":
		return false, "", fmt.Errorf("%w: \"passed\" is missing", ErrNoVerdict)
	default:
		return false, "", fmt.Errorf("%w: \"passed\" must be the boolean true or false", ErrNoVerdict)
	}
	if f := members["feedback"]; !isNull(f) && json.Unmarshal(f, &feedback) != nil {
		return false, "", fmt.Errorf("%w: the feedback is no text", ErrNoVerdict)
	}
	return passed, feedback, nil
}
