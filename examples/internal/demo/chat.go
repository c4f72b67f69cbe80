package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// Chat looks at a folder as React does, as slowly as a person types, so that
// there is time to say something meanwhile. What was said is answered too.
func Chat(h History) (llmtest.Answer, bool) {
	answer, fits := React(h)
	if !fits {
		return answer, false
	}
	if n := h.said(); n > 1 && answer.Reply.Message.Calls() == nil {
		text := fmt.Sprintf("You said %d things by now, the last one “%s”.\n", n, h.Prompt())
		answer = llmtest.Text(text + answer.Reply.Message.Text())
	}
	answer.Delay = typing
	return answer, true
}

const typing = 40 * time.Millisecond // a word

// said counts what the user said.
func (h History) said() (n int) {
	for _, m := range h.Messages {
		if m.Role == llm.User && (m.Origin == llm.FromUser || m.Origin == "") && strings.TrimSpace(m.Text()) != "" {
			n++
		}
	}
	return n
}
