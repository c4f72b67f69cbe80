package openai

import (
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// between parts texts that are joined.
const between = "\n\n"

// goOn is the user's turn where a strict receiver wants one and there is none.
const goOn = "(go on)"

// gather takes the system text out of a history and joins it to the standing
// instructions, in order (LLM-15, B058).
func gather(system string, messages []llm.Message) (string, []llm.Message) {
	var texts []string
	if system != "" {
		texts = append(texts, system)
	}
	rest := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		if m.Role != llm.System {
			rest = append(rest, m)
		} else if text := m.Text(); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, between), rest
}

// alternates tells whether a role may follow another at a strict receiver.
func alternates(before, role llm.Role) bool {
	switch role {
	case llm.User:
		return before != llm.User
	case llm.Assistant:
		return before == llm.User || before == llm.Tool
	}
	return true
}

// alternate returns a repaired history as a strict receiver wants it: no two
// user messages in a row (their parts are joined), and between two assistant
// messages, which are never joined (B055), and before a first one, a word from
// the user. Images that results may not hold are user messages too.
func (f form) alternate(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	before := llm.System
	add := func(m llm.Message) {
		switch {
		case !says(m):
			return
		case m.Role == llm.User && before == llm.User:
			last := &out[len(out)-1]
			*last = llm.Message{Role: llm.User, Origin: last.Origin, Parts: joined(last.Parts, m.Parts)}
			return
		case !alternates(before, m.Role):
			out = append(out, llm.UserText(goOn))
		}
		out = append(out, m)
		before = m.Role
	}
	for _, m := range messages {
		if m.Role != llm.Tool || !f.lifts() {
			add(m)
			continue
		}
		results, images := f.lift(m)
		if len(images.Parts) > 0 {
			m = llm.Results(results...)
		}
		add(m)
		add(images)
	}
	return out
}

// joined returns both lists of parts, with a blank line where text meets text.
func joined(a, b llm.Parts) llm.Parts {
	out := slices.Clone(a)
	if len(a) > 0 && len(b) > 0 {
		_, before := a[len(a)-1].(llm.Text)
		if _, after := b[0].(llm.Text); before && after {
			out = append(out, llm.Text(between))
		}
	}
	return append(out, b...)
}

// told returns a repaired history with its calls and results as plain text, for
// a receiver that takes neither without a list of tools (LLM-E13).
func told(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		if calls := m.Calls(); len(calls) > 0 {
			var b strings.Builder
			b.WriteString(strings.TrimSpace(m.Text()))
			for _, c := range calls {
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				b.WriteString("[Called " + toolName(c.Name) + " with " + arguments(c.Arguments) + "]")
			}
			m = llm.Message{Role: llm.Assistant, Origin: m.Origin, Parts: llm.Parts{llm.Text(b.String())}}
		} else if m.Role == llm.Tool {
			parts := llm.Parts{}
			for _, r := range m.Results() {
				parts = joined(parts, toldResult("Result", " of ", r))
			}
			m = llm.Message{Role: llm.User, Origin: m.Origin, Parts: parts}
		}
		out = append(out, m)
	}
	return out
}
