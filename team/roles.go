package team

import (
	"encoding/json"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// form is how a team's planner's reply is read: "steps", else "tasks".
var form = plan.Form{Lists: []string{"steps", "tasks"}, Prefix: "step_"}

// NewPlanner returns the default planner of a team. It has no tools. Its tasks
// are named step_1, step_2 …
func NewPlanner(client llm.Client) *plan.ModelPlanner {
	return asPlanner(plan.NewPlanner(client), builtIn())
}

// asPlanner returns p as a team's: with the team's instructions and form, where
// it has none of its own.
func asPlanner(p *plan.ModelPlanner, files *prompt.Files) *plan.ModelPlanner {
	own := *p
	if own.Request.System == "" {
		own.Request.System = files.Text(prompt.TeamPlanner)
	}
	if own.Form.Lists == nil && own.Form.Prefix == "" {
		own.Form.Lists, own.Form.Prefix = form.Lists, form.Prefix
	}
	return &own
}

// NewWorker returns the default worker of a team: a loop with the tools, as many
// as are wanted, each with a name of its own.
func NewWorker(name string, client llm.Client, tools *tool.Registry) *agent.Loop {
	return newWorker(name, client, tools, builtIn())
}

func newWorker(name string, client llm.Client, tools *tool.Registry, files *prompt.Files) *agent.Loop {
	return &agent.Loop{Name: name, Client: client, Tools: tools, Prompt: &prompt.Source{Files: files, Mode: prompt.TeamWorker}}
}

// NewReviewer returns the default reviewer of a team: a loop without tools that
// answers with a [Verdict], in the form that its instructions give. It asks no
// more often than it must: an empty reply is a review that failed.
func NewReviewer(client llm.Client) *agent.Loop { return newReviewer(client, builtIn()) }

func newReviewer(client llm.Client, files *prompt.Files) *agent.Loop {
	r := &agent.Loop{Name: "reviewer", Client: client, Instructions: files.Text(prompt.TeamReviewer), NoNudge: true, NoWrapUp: true}
	if llm.DialectOf(client).Format {
		r.Request.Format = &llm.Format{Name: "verdict", Schema: verdictSchema}
	}
	return r
}

// verdictSchema is the form of a verdict as providers take it: strict ones want
// every member to be required.
var verdictSchema = json.RawMessage(strings.Join([]string{
	`{"type":"object","properties":{"approved":{"type":"boolean"},"summary":{"type":"string"}`,
	`"issues":{"type":"array","items":{"type":"string"}},"suggestions":{"type":"array","items":{"type":"string"}}}`,
	`"required":["approved","summary","issues","suggestions"],"additionalProperties":false}`,
}, ","))

// builtIn returns the built-in prompt files, which a test shows to be right.
func builtIn() *prompt.Files {
	files, err := prompt.Load()
	if err != nil {
		return &prompt.Files{}
	}
	return files
}
