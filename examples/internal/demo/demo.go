// Package demo is the model of the examples where no other is named. It reads
// the history, calls the tools that it is offered, and answers from what their
// results say, by a few rules that anybody can read. It needs no key and no
// network, and is the same every time.
package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// A Rule answers the histories that it fits. It is pure: the same history gets
// the same answer, so a run that is opened again goes on as it would have.
type Rule func(h History) (answer llmtest.Answer, fits bool)

// New returns a client that answers by the first rule that fits. Where none does
// it reports what it saw last, as after a limit, or says that none fits.
func New(rules ...Rule) llm.Client {
	return llmtest.Func(func(req llm.Request) llmtest.Answer {
		h := History{req}
		for _, rule := range rules {
			if answer, fits := rule(h); fits {
				return answer
			}
		}
		if seen := h.last(); seen != "" {
			return llmtest.Text("I am not done. Last I saw: " + firstLine(seen))
		}
		return llmtest.Text("I am the demo model of the examples, and no rule of mine fits “" + h.Prompt() + "”.")
	})
}

// A History is a request, as the rules look at it.
type History struct{ llm.Request }

// Prompt returns what the user said last.
func (h History) Prompt() string {
	if m := h.exchange(); len(m) > 0 {
		return m[0].Text()
	}
	return ""
}

// Offers tells whether the tool can be called.
func (h History) Offers(tool string) bool {
	return h.Choice != llm.ChoiceNone && slices.ContainsFunc(h.Tools, func(t llm.Spec) bool { return t.Name == tool })
}

// Result returns the latest result of the tool since the prompt, and whether
// there is one.
func (h History) Result(tool string) (result llm.ToolResult, found bool) {
	if all := h.results(tool); len(all) > 0 {
		return all[len(all)-1], true
	}
	return result, false
}

// results returns the results of the tool since the prompt, the oldest first.
func (h History) results(tool string) (all []llm.ToolResult) {
	names := make(map[string]string) // by call
	for _, m := range h.exchange() {
		for _, c := range m.Calls() {
			names[c.ID] = c.Name
		}
		for _, r := range m.Results() {
			if r.Name == tool || names[r.CallID] == tool {
				all = append(all, r)
			}
		}
	}
	return all
}

// last returns the text of the latest call since the prompt that went well, or "".
func (h History) last() (text string) {
	for _, m := range h.exchange() {
		for _, r := range m.Results() {
			if !r.Failed {
				text = r.Text
			}
		}
	}
	return text
}

// made returns the result of this very call, by tool and arguments, since the
// prompt, and whether there is one.
func (h History) made(u use) (result llm.ToolResult, found bool) {
	arguments, err := json.Marshal(u.arguments)
	if err != nil {
		return result, false // and to make it says why
	}
	wanted := make(map[string]bool) // ids of such calls
	for _, m := range h.exchange() {
		for _, c := range m.Calls() {
			wanted[c.ID] = c.Name == u.tool && c.Arguments == string(arguments)
		}
		for _, r := range m.Results() {
			if wanted[r.CallID] {
				result, found = r, true
			}
		}
	}
	return result, found
}

// call returns an answer that says text and makes one call of the tool.
// Arguments are anything that encodes as a JSON object.
func (h History) call(text, tool string, arguments any) llmtest.Answer {
	return h.calls(text, []use{{tool, arguments}})
}

// A use is a call to be made.
type use struct {
	tool      string
	arguments any
}

// calls returns an answer that says text and makes these calls. Their ids are
// new in the history.
func (h History) calls(text string, uses []use) llmtest.Answer {
	made := 0
	for _, m := range h.Messages {
		made += len(m.Calls())
	}
	answers := []llmtest.Answer{llmtest.Text(text)}
	for i, u := range uses {
		arguments, err := json.Marshal(u.arguments)
		if err != nil {
			return llmtest.Fail(fmt.Errorf("demo: encoding the arguments of %s: %w", u.tool, err))
		}
		answers = append(answers, llmtest.Call(fmt.Sprintf("call_%d", made+i+1), u.tool, string(arguments)))
	}
	return llmtest.Calls(answers...)
}

// exchange returns the user's last message and all that came after it.
// Reminders and feedback are user messages too, but not the user's.
func (h History) exchange() []llm.Message {
	for i, m := range slices.Backward(h.Messages) {
		if m.Role == llm.User && (m.Origin == llm.FromUser || m.Origin == "") {
			return h.Messages[i:]
		}
	}
	return nil
}

// says tells whether the prompt holds one of the words, in any case.
func (h History) says(words ...string) bool {
	prompt := strings.ToLower(h.Prompt())
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(prompt, w) })
}
