package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
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
