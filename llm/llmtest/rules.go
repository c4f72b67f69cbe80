package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// A checker gathers the faults of one request.
type checker struct {
	Rules
	req    llm.Request
	faults Faults
}

func (c *checker) fault(rule Rule, message, part int, format string, args ...any) {
	if !slices.Contains(c.Except, rule) {
		c.faults = append(c.faults, Fault{rule, message, part, fmt.Sprintf(format, args...)})
	}
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// request checks all but the messages.
func (c *checker) request() {
	c.text(-1, -1, "system", c.req.System)
	if len(c.req.Messages) == 0 {
		c.fault(Empty, -1, -1, "it has no messages")
	}
	known := make(map[string]bool)
	for i, t := range c.req.Tools {
		c.tool(i, t)
		if known[t.Name] {
			c.fault(Tool, -1, -1, "tools[%d]: a second tool of the name %q", i, t.Name)
		}
		known[t.Name] = true
	}
	switch choice := c.req.Choice; {
	case choice == "" || choice == llm.ChoiceAuto || choice == llm.ChoiceNone:
	case choice == llm.ChoiceRequired:
		if len(known) == 0 {
			c.fault(Choice, -1, -1, "a call is required, and there are no tools")
		}
	case !known[string(choice)]:
		c.fault(Choice, -1, -1, "a call of %q is required, and there is no such tool", choice)
	}
	if c.req.MaxTokens < 0 {
		c.fault(Option, -1, -1, "max tokens is %d", c.req.MaxTokens)
	}
	if t := c.req.Temperature; t != nil && !(*t >= 0 && *t <= 2) { // so that NaN is refused
		c.fault(Option, -1, -1, "temperature is %v", *t)
	}
	if f := c.req.Format; f != nil && (!toolName.MatchString(f.Name) || !object(string(f.Schema))) {
		c.fault(Option, -1, -1, "the format %q needs a name like a tool's and a schema that is an object", f.Name)
	}
}

func (c *checker) tool(i int, t llm.Spec) {
	if !toolName.MatchString(t.Name) {
		c.fault(Name, -1, -1, "tools[%d] is named %q", i, t.Name)
	}
	c.text(-1, -1, fmt.Sprintf("tools[%d].description", i), t.Description)
	if len(t.Schema) == 0 {
		return
	}
	var schema struct{ Type any }
	if !object(string(t.Schema)) || json.Unmarshal(t.Schema, &schema) != nil || schema.Type != "object" {
		c.fault(Tool, -1, -1, "tools[%d]: the schema of %q is not a JSON object of type object", i, t.Name)
	}
}

// messages checks each message, and what comes before it.
func (c *checker) messages() {
	ids := make(map[string]bool)
	before := llm.System // who spoke last; results belong to the assistant's turn
	for i, m := range c.req.Messages {
		switch m.Role {
		case llm.System:
			if c.Dialect.Strict && (i > 0 || c.req.System != "") {
				c.fault(Head, i, -1, "system text after the head")
			}
		case llm.User, llm.Assistant:
			if c.Dialect.Strict && m.Role == before {
				c.fault(Alternate, i, -1, "a second %s message in a row", m.Role)
			}
			if c.Dialect.Strict && m.Role == llm.Assistant && before == llm.System {
				c.fault(Alternate, i, -1, "the assistant begins")
			}
			before = m.Role
			if len(m.Calls()) > 0 {
				before = llm.Tool
			}
		case llm.Tool:
		default:
			c.fault(Role, i, -1, "unknown role %q", m.Role)
		}
		c.content(i, m, ids)
	}
}

// content checks what a message holds.
func (c *checker) content(i int, m llm.Message, ids map[string]bool) {
	full := false
	for j, p := range m.Parts {
		home := m.Role
		switch p := p.(type) {
		case llm.Text:
			if m.Role == llm.Tool {
				home = llm.User
			}
			c.text(i, j, "text", string(p))
			full = full || !blank(string(p))
		case llm.Reasoning:
			home = llm.Assistant
			c.text(i, j, "reasoning", p.Text)
		case llm.Image:
			home = llm.User
			c.image(i, j, p)
			full = true
		case llm.ToolCall:
			home = llm.Assistant
			c.call(i, j, p, ids)
			full = true
		case llm.ToolResult:
			home = llm.Tool
			c.result(i, j, p)
			full = true
		default:
			c.fault(Part, i, j, "unknown kind %T", p)
		}
		if home != m.Role {
			c.fault(Part, i, j, "a %s message holds %T", m.Role, p)
		}
	}
	if !full {
		c.fault(Empty, i, -1, "the %s message says nothing", m.Role)
	}
	c.particular(i, m)
}

// particular checks what single dialects want of a message.
func (c *checker) particular(i int, m llm.Message) {
	if m.Role != llm.Assistant {
		return
	}
	calls := len(m.Calls()) > 0
	echo := c.Dialect.EchoReasoning
	if (echo == llm.EchoAll || echo == llm.EchoCalls && calls) && m.Reasoning() == "" {
		c.fault(Echo, i, -1, "the dialect wants its reasoning")
	}
	if calls && len(c.req.Tools) == 0 && c.Dialect.Wire.ToolsForResults != "" {
		c.fault(Tools, i, -1, "it has calls, and the request has no tools")
	}
}

func (c *checker) call(i, j int, call llm.ToolCall, ids map[string]bool) {
	switch {
	case call.ID == "":
		c.fault(ID, i, j, "the call of %q has no id", call.Name)
	case ids[call.ID]:
		c.fault(ID, i, j, "a second call %q", call.ID)
	}
	ids[call.ID] = true
	if !toolName.MatchString(call.Name) {
		c.fault(Name, i, j, "call %q is of a tool named %q", call.ID, call.Name)
	}
	if !object(call.Arguments) {
		c.fault(Arguments, i, j, "those of call %q are no JSON object: %.40q", call.ID, call.Arguments)
	}
	c.text(i, j, "arguments", call.Arguments)
}

func (c *checker) result(i, j int, r llm.ToolResult) {
	if blank(r.Text) && len(r.Images) == 0 {
		c.fault(Empty, i, j, "the result of call %q says nothing", r.CallID)
	}
	c.text(i, j, "result", r.Text)
	for _, img := range r.Images {
		c.image(i, j, img)
	}
}

func (c *checker) image(i, j int, img llm.Image) {
	kind, sub, ok := strings.Cut(img.MediaType, "/")
	if !ok || kind == "" || sub == "" || len(img.Data) == 0 {
		c.fault(Image, i, j, "%d bytes of media type %q", len(img.Data), img.MediaType)
	}
}

func (c *checker) text(i, j int, what, s string) {
	if !utf8.ValidString(s) {
		c.fault(Encoding, i, j, "%s is not valid UTF-8", what)
	}
	if strings.ContainsRune(s, 0) {
		c.fault(Encoding, i, j, "%s holds a NUL", what)
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func object(s string) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal([]byte(s), &fields) == nil && fields != nil
}
