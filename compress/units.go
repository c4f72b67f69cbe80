package compress

import (
	"slices"

	"github.com/triad-go/triad/llm"
)

// A unit is what is never parted: an assistant message with its results, or any
// other message by itself.
type unit struct {
	from, to int  // messages
	tokens   int  // raw
	starts   bool // a message of the user, which starts an exchange
	speaks   bool // an assistant message
}

// units parts messages, beginning with one.
func (w *work) units(begin int) (all []unit) {
	for i := begin; i < len(w.messages); {
		m := w.messages[i]
		u := unit{from: i, to: i + 1, starts: fromUser(m), speaks: m.Role == llm.Assistant}
		for u.to < len(w.messages) && w.messages[u.to].Role == llm.Tool {
			u.to++
		}
		for k := u.from; k < u.to; k++ {
			u.tokens += w.size(k)
		}
		all, i = append(all, u), u.to
	}
	return all
}

// fromUser tells whether a message starts an exchange. Reminders, nudges,
// feedback, answers and summaries have the role of a user too, and do not.
func fromUser(m llm.Message) bool {
	return m.Role == llm.User && (m.Origin == llm.FromUser || m.Origin == "")
}

// mended returns messages in which each call has its one result in order, and
// no result is without its call. Of a sound history nothing is copied.
func (w *work) mended(messages []llm.Message) (sound []llm.Message, changed bool) {
	for i := 0; i < len(messages); {
		to := i + 1
		for to < len(messages) && messages[to].Role == llm.Tool {
			to++
		}
		results, ok := w.answers(messages[i:to])
		if !ok && !changed {
			sound, changed = slices.Clone(messages[:i]), true
		}
		if changed {
			if messages[i].Role != llm.Tool {
				sound = append(sound, messages[i])
			}
			sound = append(sound, results...)
		}
		i = to
	}
	if !changed {
		sound = messages
	}
	return sound, changed
}

// answers returns the messages with the results of a unit, and whether they
// are as they were.
func (w *work) answers(unit []llm.Message) (results []llm.Message, ok bool) {
	calls := unit[0].Calls()
	given := unit[1:]
	if unit[0].Role == llm.Tool {
		return nil, false
	}
	var all []llm.ToolResult
	for _, m := range given {
		all = append(all, m.Results()...)
	}
	if slices.EqualFunc(calls, all, func(c llm.ToolCall, r llm.ToolResult) bool { return c.ID == r.CallID }) {
		return given, true
	}
	if len(calls) == 0 {
		return nil, false
	}
	parts := make(llm.Parts, len(calls))
	for i, c := range calls {
		parts[i] = llm.ToolResult{CallID: c.ID, Name: c.Name, Text: w.texts().Missing, Failed: true}
		if k := slices.IndexFunc(all, func(r llm.ToolResult) bool { return r.CallID == c.ID }); k >= 0 {
			parts[i] = all[k]
		}
	}
	return []llm.Message{{Role: llm.Tool, Origin: llm.FromTool, Parts: parts}}, false
}
