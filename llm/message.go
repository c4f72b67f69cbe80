package llm

import "strings"

// A Role says who speaks.
type Role string

// The roles of the chat protocol.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// An Origin says how a message came to be, which its role does not: a nudge
// and a person's words are both user messages. It is stored with the message
// and never sent to a provider. The empty Origin is one that nobody noted.
type Origin string

// The origins of messages.
const (
	FromUser     Origin = "user"     // a person, or the program that speaks for one
	FromModel    Origin = "model"    // a reply
	FromTool     Origin = "tool"     // results of calls
	FromReminder Origin = "reminder" // the stall guard
	FromNudge    Origin = "nudge"    // after an empty reply
	FromFeedback Origin = "feedback" // a verifier or a reviewer
	FromSummary  Origin = "summary"  // compaction, also in place of a result
	FromAnswer   Origin = "answer"   // a person's answer to a question of the run
	FromAborted  Origin = "aborted"  // what was shown of a reply that failed or was stopped: kept for the log, never sent
)

// A Message is one entry of a conversation.
//
// Messages are never changed once made: histories share them, and encoders may
// remember what they made of one. To change a message, make another.
type Message struct {
	Role   Role   `json:"role"`
	Origin Origin `json:"origin,omitempty"`
	Parts  Parts  `json:"parts"`
}

// UserText returns what a person says.
func UserText(text string) Message { return Message{User, FromUser, Parts{Text(text)}} }

// AssistantText returns what a model says.
func AssistantText(text string) Message { return Message{Assistant, FromModel, Parts{Text(text)}} }

// SystemText returns a system message. A request's standing instructions go
// into [Request.System] instead.
func SystemText(text string) Message { return Message{System, "", Parts{Text(text)}} }

// Results returns the message that answers the calls of the assistant message
// before it, one result a call, in the order of the calls.
func Results(results ...ToolResult) Message {
	parts := make(Parts, len(results))
	for i, r := range results {
		parts[i] = r
	}
	return Message{Tool, FromTool, parts}
}

// Text returns the message's text parts, joined with nothing between them. It
// is empty for a message that has none; reasoning and results are not text.
func (m Message) Text() string {
	return join(m.Parts, func(p Part) (string, bool) { t, ok := p.(Text); return string(t), ok })
}

// Reasoning returns the message's reasoning, joined with nothing between.
func (m Message) Reasoning() string {
	return join(m.Parts, func(p Part) (string, bool) { r, ok := p.(Reasoning); return r.Text, ok })
}

// Calls returns the tool calls that the message asks for, in order.
func (m Message) Calls() []ToolCall { return pick[ToolCall](m.Parts) }

// Results returns the results that the message holds, in order.
func (m Message) Results() []ToolResult { return pick[ToolResult](m.Parts) }

func pick[P Part](parts Parts) (out []P) {
	for i, p := range parts {
		if p, ok := p.(P); ok {
			if out == nil {
				out = make([]P, 0, len(parts)-i)
			}
			out = append(out, p)
		}
	}
	return out
}

// join copies only where there is something to join: the usual message has one text.
func join(parts Parts, text func(Part) (string, bool)) string {
	var first string
	var texts []string
	for _, p := range parts {
		t, ok := text(p)
		switch {
		case !ok || t == "":
		case texts != nil:
			texts = append(texts, t)
		case first == "":
			first = t
		default:
			texts = append(make([]string, 0, len(parts)), first, t)
		}
	}
	if texts == nil {
		return first
	}
	return strings.Join(texts, "")
}
