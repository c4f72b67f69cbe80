package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triad-go/triad/llm"
)

// The names that [parametersOf] gives and [rejected] takes away again.
const (
	maxCompletionTokens = "max_completion_tokens"
	maxTokens           = "max_tokens"
	toolChoice          = "tool_choice"
	responseFormat      = "response_format"
	streamOptions       = "stream_options"
	promptCacheKey      = "prompt_cache_key"
	cacheControl        = "cache_control"
)

// A parameter is a member of the body that the request could do without.
type parameter struct {
	name  string
	value []byte // JSON; a schema in it may still have space between its tokens
}

// parametersOf returns the optional parameters, in the order in which they are
// sent. It is the one place that knows which there are.
func parametersOf(d llm.Dialect, req llm.Request, choice llm.Choice) (out []parameter) {
	add := func(name, format string, args ...any) {
		out = append(out, parameter{name, fmt.Appendf(nil, format, args...)})
	}
	switch {
	case choice == "" || choice != llm.ChoiceAuto && !sendsChoice(d, req):
	case choice == llm.ChoiceAuto || choice == llm.ChoiceNone || choice == llm.ChoiceRequired:
		add(toolChoice, "%q", choice)
	default:
		add(toolChoice, `{"type":"function","function":{"name":%s}}`, appendString(nil, string(choice)))
	}
	if format := responseFormatOf(d, req); format != nil {
		add(responseFormat, "%s", format)
	}
	if req.MaxTokens > 0 && d.Wire.MaxTokens != "none" {
		name := d.Wire.MaxTokens
		if name == "" {
			name = maxCompletionTokens
		}
		add(name, "%d", req.MaxTokens)
	}
	if req.Temperature != nil {
		add("temperature", "%s", strconv.AppendFloat(nil, *req.Temperature, 'g', -1, 64))
	}
	if p := thinking(d, req); p.name != "" {
		out = append(out, p)
	}
	if stop := slices.DeleteFunc(slices.Clone(req.Stop), func(s string) bool { return s == "" }); len(stop) > 0 {
		list := []byte{'['}
		for i, s := range stop {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendString(list, s)
		}
		add("stop", "%s]", list)
	}
	if d.Wire.CacheKey && req.CacheKey != "" {
		add(promptCacheKey, "%s", appendString(nil, cacheKey(req.CacheKey)))
	}
	if !d.Wire.NoStreamUsage {
		add(streamOptions, `{"include_usage":true}`)
	}
	return out
}

// sendsChoice tells whether a tool choice other than auto can be sent.
func sendsChoice(d llm.Dialect, req llm.Request) bool {
	return !d.Wire.NoChoice || isSwitch(d) && !thinks(req.Effort)
}

// isSwitch tells whether the dialect asks for thinking by on and off.
func isSwitch(d llm.Dialect) bool {
	return slices.Contains([]string{"thinking", "enable_thinking", "template"}, d.Wire.Thinking)
}

func thinks(effort string) bool { return effort != "none" && effort != "off" }

// thinking returns how the effort of reasoning is asked for.
func thinking(d llm.Dialect, req llm.Request) parameter {
	if req.Effort == "" {
		return parameter{}
	}
	effort := appendString(nil, req.Effort)
	if !thinks(req.Effort) {
		effort = []byte(`"none"`)
	}
	on := strconv.FormatBool(thinks(req.Effort))
	switch d.Wire.Thinking {
	case "thinking":
		if thinks(req.Effort) {
			return parameter{"thinking", []byte(`{"type":"enabled"}`)}
		}
		return parameter{"thinking", []byte(`{"type":"disabled"}`)}
	case "enable_thinking":
		return parameter{"enable_thinking", []byte(on)}
	case "template":
		return parameter{"chat_template_kwargs", []byte(`{"enable_thinking":` + on + `}`)}
	case "reasoning":
		return parameter{"reasoning", fmt.Appendf(nil, `{"effort":%s}`, effort)}
	case "none":
		return parameter{}
	}
	return parameter{"reasoning_effort", effort}
}

// responseFormatOf returns how the form of the reply is asked for, or nothing
// where the dialect has no way to.
func responseFormatOf(d llm.Dialect, req llm.Request) []byte {
	switch {
	case req.Format == nil:
	case d.Format:
		name := req.Format.Name
		if name == "" {
			name = "reply"
		}
		return fmt.Appendf(nil, `{"type":"json_schema","json_schema":{"name":%s,"schema":%s}}`, appendString(nil, toolName(name)), req.Format.Schema)
	case d.Wire.JSONObject && string(value(trim(req.Format.Schema)).member("type")) == `"object"` && speaksOfJSON(req):
		return []byte(`{"type":"json_object"}`)
	}
	return nil
}

// cacheKey returns a key of at most 64 bytes, which the official API takes; the
// id of a nested run may be longer.
func cacheKey(key string) string {
	if len(key) <= 64 {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func speaksOfJSON(req llm.Request) bool {
	text := req.System
	if n := len(req.Messages); n > 0 {
		text += req.Messages[n-1].Text()
	}
	return strings.Contains(strings.ToLower(text), "json")
}

// A bodyObject is the body while it is written.
type bodyObject struct {
	buf   []byte
	extra map[string]any
}

func newObject(size int, extra map[string]any) *bodyObject {
	return &bodyObject{buf: append(make([]byte, 0, size), '{'), extra: extra}
}

// next begins the member name and returns the buffer to append its value to.
func (b *bodyObject) next(name string) []byte {
	if len(b.buf) > 1 {
		b.buf = append(b.buf, ',')
	}
	b.buf = append(appendString(b.buf, name), ':')
	return b.buf
}

// add adds a member, unless an extra one replaces it.
func (b *bodyObject) add(name string, value []byte) {
	if _, replaced := b.extra[name]; !replaced {
		b.buf = append(b.next(name), value...)
	}
}

func (b *bodyObject) addParameters(list []parameter) error {
	for _, p := range list {
		if p.name == responseFormat {
			compact, err := compacted(p.value)
			if err != nil {
				return fmt.Errorf("the schema of the reply's format: %w", err)
			}
			p.value = compact
		}
		b.add(p.name, p.value)
	}
	return nil
}

// end adds the extra members, in order of their names, and ends the body.
func (b *bodyObject) end() ([]byte, error) {
	b.add("stream", []byte("true"))
	for _, name := range slices.Sorted(maps.Keys(b.extra)) {
		if name == "messages" || name == "tools" {
			return nil, fmt.Errorf("extra member %q: the request says it", name)
		}
		raw, err := json.Marshal(b.extra[name])
		if err != nil {
			return nil, fmt.Errorf("extra member %q: %w", name, err)
		}
		b.buf = append(b.next(name), bytes.TrimSpace(raw)...)
	}
	return append(b.buf, '}'), nil
}
