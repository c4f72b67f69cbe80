package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Skilled loads the skill that the prompt is about, and then makes the calls
// that its text shows, one a turn, and tells what each gave.
func Skilled(h History) (llmtest.Answer, bool) {
	if !h.Offers("load_skill") {
		return llmtest.Answer{}, false
	}
	name := fitting(h)
	if name == "" {
		return llmtest.Text("None of the skills is about that."), true
	}
	text, loaded := h.Result("load_skill")
	if !loaded {
		return h.call("There is a skill for that.", "load_skill", map[string]string{"name": name}), true
	}
	says := []string{"By the skill " + name + ":"}
	for _, m := range shown.FindAllStringSubmatch(text.Text, -1) {
		u := use{m[1], json.RawMessage(m[2])}
		if result, made := h.made(u); !made {
			return h.calls("I follow the skill.", []use{u}), true
		} else if found := strings.TrimSpace(result.Text); u.tool == "grep" {
			says = append(says, firstLines(found))
		} else {
			says = append(says, fmt.Sprintf("%s: %s", u.tool, firstLine(found)))
		}
	}
	return llmtest.Text(strings.Join(says, "\n")), true
}

// firstLines keeps the lines that somebody reads.
func firstLines(text string) string {
	const most = 25
	lines := strings.Split(text, "\n")
	if n := len(lines) - most; n > 0 {
		lines = append(lines[:most], fmt.Sprintf("… and %d more lines", n))
	}
	return strings.Join(lines, "\n")
}

var (
	entry = regexp.MustCompile(`(?m)^- ([a-z0-9-]+): `)     // of the catalogue
	shown = regexp.MustCompile("`([a-z_]+) (\\{[^`]*\\})`") // a call, in a skill's text
)

// fitting returns the skill of the catalogue that the prompt has a word of.
func fitting(h History) string {
	for _, m := range entry.FindAllStringSubmatch(h.System, -1) {
		for word := range strings.SplitSeq(m[1], "-") {
			if len(word) > 4 && h.says(word) {
				return m[1]
			}
		}
	}
	return ""
}
