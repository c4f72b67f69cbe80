package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/triad-go/triad/tool"
)

// AskHuman returns the tool by which a model asks a person. It pauses the run;
// the answer is the result.
func AskHuman() tool.Tool {
	type in struct {
		Question string   `json:"question" jsonschema_description:"What you must know, in one sentence."`
		Context  string   `json:"context,omitempty" jsonschema_description:"What the person needs to answer it."`
		Urgency  string   `json:"urgency,omitempty" jsonschema:"enum=low,enum=medium,enum=high"`
		Form     string   `json:"form,omitempty" jsonschema:"enum=text,enum=yes_no,enum=choice" jsonschema_description:"The form of the answer; text if left out."`
		Choices  []string `json:"choices,omitempty" jsonschema_description:"For the form choice: what may be answered."`
	}
	t := tool.NewWithCall("ask_human",
		"Asks a person, and waits for the answer, which may take long. Use it only for what you can't find out and must not guess.",
		func(_ context.Context, call tool.Call, in in) (string, error) {
			if call.Answer != "" {
				return call.Answer, nil
			}
			if blank(in.Question) {
				return "", errors.New("question: must not be empty")
			}
			p := &tool.Pause{Question: in.Question, Urgency: in.Urgency}
			if in.Context != "" {
				p.Question += "\n\n" + in.Context
			}
			switch in.Form {
			case "yes_no":
				p.Choices = []string{"yes", "no"}
			case "choice":
				if len(in.Choices) < 2 || slices.ContainsFunc(in.Choices, blank) {
					return "", errors.New("choices: a choice needs two or more, none of them blank")
				}
				p.Choices = in.Choices
			}
			return "", p
		}, tool.ReadOnly)
	t.Limit = tool.Unlimited
	return t
}
