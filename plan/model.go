package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A ModelPlanner asks a model for the plan. A plan that is not valid goes back
// with the whole list of its faults. Make one with [NewPlanner]; all but Client
// is optional.
//
// The model is to give one JSON object, which may stand in a fence or between
// sentences:
//
//	{"tasks": [
//		{"id": "1", "description": "Find the failing test."},
//		{"id": "2", "description": "Mend it.", "dependencies": ["1"]}
//	]}
//
// [Form.Parse] has all of the form. The tasks are named task_1 and task_2 then.
type ModelPlanner struct {
	Client llm.Client

	// Repairs is how often the model may mend a plan; nil is 2, 0 is never.
	Repairs *int

	// Request holds what each request has beside instructions, messages and
	// format: effort, temperature, a bound for the reply.
	Request llm.Request

	// Form says how replies are read; ids, known ones and tools are filled in.
	Form Form

	// Prices say what tokens cost; nil counts no cost.
	Prices budget.Prices

	// Texts are the words in which it speaks; the zero Texts is English.
	Texts Texts
}

// NewPlanner returns a planner that asks the client's model. [ModelPlanner]
// shows what such a model, or a client that stands for one in a test, is to say.
func NewPlanner(client llm.Client) *ModelPlanner { return &ModelPlanner{Client: client} }

const defaultRepairs = 2

// Plan implements [Planner]. The error is an [*InvalidError] where the last
// reply was no valid plan, or the client's.
func (p *ModelPlanner) Plan(ctx context.Context, b Brief) (Proposal, error) {
	return p.PlanEarly(ctx, b, nil)
}

// PlanEarly implements [EarlyPlanner].
func (p *ModelPlanner) PlanEarly(ctx context.Context, b Brief, found func(Task) bool) (Proposal, error) {
	var made Proposal
	if err := p.Validate(); err != nil {
		return made, fmt.Errorf("plan: asking the planner: %w", err)
	}
	repairs := or(p.Repairs, defaultRepairs)
	form, req := p.form(b), p.request(b)
	for try := 0; ; try++ {
		a := asking{tell: found, reader: reader{form: form}}
		reply, err := a.ask(ctx, p.Client, req)
		made.Spent.Turns++
		made.Spent.Main, made.Spent.Retry = made.Spent.Main.Plus(reply.Usage), made.Spent.Retry.Plus(a.wasted)
		made.Spent.Cost += p.Prices.Cost(reply.Usage.Plus(a.wasted), reply.Model, llm.DialectOf(p.Client).Model)
		if err != nil {
			return made, fmt.Errorf("plan: asking the planner: %w", err)
		}
		made.Reply = reply.Message.Text()
		made.Tasks, err = parse(form, reply)
		if err == nil {
			return made, nil
		}
		if try == repairs {
			return made, err
		}
		req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], p.again(made.Reply, err)...)
	}
}

// parse reads a reply. One that was cut or refused is no plan, whatever it says.
func parse(form Form, reply llm.Reply) ([]Task, error) {
	switch reply.Finish {
	case llm.FinishLength:
		return nil, &InvalidError{[]Fault{{Kind: NoPlan, Detail: "the reply was cut by the output limit; make a shorter plan"}}}
	case llm.FinishRefused:
		return nil, &InvalidError{[]Fault{{Kind: NoPlan, Detail: "the model refused"}}}
	}
	return form.Parse(reply.Message.Text())
}

func (p *ModelPlanner) form(b Brief) Form {
	f := p.Form
	f.Given = b.Given
	for _, t := range b.Completed {
		f.Known = append(f.Known[:len(f.Known):len(f.Known)], t.ID)
	}
	for _, t := range b.Tools {
		f.Tools = append(f.Tools[:len(f.Tools):len(f.Tools)], t.Name)
	}
	return f
}

func (p *ModelPlanner) request(b Brief) llm.Request {
	words, req := p.Texts.complete(), p.Request
	instructions := req.System
	if instructions == "" {
		instructions = words.Planner
	}
	if p.Form.Ordered {
		instructions += words.Ordered
	}
	if len(b.Tools) > 0 {
		var tools strings.Builder
		for _, t := range b.Tools {
			fmt.Fprintf(&tools, "- %s: %s Arguments: %s\n", t.Name, t.Description, t.Schema)
		}
		instructions += fill(words.ToolTasks, "tools", tools.String())
	}
	if b.Remember != "" {
		instructions += fill(words.Remember, "text", b.Remember)
	}
	req.System = instructions
	req.Messages = []llm.Message{llm.UserText(words.brief(b))}
	if len(b.Tools) == 0 && llm.DialectOf(p.Client).Format {
		req.Format = &llm.Format{Name: "plan", Schema: p.schema()}
	}
	return req
}

// brief is what a planner is told as a message.
func (t *Texts) brief(b Brief) string {
	parts := []string{b.Goal}
	switch {
	case b.Summary != "":
		parts = append(parts, t.Done, b.Summary)
	case len(b.Completed) > 0:
		parts = append(parts, t.Done, t.list(b.Completed))
	}
	if len(b.Failed) > 0 {
		parts = append(parts, t.NotDone, t.list(b.Failed))
	}
	if b.Feedback != "" {
		parts = append(parts, fill(t.Feedback, "text", b.Feedback))
	} else if len(parts) > 1 {
		parts = append(parts, t.Replan)
	}
	return strings.Join(parts, "\n\n")
}

// again says what was wrong with a plan, in one message.
func (p *ModelPlanner) again(reply string, err error) []llm.Message {
	faults := err.Error()
	if e, ok := errors.AsType[*InvalidError](err); ok {
		lines := make([]string, len(e.Faults))
		for i, f := range e.Faults {
			lines[i] = "- " + f.String()
		}
		faults = strings.Join(lines, "\n")
	}
	words := p.Texts.complete()
	said := llm.Message{Role: llm.User, Origin: llm.FromFeedback, Parts: llm.Parts{llm.Text(fill(words.BadPlan, "faults", faults))}}
	if strings.TrimSpace(reply) == "" {
		return []llm.Message{said}
	}
	return []llm.Message{llm.AssistantText(reply), said}
}

// schema is the form of a plan as providers take it: strict ones want every
// member to be required.
func (p *ModelPlanner) schema() json.RawMessage {
	type obj = map[string]any
	text := obj{"type": "string"}
	members, required := obj{"id": text, "description": text}, []string{"id", "description"}
	if p.Form.Ordered {
		members["order"], required = obj{"type": "integer"}, append(required, "order")
	} else {
		members["dependencies"], required = obj{"type": "array", "items": text}, append(required, "dependencies")
	}
	task := obj{"type": "object", "properties": members, "required": required, "additionalProperties": false}
	list := p.Form.lists()[0]
	return encode(obj{
		"type": "object", "required": []string{list}, "additionalProperties": false,
		"properties": obj{list: obj{"type": "array", "items": task}},
	})
}
