package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Team plays all roles of a team.Orchestrator: it plans two documents and a
// look at them, writes them, and reviews what was written by what the task asks
// for. The first draft of the guide forgets the example.
func Team(h History) (llmtest.Answer, bool) {
	if len(h.Messages) == 0 {
		return llmtest.Answer{}, false
	}
	told := h.Messages[0].Text() // before what a review asks for
	switch {
	case strings.Contains(h.System, "You break a goal into tasks"):
		return h.plans([]step{
			{ID: "guide", Description: "Write guide.md. It must have a title and an example."},
			{ID: "questions", Description: "Write questions.md. It must have a title."},
			{ID: "read", Description: "Read both and say what there is.", Dependencies: []string{"guide", "questions"}},
		}), true
	case strings.Contains(h.System, "You review"):
		return verdictOn(told), true
	}
	_, does, worker := strings.Cut(told, "Your task:\n")
	switch {
	case !worker:
		return llmtest.Answer{}, false
	case strings.HasPrefix(does, "Write guide.md"):
		text := "# Guide to " + subject(told) + "\n\nBuild it, then run it.\n"
		if h.says("example") && h.says("approve") { // the reviewer's words
			text += "\n## Example\n\n    make && ./" + subject(told) + "\n"
		}
		return h.write("guide.md", text), true
	case strings.HasPrefix(does, "Write questions.md"):
		return h.write("questions.md", "# Questions about "+subject(told)+"\n\n- Does it need a network? No.\n"), true
	}
	return h.lookUp("grep", map[string]string{"pattern": "^#"}, func(text string) string {
		return "There is:\n" + strings.TrimSpace(text)
	}), true
}

// write writes a file, and then says what stands in it.
func (h History) write(file, text string) llmtest.Answer {
	if result, done := h.Result("write_file"); done && result.Failed {
		return llmtest.Text("I could not write " + file + ": " + firstLine(result.Text))
	} else if done {
		return llmtest.Text(file + " is written:\n" + text)
	}
	return h.call("I write it.", "write_file", map[string]string{"path": file, "content": text})
}

// verdictOn judges a result by what its task asks for.
func verdictOn(request string) llmtest.Answer {
	task, rest, _ := strings.Cut(request, "</task>")
	_, rest, _ = strings.Cut(rest, "<result>\n")
	result, _, _ := strings.Cut(rest, "\n</result>")
	issues := []string{}
	for _, must := range []struct{ have, sign string }{{"a title", "\n# "}, {"an example", "\n## Example"}} {
		if strings.Contains(task, "must have") && strings.Contains(task, must.have) && !strings.Contains(result, must.sign) {
			issues = append(issues, "It does not have "+must.have+".")
		}
	}
	data, err := json.Marshal(map[string]any{"approved": len(issues) == 0, "summary": fmt.Sprintf("%d issues", len(issues)), "issues": issues})
	if err != nil {
		return llmtest.Fail(fmt.Errorf("demo: encoding a verdict: %w", err))
	}
	return llmtest.Text(string(data))
}

var isFor = regexp.MustCompile(`\bfor ([a-z][a-z0-9_-]*)`)

// subject returns what the documents are for.
func subject(goal string) string {
	if m := isFor.FindStringSubmatch(goal); m != nil {
		return m[1]
	}
	return "demoapp"
}
