package openai

import (
	"slices"
	"strings"
	"sync"

	"github.com/triad-go/triad/llm"
)

// rejected remembers which optional parameters a server would not take, so
// that they are not sent to it again (LLM-30). The zero value is ready; it may
// be used by many goroutines at once.
type rejected struct {
	mu  sync.Mutex
	off map[string]bool
}

// apply returns the dialect and the request without what was refused. The
// values that it is given are not changed.
func (r *rejected) apply(d llm.Dialect, req llm.Request) (llm.Dialect, llm.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.off {
		switch name {
		case "temperature":
			req.Temperature = nil
		case "stop":
			req.Stop = nil
		case streamOptions:
			d.Wire.NoStreamUsage = true
		case promptCacheKey:
			d.Wire.CacheKey = false
		case cacheControl:
			d.Wire.CacheMarks = false
		case responseFormat:
			d.Format, d.Wire.JSONObject = false, false
		case toolChoice:
			if req.Choice == llm.ChoiceNone {
				req.Tools = nil
			}
			req.Choice = ""
			if d.Wire.ToolsForResults == "keep" {
				d.Wire.ToolsForResults = "text"
			}
		case "reasoning_effort", "thinking", "enable_thinking", "chat_template_kwargs", "reasoning":
			d.Wire.Thinking = "none"
		}
	}
	d.Wire.MaxTokens = r.maxTokens(d.Wire.MaxTokens)
	if r.off[echoOf(d)] {
		d.EchoReasoning = llm.EchoNone
	}
	return d, req
}

// echoOf is what stands in off for the field of echoed reasoning, which may have
// the name of a parameter.
func echoOf(d llm.Dialect) string { return "messages." + formOf(d).reasoningField }

// maxTokens returns the spelling of the limit that is left: the other one where
// the dialect's was refused, "none" where both were (B242).
func (r *rejected) maxTokens(name string) string {
	spelling := name
	if spelling == "" {
		spelling = maxCompletionTokens
	}
	other := maxTokens
	if spelling == maxTokens {
		other = maxCompletionTokens
	}
	switch {
	case !r.off[spelling]:
		return name
	case !r.off[other]:
		return other
	}
	return "none"
}

// reject tells whether err refuses, by name, optional parameters of the request
// that apply gave, and switches them off. The request may then be made again,
// if nothing of it was delivered. That comes to an end: what is off is not sent.
//
// A parameter whose value is out of range stays: leaving it out would hide a
// mistake.
func (r *rejected) reject(err *llm.Error, d llm.Dialect, req llm.Request) bool {
	if err == nil || err.Kind != llm.ErrBadRequest || err.Status != 400 && err.Status != 422 || outOfRange(err) {
		return false
	}
	var off []string
	for _, p := range parametersOf(d, req, req.Choice) {
		if names(err, p.name) {
			off = append(off, p.name)
		}
	}
	if d.Wire.ToolsForResults == "keep" && len(req.Tools) == 0 && names(err, toolChoice) {
		off = append(off, toolChoice)
	}
	if d.Wire.CacheMarks && names(err, cacheControl) {
		off = append(off, cacheControl)
	}
	if d.EchoReasoning != llm.EchoNone && names(err, formOf(d).reasoningField) && unknown(err) {
		off = append(off, echoOf(d))
	}
	if len(off) == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off == nil {
		r.off = map[string]bool{}
	}
	for _, name := range off {
		r.off[name] = true
	}
	return true
}

// aliases are other names by which servers speak of a parameter.
var aliases = map[string][]string{
	"reasoning_effort": {"reasoning.effort", "reasoning-effort"},
	streamOptions:      {"include_usage"},
	responseFormat:     {"json_schema", "json_object"},
	"thinking":         {"thinking.type"},
	"reasoning":        {"reasoning.effort"},
}

// words are names that are also ordinary English: in a sentence they count
// only in quotes.
var words = []string{"stop", "thinking", "reasoning"}

// names tells whether the error speaks of the parameter.
func names(err *llm.Error, name string) bool {
	if err.Param == name || strings.HasPrefix(err.Param, name+".") || strings.HasSuffix(err.Param, "."+name) {
		return true
	}
	message := strings.ToLower(err.Message)
	for _, n := range append([]string{name}, aliases[name]...) {
		if err.Param == n || mentions(message, n, slices.Contains(words, n)) {
			return true
		}
	}
	return false
}

// mentions tells whether name stands in the text as a word of its own; quoted
// says that it must stand in quotes, or after a word that announces a name.
func mentions(text, name string, quoted bool) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(name)
		from = end
		before, after := byte(' '), byte(' ')
		if start > 0 {
			before = text[start-1]
		}
		if end < len(text) {
			after = text[end]
		}
		if isNameByte(before) || isNameByte(after) {
			continue
		}
		if !quoted || strings.IndexByte("'\"`", before) >= 0 && strings.IndexByte("'\"`.", after) >= 0 || announced(text[:start]) {
			return true
		}
	}
}

// announced tells whether a name follows, as in "unknown parameter: stop".
func announced(before string) bool {
	before = strings.TrimRight(before, " :")
	for _, word := range []string{"parameter", "parameters", "argument", "arguments", "field", "fields", "option", "property", "key"} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return false
}

// outOfRange tells whether a value is refused for its size, not the parameter.
func outOfRange(err *llm.Error) bool {
	return speaks(err, "too large", "too small", "too high", "too low", "too long", "too many", "below", "above", "minimum", "maximum",
		"at least", "at most", "greater than", "less than", "between", "out of range", "exceed", ">= ", "<= ")
}

// unknown tells whether a member is refused for being there at all.
func unknown(err *llm.Error) bool {
	return speaks(err, "unsupported", "not support", "unknown", "unrecognized", "unexpected", "extra", "not permitted", "not allowed", "additional")
}

func speaks(err *llm.Error, phrases ...string) bool {
	message := strings.ToLower(err.Message)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(message, p) })
}
