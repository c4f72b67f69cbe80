package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/triad-go/triad/llm"
)

// The naive reader is what the real one is checked against. It has the whole
// body at once, splits it with package strings, decodes it into maps, joins and
// parses as often as it likes, and shares no code with the real one.

type naiveMap = map[string]any

// A naiveReply is what it reads. It says nothing of the kinds of errors: whoever
// compares takes every error of the real reader for right, and a reply only if
// it is this one.
type naiveReply struct {
	text, reasoning string
	calls           []llm.ToolCall
	label           string
	refused         bool
	usage           llm.Usage
	fault           string // why there is no reply
}

func naiveRead(body string) (r naiveReply) {
	chunks, done, fault := naiveChunks(body)
	var fragments []naiveFragment
	begun, streamed := false, false
	for _, chunk := range chunks {
		for _, choice := range list(chunk["choices"]) {
			if c, ok := choice.(naiveMap); ok && (c["index"] == nil || word(c["index"]) == "0") {
				begun = true
				r.end(str(c["finish_reason"]))
				message, delta := asObject(c["message"]), asObject(c["delta"])
				if message != nil && !streamed && (delta == nil || str(delta["content"]) == "" && delta["tool_calls"] == nil) {
					delta = message
				} else if delta != nil {
					streamed = true
				}
				r.delta(delta)
				fragments = append(fragments, naiveFragments(delta)...)
				if c["error"] != nil && fmt.Sprint(c["error"]) != "map[]" {
					r.fail("error in a choice")
				}
			}
		}
		if e := chunk["error"]; e != nil && e != "" && e != false && fmt.Sprint(e) != "map[]" && r.fault == "" {
			r.fail("error object")
		}
	}
	calls, nameless := naiveCalls(fragments)
	r.calls, r.text, r.reasoning, r.label = calls, mend(r.text), mend(r.reasoning), mend(r.label)
	if nameless != "" && (r.label == "" || finishOf(r.label) != llm.FinishLength) {
		r.fail(nameless)
	}
	r.usage = naiveUsageOf(chunks)
	switch {
	case fault != "" && (fault != "cut" || r.label == ""):
		r.fail(fault)
	case !begun:
		r.fail("no choice")
	case r.label == "" && !done:
		r.fail("no end")
	}
	return r
}

func (r *naiveReply) fail(why string) {
	if r.fault == "" {
		r.fault = why
	}
}

func (r *naiveReply) end(label string) {
	cut := func(l string) bool { return finishOf(l) != llm.FinishStop && finishOf(l) != llm.FinishCalls }
	if label != "" && (r.label == "" || cut(label) && !cut(r.label)) {
		r.label = label
	}
}

func (r *naiveReply) delta(d naiveMap) {
	for _, name := range []string{"reasoning_content", "reasoning", "thinking", "reasoning_text"} {
		if text, ok := d[name].(string); ok && text != "" {
			r.reasoning += text
			break
		} else if text := naiveText(d[name]); text != "" {
			r.reasoning += text
			break
		}
		if name == "reasoning_text" {
			for _, detail := range list(d["reasoning_details"]) {
				for _, name := range keys(detail) {
					if name == "text" || name == "summary" {
						r.reasoning += str(asObject(detail)[name])
					}
				}
			}
		}
	}
	parts := list(d["content"])
	switch content := d["content"].(type) {
	case string:
		r.text += content // with its halves, which str would mend
	case naiveMap:
		parts = []any{content}
	case json.Number, bool:
		r.fail("content")
	}
	for _, part := range parts {
		o := asObject(part)
		switch kind := str(o["type"]); {
		case o == nil:
			r.text += str(part)
		case kind == "text" || kind == "output_text" || kind == "":
			r.text += str(o["text"])
		case kind == "refusal":
			r.text += str(o["refusal"])
			r.refused = r.refused || str(o["refusal"]) != ""
		case kind == "thinking" || kind == "reasoning":
			if text := naiveText(o["thinking"]); text != "" {
				r.reasoning += text
			} else {
				r.reasoning += naiveText(o["text"])
			}
		}
	}
	r.text += str(d["refusal"])
	r.refused = r.refused || str(d["refusal"]) != ""
	for _, c := range list(d["tool_calls"]) {
		if c != nil && asObject(c) == nil {
			r.fail("a call that is none")
		}
	}
}

// naiveChunks returns the chunks of a body up to the done marker.
func naiveChunks(body string) (chunks []naiveMap, done bool, fault string) {
	trimmed := strings.TrimLeft(strings.TrimPrefix(body, "\uFEFF"), " \t\r\n")
	if strings.HasPrefix(trimmed, "{") {
		one, err := naiveObject(trimmed)
		if err != nil {
			return nil, false, "no JSON"
		}
		return []naiveMap{one}, true, ""
	}
	if strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "<") {
		return nil, false, "no stream"
	}
	for _, e := range naiveEvents(trimmed) {
		for _, text := range e.texts() {
			if strings.Trim(text, " \t\r\n") == "[DONE]" {
				return chunks, true, fault
			}
			one, err := naiveObject(text)
			switch {
			case strings.TrimSpace(text) == "":
				continue
			case e.name == "error":
				return chunks, false, "error event"
			case err != nil && e.cut:
				return chunks, false, "cut"
			case err != nil:
				return chunks, false, "no JSON"
			}
			chunks = append(chunks, one)
		}
	}
	return chunks, false, ""
}

type naiveEvent struct {
	name  string
	lines []string
	cut   bool
}

// texts are the event's JSON texts: one, or one a line if only so they are JSON.
func (e naiveEvent) texts() []string {
	joined := strings.Join(e.lines, "\n")
	if json.Valid([]byte(joined)) {
		return []string{joined}
	}
	return e.lines
}

func naiveEvents(body string) (events []naiveEvent) {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	var e naiveEvent
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		field, content, _ := strings.Cut(line, ":")
		content = strings.TrimPrefix(content, " ")
		switch {
		case line == "" && i < len(lines)-1:
			if e.lines != nil {
				events = append(events, e)
			}
			e = naiveEvent{}
		case strings.HasPrefix(line, "{"):
			e.lines = append(e.lines, line)
		case field == "data":
			e.lines = append(e.lines, content)
		case field == "event":
			e.name = content
		}
	}
	if e.lines != nil {
		e.cut = true
		events = append(events, e)
	}
	return events
}

// naiveObject decodes one JSON value. One that is no object is an empty one.
func naiveObject(text string) (naiveMap, error) {
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("no JSON")
	}
	decoder := json.NewDecoder(strings.NewReader(markHalves(text)))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	if err != nil {
		return nil, err
	}
	return asObject(v), nil
}

// Half a character in an escape is marked, so that decoding does not lose it:
// the other half may be in another chunk.
var (
	escape    = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)
	pairs     = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`)
	halfPairs = regexp.MustCompile("\uE000(d[89ab]..)\uE000(d[c-f]..)")
	halfOnes  = regexp.MustCompile("\uE000d...")
)

func markHalves(text string) string {
	at := map[int]bool{} // where pairs are
	for _, p := range escape.FindAllStringIndex(text, -1) {
		if pair := pairs.FindStringIndex(text[p[0]:]); pair != nil && pair[0] == 0 && !at[p[0]] {
			at[p[0]], at[p[0]+6] = true, true
		}
	}
	var b strings.Builder
	last := 0
	for _, p := range escape.FindAllStringIndex(text, -1) {
		e := strings.ToLower(text[p[0]:p[1]])
		if len(e) == 6 && strings.HasPrefix(e, `\ud`) && e[3] >= '8' && !at[p[0]] {
			b.WriteString(text[last:p[0]] + `\uE000` + e[2:])
			last = p[1]
		}
	}
	return b.String() + text[last:]
}

// mend joins the halves that found each other.
func mend(text string) string {
	text = halfPairs.ReplaceAllStringFunc(text, func(pair string) string {
		m := halfPairs.FindStringSubmatch(pair)
		high, _ := strconv.ParseInt(m[1], 16, 32)
		low, _ := strconv.ParseInt(m[2], 16, 32)
		return string(utf16.DecodeRune(rune(high), rune(low)))
	})
	return halfOnes.ReplaceAllString(text, "\uFFFD")
}

func asObject(v any) naiveMap { o, _ := v.(naiveMap); return o }
func list(v any) []any        { l, _ := v.([]any); return l }
func str(v any) string        { s, _ := v.(string); return s }

// keys are the members of an object in the order of the wire, which maps lose:
// the two that matter here never stand in one object but in this order.
func keys(v any) []string {
	if asObject(v)["summary"] != nil && asObject(v)["text"] != nil {
		return []string{"both"}
	}
	return []string{"text", "summary"}
}

func word(v any) string {
	switch v := v.(type) {
	case string:
		return mend(v)
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

func naiveText(v any) (text string) {
	switch v := v.(type) {
	case string:
		return mend(v)
	case naiveMap:
		for _, name := range []string{"text", "content", "thinking"} {
			if text := naiveText(v[name]); text != "" {
				return text
			}
		}
	case []any:
		for _, part := range v {
			text += naiveText(part)
		}
	}
	return text
}

// naivePlain returns the text of a recorded message's content.
func naivePlain(content json.RawMessage) string {
	var v any
	json.Unmarshal(content, &v)
	return naiveText(v)
}

// naiveUsage returns what a body reports.
func naiveUsage(body string) llm.Usage {
	chunks, _, _ := naiveChunks(body)
	return naiveUsageOf(chunks)
}

func naiveUsageOf(chunks []naiveMap) (u llm.Usage) {
	total := 0
	for _, chunk := range chunks {
		places := []any{chunk["usage"], asObject(chunk["x_groq"])["usage"]}
		for _, choice := range list(chunk["choices"]) {
			places = append(places, asObject(choice)["usage"])
		}
		for _, place := range places {
			usage := asObject(place)
			tell := func(to *int, names ...string) {
				most := 0
				for _, name := range names {
					outer, inner, nested := strings.Cut(name, ".")
					v := usage[outer]
					if nested {
						v = asObject(v)[inner]
					}
					if f, err := strconv.ParseFloat(word(v), 64); err == nil && f > 0 && f < math.MaxInt32 {
						most = max(most, int(f))
					}
				}
				if most > 0 {
					*to = most
				}
			}
			tell(&u.Input, "prompt_tokens", "input_tokens")
			tell(&u.Output, "completion_tokens", "output_tokens")
			tell(&total, "total_tokens")
			tell(&u.Cached, "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens", "num_cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
			tell(&u.Reasoning, "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens", "reasoning_tokens")
		}
	}
	if u.Input+u.Output == 0 {
		return llm.Usage{}
	}
	if u.Input == 0 {
		u.Input = max(0, total-u.Output)
	}
	u.Output = max(u.Output, total-u.Input)
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	u.Cached = min(u.Cached, u.Input)
	return u
}

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
