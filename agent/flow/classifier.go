package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A Classifier asks a model how a prompt is to be worked on. Its Classify is
// what [Router.Classify] wants. All but Client is optional.
type Classifier struct {
	Client llm.Client

	// Instructions are the system text; empty is the built-in file
	// modes/router.md of package prompt.
	Instructions string

	// Request holds what the request has beside text and format.
	Request llm.Request

	// Prices say what tokens cost; nil counts no cost.
	Prices budget.Prices
}

// Classify asks the model, once more if its reply can't be read. A reply that
// can't be read then is a decision without confidence, as is a refusal; the
// client's error is an error.
func (c *Classifier) Classify(ctx context.Context, text string) (Decision, error) {
	if c.Client == nil {
		return Decision{}, errors.New("flow: a classifier needs a client")
	}
	req := c.Request
	if req.System = c.Instructions; req.System == "" {
		files, err := prompt.Load()
		if err != nil {
			return Decision{}, err
		}
		req.System = files.Text(prompt.Router)
	}
	req.Messages = []llm.Message{llm.UserText(text)}
	if llm.DialectOf(c.Client).Format {
		req.Format = &llm.Format{Name: "decision", Schema: decisionSchema}
	}
	found, usage, err := llm.Asker[reply]{Client: c.Client}.Ask(ctx, req)
	d := found.Decision
	if _, unread := errors.AsType[*llm.DecodeError](err); unread || errors.Is(err, llm.ErrRefused) {
		d, err = Decision{Reason: "the classifier gave no answer that can be read: " + err.Error()}, nil
	}
	d.Spent = budget.Spent{Turns: 1, Main: usage, Cost: c.Prices.Cost(usage, llm.DialectOf(c.Client).Model)}
	if err != nil {
		return Decision{Spent: d.Spent}, fmt.Errorf("flow: classifying: %w", err)
	}
	return d, nil
}

// A reply is a decision as a model writes it.
type reply struct{ Decision }

// UnmarshalJSON implements [json.Unmarshaler]. It refuses what is no decision.
func (r *reply) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &r.Decision); err != nil {
		return err
	}
	switch d := r.Decision; {
	case d.Mode != React && d.Mode != Plan && d.Mode != Team:
		return fmt.Errorf("mode is %q, want react, plan or team", d.Mode)
	case d.Risk != "" && d.Risk != Low && d.Risk != Medium && d.Risk != High:
		return fmt.Errorf("risk is %q, want low, medium or high", d.Risk)
	case d.Confidence < 0 || d.Confidence > 1:
		return fmt.Errorf("confidence is %v, want 0 to 1", d.Confidence)
	}
	return nil
}

var decisionSchema = json.RawMessage(`{"type":"object","additionalProperties":false,` +
	`"required":["mode","confidence","reason","needs_tools","multi_step","parallel","risk"],"properties":{` +
	`"mode":{"type":"string","enum":["react","plan","team"]},"confidence":{"type":"number"},"reason":{"type":"string"},` +
	`"needs_tools":{"type":"boolean"},"multi_step":{"type":"boolean"},"parallel":{"type":"boolean"},` +
	`"risk":{"type":"string","enum":["low","medium","high"]}}}`)
