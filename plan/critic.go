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

// A ModelCritic asks a model for a verdict: one JSON object, of which only
// "passed": true passes. Only Client is needed.
type ModelCritic struct {
	Client  llm.Client
	Request llm.Request // what the request has beside instructions, messages and format
	Prices  budget.Prices
	Texts   Texts
}

// ErrNoVerdict is the error of a critic whose reply is no verdict.
var ErrNoVerdict = errors.New("the reply is no verdict")

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
	price, _ := c.Prices.Of(reply.Model)
	v := Judged{Spent: budget.Spent{Turns: 1, Review: used, Cost: price.Cost(used)}}
	if err != nil {
		return v, fmt.Errorf("plan: asking the critic: %w", err)
	}
	v.Pass, v.Why, err = verdict(reply)
	return v, err
}

// verdict reads a critic's reply. No words are searched for.
func verdict(reply llm.Reply) (passed bool, feedback string, err error) {
	text, faults := find(reply.Message.Text(), []string{"passed"})
	if len(faults) == 0 {
		repeats(text, &faults)
	}
	var members map[string]json.RawMessage // whose names are compared exactly
	var pass *bool
	if len(faults) > 0 || json.Unmarshal([]byte(text), &members) != nil || json.Unmarshal(members["passed"], &pass) != nil ||
		pass == nil || reply.Finish == llm.FinishLength {
		return false, "", fmt.Errorf("plan: asking the critic: %w", ErrNoVerdict)
	}
	if f := members["feedback"]; !isNull(f) && json.Unmarshal(f, &feedback) != nil {
		return false, "", fmt.Errorf("plan: asking the critic: %w: the feedback is no text", ErrNoVerdict)
	}
	return *pass, feedback, nil
}
