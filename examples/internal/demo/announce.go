package demo

import (
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Announce announces what the prompt says, once, and tells what came of it.
func Announce(h History) (llmtest.Answer, bool) {
	if !h.Offers("announce") {
		return llmtest.Answer{}, false
	}
	result, made := h.Result("announce")
	switch {
	case !made:
		text := strings.TrimPrefix(h.Prompt(), "Announce that ")
		return h.call("I tell everybody.", "announce", map[string]string{"text": text}), true
	case result.Failed:
		return llmtest.Text("It was not announced: " + firstLine(result.Text)), true
	}
	return llmtest.Text(fmt.Sprintf("It is announced (%s).", lastLine(result.Text))), true
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
