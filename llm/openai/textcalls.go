package openai

import (
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A tag is how some models write a call into their text when their server does
// not read it out: the call's JSON between an opening and a closing mark.
type tag struct{ open, close string }

var tags = []tag{
	{"<tool_call>", "</tool_call>"},
	{"<tool_calls>", "</tool_calls>"},
	{"<function_call>", "</function_call>"},
	{"<|tool_call|>", "<|/tool_call|>"},
	{"[TOOL_CALLS]", "[/TOOL_CALLS]"},
}

// marks open calls in forms that are not JSON. They are noticed and not read:
// the types of their arguments would have to be guessed.
var marks = []string{"<tool_call>", "<function=", "<invoke name=", "<|tool_call_begin|>", "<｜tool▁call▁begin｜>"}

const blanks = " \t\r\n"

// textCalls is what a text holds in tags.
type textCalls struct {
	calls []llm.ToolCall // without ids
	rest  string         // the text without them
	names []string       // the tools that it calls, also in forms that are not read
}

// findTextCalls looks for calls of these tools in a text. Where one tag can't
// be read the text is left whole; talk about tags, without the name of a tool,
// is only talk.
func findTextCalls(text string, tools []llm.Spec) textCalls {
	found := textCalls{rest: text}
	if len(tools) == 0 || !strings.ContainsAny(text, "<[") {
		return found
	}
	known := func(name string) bool {
		return slices.ContainsFunc(tools, func(t llm.Spec) bool { return t.Name == name })
	}
	var rest strings.Builder
	for left := text; ; {
		at, t := nextTag(left)
		if at < 0 {
			rest.WriteString(left)
			break
		}
		inner, after, _ := strings.Cut(left[at+len(t.open):], t.close)
		calls := readCalls(inner)
		if len(calls) == 0 || slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return !known(c.Name) }) {
			return textCalls{rest: text, names: marked(text, tools)}
		}
		found.calls = append(found.calls, calls...)
		rest.WriteString(strings.TrimRight(left[:at], blanks))
		left = after
	}
	if len(found.calls) == 0 {
		return textCalls{rest: text, names: marked(text, tools)}
	}
	found.rest = strings.TrimRight(rest.String(), blanks)
	for _, c := range found.calls {
		found.names = append(found.names, c.Name)
	}
	return found
}

// nextTag returns where the first tag opens; -1 if none does.
func nextTag(text string) (at int, first tag) {
	for from := 0; ; from++ {
		i := strings.IndexAny(text[from:], "<[")
		if i < 0 {
			return -1, tag{}
		}
		from += i
		for _, t := range tags {
			if strings.HasPrefix(text[from:], t.open) {
				return from, t
			}
		}
	}
}

// readCalls reads one call, or a list of them; none if that is not all there is.
func readCalls(text string) (calls []llm.ToolCall) {
	v, ok := parse([]byte(text))
	if !ok {
		return nil
	}
	items := []value{v}
	if v.isList() {
		items = slices.Collect(v.list())
	}
	for _, item := range items {
		call := llm.ToolCall{Name: item.member("name").text()}
		for _, name := range []string{"arguments", "parameters"} {
			if args := item.member(name); args.isObject() {
				call.Arguments = string(args)
			} else if args.isString() {
				call.Arguments = args.text()
			}
		}
		if call.Name == "" {
			return nil
		}
		calls = append(calls, call)
	}
	return calls
}

// marked returns the tools whose name stands in a call that can't be read:
// soon after a mark.
func marked(text string, tools []llm.Spec) (names []string) {
	const soon = 80
	for _, open := range append(opens(), marks...) {
		for left := text; ; {
			_, after, ok := strings.Cut(left, open)
			if !ok {
				break
			}
			left = after
			for _, t := range tools {
				if t.Name != "" && hasWord(after[:min(len(after), soon)], t.Name) && !slices.Contains(names, t.Name) {
					names = append(names, t.Name)
				}
			}
		}
	}
	return names
}

func opens() []string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = t.open
	}
	return out
}

// hasWord tells whether name stands in text as a whole word.
func hasWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !isNameByte(text[i-1])) && (end == len(text) || !isNameByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

// A holdback keeps back text from where it may be a call on, and the blanks
// before that, so that no reader is shown as text what turns out to be a call.
type holdback struct {
	held    string
	holding bool // a tag has opened
	shown   int  // bytes
}

// mostBlanks is how many blanks are kept back at most, so that a stream of
// nothing else costs no more than any other.
const mostBlanks = 1 << 10

// pass returns the part of the text that can be shown by now.
func (h *holdback) pass(text string) string {
	if h.holding {
		return ""
	}
	all := h.held + text
	at, _ := nextTag(all)
	if h.holding = at >= 0; !h.holding {
		at = len(all) - openedBy(all)
	}
	now := strings.TrimRight(all[:at], blanks)
	if at-len(now) > mostBlanks {
		now = all[:at]
	}
	h.held = all[len(now):]
	h.shown += len(now)
	return now
}

// openedBy returns the length of the longest end of text that a tag may begin with.
func openedBy(text string) (longest int) {
	for _, t := range tags {
		for n := min(len(t.open)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, t.open[:n]) {
				longest = n
			}
		}
	}
	return longest
}
