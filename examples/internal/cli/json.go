package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// encode returns an event as one JSON object that begins with its type. What is
// no object by itself becomes one: a text is its member text.
func encode(e agent.Event) []byte {
	if inner, ok := e.(agent.Inner); ok {
		return object(e.Kind(), struct {
			Path  string          `json:"path"`
			Event json.RawMessage `json:"event"`
		}{inner.Path, encode(inner.Event)})
	}
	return object(e.Kind(), e)
}

func object(kind string, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		data = quote("not encoded: " + err.Error())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":%s`, quote(kind))
	switch {
	case data[0] != '{':
		fmt.Fprintf(&b, `,"text":%s}`, data)
	case string(data) == "{}":
		b.WriteByte('}')
	default:
		b.WriteByte(',')
		b.Write(data[1:])
	}
	return b.Bytes()
}

func quote(s string) []byte {
	data, _ := json.Marshal(s) // a string always marshals
	return data
}

// An end is the last line of output: how the run ended.
type end struct {
	Reason    agent.Reason     `json:"reason"`
	Cause     agent.Cause      `json:"cause,omitempty"`
	Detail    string           `json:"detail,omitempty"`
	Answer    string           `json:"answer"`
	Partial   bool             `json:"partial"`
	Turns     int              `json:"turns"`
	Spent     budget.Spent     `json:"spent"`
	Questions []agent.Question `json:"questions"`
	Run       string           `json:"run,omitempty"` // its id, where a journal keeps it
	Error     string           `json:"error"`
}

func lastLine(run string, r agent.Result, err error) []byte {
	e := end{r.Reason, r.Cause, r.Detail, r.Text, r.Partial, r.Turns, r.Spent, r.Questions, run, ""}
	if e.Questions == nil {
		e.Questions = []agent.Question{}
	}
	if err != nil {
		e.Error = err.Error()
	}
	return object("result", e)
}
