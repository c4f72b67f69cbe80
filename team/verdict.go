package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/plan"
)

// A Verdict is what a reviewer says of a result. Beside an approval, issues and
// suggestions are remarks.
type Verdict struct {
	Approved    bool     `json:"approved"`
	Summary     string   `json:"summary,omitempty"`
	Issues      []string `json:"issues,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// ErrNoVerdict is the error of a reply that is no verdict. It is wrapped with
// what is wrong, in words that the reviewer can act on.
var ErrNoVerdict = errors.New("team: the reply is no verdict")

// ParseVerdict reads a reviewer's reply: one JSON object, bare or in one fence
// around the whole, whose "approved" is the boolean true or false. No words are
// searched for. Other members than those of [Verdict] are ignored, a name that
// stands twice in one object is a fault, and names are compared exactly.
func ParseVerdict(reply string) (Verdict, error) {
	var v Verdict
	members, err := plan.Object(reply)
	if err != nil {
		return v, fmt.Errorf("%w: %w", ErrNoVerdict, err)
	}
	switch string(members["approved"]) {
	case "true":
		v.Approved = true
	case "false":
	case "":
		return v, fmt.Errorf("%w: \"approved\" is missing", ErrNoVerdict)
	default:
		return v, fmt.Errorf("%w: \"approved\" must be the boolean true or false", ErrNoVerdict)
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
