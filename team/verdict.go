package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Verdict is what a reviewer says of a result. Beside an approval, issues and
// suggestions are remarks.
type Verdict struct {
	Approved    bool     `json:"approved"`
	Summary     string   `json:"summary,omitempty"`
	Issues      []string `json:"issues,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// ErrUnreadable is the error of a reply that is no verdict. It is wrapped with
// what is wrong, in words that the reviewer can act on.
var ErrUnreadable = errors.New("team: the reply is no verdict")

// ParseVerdict reads a reviewer's reply: one JSON object, bare or in one fence
// around the whole, whose "approved" is the boolean true or false. No words are
// searched for. Other members than those of [Verdict] are ignored, a name that
// stands twice in one object is a fault, and names are compared exactly.
func ParseVerdict(reply string) (Verdict, error) {
	var v Verdict
	members, err := object(unfenced(reply))
	if err != nil {
		return v, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	switch string(members["approved"]) {
	case "true":
		v.Approved = true
	case "false":
	case "":
		return v, fmt.Errorf("%w: \"approved\" is missing", ErrUnreadable)
	default:
		return v, fmt.Errorf("%w: \"approved\" must be the boolean true or false", ErrUnreadable)
	}
	v.Summary = strings.Join(texts(members["summary"]), "\n")
	v.Issues, v.Suggestions = texts(members["issues"]), texts(members["suggestions"])
	return v, nil
}

// asks is what a rejection asks of the worker, or "" if it does not say.
func (v Verdict) asks() string {
	for _, list := range [][]string{v.Issues, v.Suggestions, {v.Summary}} {
		if text := strings.TrimSpace(listed(list)); text != "" {
			return text
		}
	}
	return ""
}

// listed writes texts one a line; several get dashes.
func listed(list []string) string {
	if len(list) > 1 {
		return "- " + strings.Join(list, "\n- ")
	}
	return strings.Join(list, "")
}

// unfenced returns what stands in a fence around the whole reply, else the reply.
func unfenced(reply string) string {
	text := strings.TrimSpace(reply)
	head, rest, more := strings.Cut(text, "\n")
	info, fence := strings.CutPrefix(strings.TrimSpace(head), "```")
	body, closed := strings.CutSuffix(strings.TrimSpace(rest), "```")
	if !more || !fence || !closed || strings.ContainsAny(info, "`{}") {
		return text
	}
	return body
}

// object reads text as one JSON object and nothing else. No object in it may
// have a name twice, since readers disagree which one counts.
func object(text string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(strings.NewReader(text))
	var members map[string]json.RawMessage
	err := d.Decode(&members)
	switch _, other := errors.AsType[*json.UnmarshalTypeError](err); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty")
	case other, err == nil && members == nil:
		return nil, errors.New("it is JSON, but no object")
	case err != nil:
		return nil, fmt.Errorf("it is not one complete JSON object: %w", err)
	case strings.TrimSpace(text[d.InputOffset():]) != "":
		return nil, errors.New("more stands after the JSON object")
	}
	if name, twice := repeated(text[:d.InputOffset()]); twice {
		return nil, fmt.Errorf("%q stands twice in one object", name)
	}
	return members, nil
}

// repeated finds a name that an object in valid JSON has twice, at any depth.
func repeated(whole string) (name string, twice bool) {
	var open []map[string]bool // the names of each object that is open; nil for a list
	for i := 0; i < len(whole); i++ {
		switch whole[i] {
		case '{':
			open = append(open, map[string]bool{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			end := i + 1
			for ; whole[end] != '"'; end++ {
				if whole[end] == '\\' {
					end++
				}
			}
			text := whole[i : end+1]
			i = end
			if !strings.HasPrefix(strings.TrimLeft(whole[end+1:], " \t\r\n"), ":") {
				continue // a value
			}
			names, name := open[len(open)-1], decoded(text)
			if names[name] {
				return name, true
			}
			names[name] = true
		}
	}
	return "", false
}

// decoded returns what a JSON text says.
func decoded(text string) string {
	var said string
	if !strings.Contains(text, `\`) || json.Unmarshal([]byte(text), &said) != nil {
		return text[1 : len(text)-1]
	}
	return said
}

// texts reads a text or a list of them. What is neither is kept as its JSON: an
// issue may come as an object.
func texts(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		items = []json.RawMessage{raw}
	}
	var list []string
	for _, item := range items {
		text := string(item)
		if text == "null" {
			continue
		}
		var said string
		if json.Unmarshal(item, &said) == nil {
			text = said
		}
		if strings.TrimSpace(text) != "" {
			list = append(list, text)
		}
	}
	return list
}
