package flow

import (
	"reflect"
	"strings"
)

// Texts are the words in which a router speaks to models. A field that is
// empty stands for the English text. Words in braces are filled in.
type Texts struct {
	Escalate       string // the description of escalate_to_plan
	EscalateReason string // of its parameter
	Escalated      string // its result, and the last message of a run that called it

	Handover   string // {prompt}, {reason}, {findings}: the prompt of the plan then
	Before     string // {prompt}, {answer}; before a prompt of a plan or a team, what came before it
	Meanwhile  string // {mode}, {prompt}, {answer}; before a prompt of react, what others did since
	NoFindings string
	NoAnswer   string
}

var english = Texts{
	Escalate: "Hands the task over to a planner, who breaks it into steps and has them done. Call it, and nothing else in that turn, " +
		"when you see that the task is larger than it looked: several steps that depend on each other and can be named now. " +
		"What you have found is passed on.",
	EscalateReason: "Why a plan is needed, and which steps you see.",
	Escalated:      "The task is handed over to a planner.",
	Handover: "{prompt}\n\nAn agent has begun with this and asks for a plan:\n{reason}\n\n" +
		"What it found, the latest last; it need not be found again:\n{findings}",
	Before:     "Earlier in this conversation the user said:\n{prompt}\nand the answer was:\n{answer}\n\nNow the user says:\n",
	Meanwhile:  "(Meanwhile a {mode} has done this for the user: {prompt}\nIts answer: {answer})\n\n",
	NoFindings: "(nothing yet)",
	NoAnswer:   "(none)",
}

// complete returns t with the English words where it has none.
func (t Texts) complete() Texts {
	v, words := reflect.ValueOf(&t).Elem(), reflect.ValueOf(english)
	for i := range v.NumField() {
		if f := v.Field(i); f.String() == "" {
			f.Set(words.Field(i))
		}
	}
	return t
}

func (r *Router) words() Texts { return r.Texts.complete() }

// brief is what a mode is told of a prompt.
func (t Texts) brief(s *state, m Mode) string {
	var before strings.Builder
	if m == React {
		for _, x := range s.unheard {
			before.WriteString(fill(t.Meanwhile, "mode", string(x.mode), "prompt", head(x.prompt), "answer", t.answer(x)))
		}
	} else if s.latest.prompt != "" {
		before.WriteString(fill(t.Before, "prompt", head(s.latest.prompt), "answer", t.answer(s.latest)))
	}
	return before.String() + s.prompts[0]
}

func (t Texts) answer(x exchange) string {
	if x.text == "" {
		return t.NoAnswer
	}
	return head(x.text)
}

// handover is what a plan is told that goes on where react has ended.
func (t Texts) handover(s *state, reason string, findings []string) string {
	found := strings.Join(findings, "\n")
	if found == "" {
		found = t.NoFindings
	}
	return fill(t.Handover, "prompt", t.brief(s, Plan), "reason", reason, "findings", found)
}

// fill puts values in the place of the words in braces: name, value, name, value …
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
