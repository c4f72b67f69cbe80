package demo

import (
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Outline answers what begins with "Outline a report" with titles of sections.
func Outline(h History) (llmtest.Answer, bool) {
	topic, asked := strings.CutPrefix(h.Prompt(), "Outline a report: ")
	if !asked {
		return llmtest.Answer{}, false
	}
	titles := []string{"What is here", "What it begins with"}
	if strings.Contains(topic, "go.mod") {
		titles[1] = "What go.mod says"
	}
	return llmtest.Text(strings.Join(titles, "\n")), true
}
