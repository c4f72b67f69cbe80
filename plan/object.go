package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Object reads a reply that is one JSON object and nothing else, bare or in one
// fence around the whole, as verdicts are. No object in it may have a name twice,
// since readers disagree which one counts. An error says what is wrong, in words
// that a model can act on.
func Object(reply string) (map[string]json.RawMessage, error) {
	text := unfenced(reply)
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
	var faults faultList
	if repeats(text[:d.InputOffset()], &faults); len(faults) > 0 {
		return nil, errors.New(faults[0].Detail)
	}
	return members, nil
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
