package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

type naiveFragment struct{ index, id, name, args string }

func naiveFragments(delta naiveMap) (out []naiveFragment) {
	add := func(index, id any, function naiveMap) {
		f := naiveFragment{index: word(index), id: word(id), name: str(function["name"])}
		switch args := function["arguments"].(type) {
		case nil:
		case string:
			f.args = args
		default:
			native, _ := json.Marshal(args)
			f.args = mend(string(native))
		}
		out = append(out, f)
	}
	for _, entry := range list(delta["tool_calls"]) {
		if c := asObject(entry); c != nil {
			function := c
			if f := asObject(c["function"]); f != nil {
				function = f
			}
			add(c["index"], c["id"], function)
		}
	}
	if legacy := asObject(delta["function_call"]); legacy != nil {
		add("function_call", "", legacy)
	}
	return out
}

// A naiveCall keeps all fragments that were given to it.
type naiveCall struct {
	index, id, name string   // the index is that of the last call seen there
	indexes         []string // all at which it was seen
	args            string
}

// whole returns what comes of the call's first JSON value, and what follows it.
// It counts brackets, so that broken JSON within them is one value too.
func (c *naiveCall) whole() (value, rest string, ok bool) {
	start := strings.TrimLeft(c.args, " \t\r\n")
	if start == "" || !strings.Contains("{[\"", start[:1]) {
		return c.args, "", false
	}
	depth, text := 0, false
	for i := len(c.args) - len(start); i < len(c.args); i++ {
		switch b := c.args[i]; {
		case text && b == '\\':
			i++
			continue
		case b == '"':
			text = !text
		case text:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		if depth == 0 && !text {
			return c.args[:i+1], c.args[i+1:], true
		}
	}
	return c.args, "", false
}

func naiveCalls(fragments []naiveFragment) (out []llm.ToolCall, fault string) {
	var calls []*naiveCall
	for _, f := range fragments {
		c := naiveFind(calls, f)
		if c == nil || c.parts(f) {
			if f.id+f.name+strings.TrimSpace(f.args) == "" {
				continue
			}
			c = &naiveCall{}
			calls = append(calls, c)
		}
		if c.id == "" {
			c.id = f.id
		}
		if c.name == "" {
			c.name = f.name
		}
		if f.index != "" {
			c.indexes = append(c.indexes, f.index)
			for _, other := range calls { // the last call at an index has it
				if other.index == f.index {
					other.index = ""
				}
			}
			c.index = f.index
		}
		c.args += f.args
	}
	for _, c := range calls {
		value, rest, _ := c.whole()
		args := c.args
		if naiveSame(value, rest) || naiveSame(value, naiveUnquote(rest)) {
			args = value
		}
		if c.name != "" {
			out = append(out, llm.ToolCall{ID: c.id, Name: c.name, Arguments: mend(args)})
		} else if strings.TrimSpace(args) != "" {
			fault = "a call without a name"
		}
	}
	return out, fault
}

// naiveFind returns the call that a fragment may go on with.
func naiveFind(calls []*naiveCall, f naiveFragment) (found *naiveCall) {
	last := func(fits func(*naiveCall) bool) (found *naiveCall) {
		for _, c := range calls {
			if fits(c) {
				found = c
			}
		}
		return found
	}
	byID := last(func(c *naiveCall) bool { return f.id != "" && c.id == f.id })
	if f.index == "" {
		if byID != nil {
			return byID
		}
		return last(func(*naiveCall) bool { return true })
	}
	if c := last(func(c *naiveCall) bool { return f.id != "" && c.id == f.id && slices.Contains(c.indexes, f.index) }); c != nil {
		return c
	}
	if c := last(func(c *naiveCall) bool { return c.index == f.index }); c != nil {
		return c
	}
	if f.name == "" && byID != nil {
		return byID
	}
	if f.name+f.id == "" && last(func(c *naiveCall) bool { return len(c.indexes) > 0 }) == nil {
		return last(func(*naiveCall) bool { return true })
	}
	return nil
}

// parts tells whether a fragment begins another call after all.
func (c *naiveCall) parts(f naiveFragment) bool {
	value, rest, whole := c.whole()
	anew := whole && rest == "" && strings.TrimSpace(f.args) != "" && !naiveSame(value, f.args) &&
		!(strings.HasPrefix(strings.TrimSpace(f.args), `"`) && strings.HasPrefix(naiveQuote(strings.TrimSpace(value)), strings.TrimSpace(f.args)))
	another := f.id != "" && c.id != "" && f.id != c.id
	late := f.id != "" && c.id == ""
	named := f.name != "" && c.name != ""
	switch {
	case another:
		return f.name != "" || anew
	case late:
		return named && (whole || f.name != c.name)
	case named && f.name != c.name && (whole || f.index+f.id == ""):
		return true
	}
	return named && anew
}

func naiveSame(a, b string) bool {
	return json.Valid([]byte(a)) && json.Valid([]byte(b)) && canonical(a) == canonical(b)
}

func naiveQuote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func naiveUnquote(s string) (text string) { json.Unmarshal([]byte(s), &text); return text }
