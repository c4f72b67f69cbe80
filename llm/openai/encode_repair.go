package openai

import (
	"slices"
	"strconv"

	"github.com/triad-go/triad/llm"
)

// missingResult stands in for a result that a damaged history does not have.
const missingResult = "Error: no result of this call was recorded. Whether it ran, and what it did, is not known."

// repair returns the history as it can be sent, as the last guard (LLM-29):
//
//   - each assistant message with calls is followed by one message with one
//     result a call, in the order of the calls; results that stood elsewhere are
//     moved there, missing ones get a stand-in;
//   - a result without a call, or a second one, is told as user text;
//   - an id that is empty or was used before is replaced, in call and result;
//   - what was shown of an aborted reply is left out, and so are parts that
//     their message's role can't hold.
//
// Results belong to the last message that called under their id and, under one
// id in one message, to its calls by position. Messages that are right stay the
// same values; the history passed in is not changed.
func repair(messages []llm.Message) []llm.Message {
	r := repairer{open: map[string][]*slot{}, used: map[string]bool{}}
	for _, m := range messages {
		if m.Origin == llm.FromAborted {
			continue
		}
		if m.Role == llm.Assistant {
			r.assistant(m)
			continue
		}
		r.other(m)
	}
	return r.history()
}

// A repairer goes through a history from its start.
type repairer struct {
	units []unit
	open  map[string][]*slot // by the id as stored: the calls that wait for a result
	used  map[string]bool    // ids that were given out
}

// A unit is a message and, if it has calls, their results.
type unit struct {
	message llm.Message
	slots   []*slot
	answer  llm.Message // the message that the first result came in
}

// A slot waits for the result of a call.
type slot struct {
	unit   int
	call   llm.ToolCall
	result *llm.ToolResult
}

func (r *repairer) assistant(m llm.Message) {
	results := m.Results()
	calls := m.Calls()
	fresh := map[string]bool{} // ids that this message has opened
	u := unit{message: m}
	changed := len(results) > 0
	for _, c := range calls {
		id := c.ID
		c.ID = r.distinct(id)
		changed = changed || c.ID != id
		s := &slot{unit: len(r.units), call: c}
		u.slots = append(u.slots, s)
		if !fresh[id] {
			fresh[id], r.open[id] = true, nil
		}
		r.open[id] = append(r.open[id], s)
	}
	if changed {
		u.message = withCalls(m, u.slots)
	}
	r.units = append(r.units, u)
	for _, result := range results {
		r.result(result, llm.Message{})
	}
}

// withCalls returns m with these calls in place of its own, and without results.
func withCalls(m llm.Message, slots []*slot) llm.Message {
	var parts llm.Parts
	for _, p := range m.Parts {
		switch p.(type) {
		case llm.ToolCall:
			p, slots = slots[0].call, slots[1:]
		case llm.ToolResult:
			continue
		}
		parts = append(parts, p)
	}
	return llm.Message{Role: m.Role, Origin: m.Origin, Parts: parts}
}

// distinct returns id, or one made from it if it is empty or taken.
func (r *repairer) distinct(id string) string {
	base := id
	if base == "" {
		base = "call"
	}
	for n := 2; id == "" || r.used[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	r.used[id] = true
	return id
}

// other takes a message that is not the assistant's: its results go to their
// calls, and the rest stays where it is.
func (r *repairer) other(m llm.Message) {
	var rest llm.Parts
	foreign := m.Role == llm.Tool
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.ToolResult:
			foreign = true
			r.result(p, m)
		case llm.ToolCall, llm.Reasoning:
			foreign = true
		default:
			rest = append(rest, p)
		}
	}
	switch {
	case !foreign:
		r.units = append(r.units, unit{message: m})
	case len(rest) > 0 && m.Role == llm.Tool:
		r.units = append(r.units, unit{message: llm.Message{Role: llm.User, Origin: m.Origin, Parts: rest}})
	case len(rest) > 0:
		r.units = append(r.units, unit{message: llm.Message{Role: m.Role, Origin: m.Origin, Parts: rest}})
	}
}

// result gives a result to the call that waits for it. One that no call waits
// for is told in words.
func (r *repairer) result(result llm.ToolResult, from llm.Message) {
	waiting := r.open[result.CallID]
	if len(waiting) > 0 {
		s := waiting[0]
		r.open[result.CallID] = waiting[1:]
		s.result = &result
		if u := &r.units[s.unit]; u.answer.Parts == nil {
			u.answer = from
		}
		return
	}
	r.units = append(r.units, unit{message: llm.Message{Role: llm.User, Origin: llm.FromTool, Parts: toldResult("Result of an earlier call", " to ", result)}})
}

// toldResult returns a result as text and images.
func toldResult(what, of string, r llm.ToolResult) llm.Parts {
	if r.Name != "" {
		what += of + toolName(r.Name)
	}
	return joined(llm.Parts{llm.Text("[" + what + "]")}, resultParts(r))
}

// history puts the units together.
func (r *repairer) history() []llm.Message {
	out := make([]llm.Message, 0, 2*len(r.units))
	for _, u := range r.units {
		out = append(out, u.message)
		if len(u.slots) == 0 {
			continue
		}
		results := make([]llm.ToolResult, len(u.slots))
		for i, s := range u.slots {
			results[i] = s.answer()
		}
		if !u.answered(results) {
			u.answer = llm.Results(results...)
		}
		out = append(out, u.answer)
	}
	return out
}

// answer returns the call's result, or the stand-in.
func (s *slot) answer() llm.ToolResult {
	if s.result == nil {
		return llm.ToolResult{CallID: s.call.ID, Name: s.call.Name, Text: missingResult, Failed: true}
	}
	result := *s.result
	result.CallID = s.call.ID
	if result.Name == "" {
		result.Name = s.call.Name
	}
	return result
}

// answered tells whether the message that the results came in is already right.
func (u *unit) answered(results []llm.ToolResult) bool {
	if u.answer.Role != llm.Tool || len(u.answer.Parts) != len(results) {
		return false
	}
	return slices.EqualFunc(u.answer.Parts, results, func(p llm.Part, r llm.ToolResult) bool {
		have, ok := p.(llm.ToolResult)
		return ok && have.CallID == r.CallID && have.Text == r.Text && len(have.Images) == len(r.Images)
	})
}
