package compress

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// Age is the tier for what is some turns old: its results become short JSON
// placeholders, and long arguments of its calls are cut. It changes what was
// sent in every turn, so the provider's cache serves little: it is for
// providers that have none.
type Age struct {
	Turns    *int // how many turns a result stays; nil is 4
	Argument int  // how many characters a text in arguments may have; 0 is 200
}

// An agedResult is the placeholder of a result.
type agedResult struct {
	Tool    string `json:"tool"`
	Length  int    `json:"length"`
	Summary string `json:"summary"`
	ID      string `json:"id,omitempty"`
}

const agedSummary = 120 // characters

func (w *work) age(a *Age) {
	// A message is looked at until it is old and, once changed, has been seen so:
	// whether the run takes the change is not known here.
	turns, did, settled := 0, false, w.memory.aged // turns: replies after the message
	for i := len(w.messages) - 1; i >= w.memory.aged; i-- {
		m, old := w.messages[i], turns > value(a.Turns, 4)
		if old {
			settled = max(settled, i+1)
		}
		if m.Role == llm.Assistant && m.Origin != llm.FromSummary {
			turns++
		}
		if old && w.change(i, w.aged(m, a)) {
			did, settled = true, min(settled, i)
		}
	}
	w.memory.aged = settled
	if did {
		w.did("age")
	}
}

// aged returns the message as it is when it is old.
func (w *work) aged(m llm.Message, a *Age) llm.Message {
	switch {
	case m.Origin == llm.FromSummary:
	case m.Role == llm.Assistant:
		return w.shorten(m, or(a.Argument, 200))
	case m.Role == llm.Tool:
		return w.agedResults(m)
	}
	return m
}

// change puts m in the place of message i if it is shorter.
func (w *work) change(i int, m llm.Message) bool {
	if w.message(m) >= w.message(w.messages[i]) {
		return false
	}
	w.put(i, m)
	return true
}

func (w *work) agedResults(m llm.Message) llm.Message {
	m.Parts, m.Origin = slices.Clone(m.Parts), llm.FromSummary
	for i, p := range m.Parts {
		r, ok := p.(llm.ToolResult)
		if !ok || w.protected(r.Name) {
			continue
		}
		a := agedResult{r.Name, utf8.RuneCountInString(r.Text), prefix(strings.Join(strings.Fields(prefix(r.Text, 2*agedSummary)), " "), agedSummary), w.keptAs(r.Text)}
		data, err := json.Marshal(a)
		if err != nil || w.Tokens(string(data), true) >= w.result(r) {
			continue
		}
		r.Text, r.Images = string(data), nil
		m.Parts[i] = r
	}
	return m
}

// shorten cuts the long texts in the arguments of a reply's calls.
func (w *work) shorten(m llm.Message, most int) llm.Message {
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if c, ok := p.(llm.ToolCall); ok && len(c.Arguments) > most && !w.protected(c.Name) {
			c.Arguments = cutArguments(c.Arguments, most, w.texts().CutArgument)
			m.Parts[i] = c
		}
	}
	return m
}

// cutArguments cuts each text in a JSON value to most characters, a mark that
// says how many are left out among them. What is no JSON stays as it is, and so
// do numbers and the order of members.
func cutArguments(arguments string, most int, mark string) string {
	if !json.Valid([]byte(arguments)) {
		return arguments
	}
	var b strings.Builder
	for i := 0; i < len(arguments); {
		if arguments[i] != '"' {
			b.WriteByte(arguments[i])
			i++
			continue
		}
		end := i + 1
		for arguments[end] != '"' {
			if arguments[end] == '\\' {
				end++
			}
			end++
		}
		end++
		b.WriteString(cutString(arguments[i:end], strings.HasPrefix(strings.TrimLeft(arguments[end:], " \t\r\n"), ":"), most, mark))
		i = end
	}
	return b.String()
}

// cutString cuts one JSON string. Names of members stay.
func cutString(quoted string, name bool, most int, mark string) string {
	var s string
	if name || len(quoted) <= most || json.Unmarshal([]byte(quoted), &s) != nil {
		return quoted
	}
	length := utf8.RuneCountInString(s)
	if length <= most {
		return quoted
	}
	note := fill(mark, "left", strconv.Itoa(length)) // as long as it gets
	keep := max(0, most-utf8.RuneCountInString(note))
	data, err := json.Marshal(prefix(s, keep) + fill(mark, "left", strconv.Itoa(length-keep)))
	if err != nil {
		return quoted
	}
	return string(data)
}
