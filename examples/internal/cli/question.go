package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/triad-go/triad/agent"
)

// question prints what a run waits for. Arguments are shown once: in the
// question's text, if that tells them and they are short, or else below it.
func (p *printer) question(q agent.Question) {
	text, told, below := q.Text, "", plain(q.Arguments)
	for _, form := range []string{below, string(q.Arguments)} {
		if form != "" && strings.Contains(text, form) {
			told = form
		}
	}
	switch {
	case told == "":
	case long(q.Arguments):
		text = strings.Replace(text, told, "these arguments", 1)
	default:
		text, below = strings.Replace(text, told, below, 1), ""
	}
	p.note("? %s: %s", q.ID, text)
	if below != "" && q.About != agent.AboutTool { // there they are the question itself
		if long(q.Arguments) {
			p.arguments(q.Arguments)
		} else {
			p.note("  %s %s", q.Name, below)
		}
	}
	if len(q.Choices) > 0 {
		p.note("  (%s)", strings.Join(q.Choices, " | "))
	}
}

// form is how the first of the questions is answered on the command line.
func form(questions []agent.Question) string {
	if len(questions) == 0 {
		return "ID=ANSWER"
	}
	switch q := questions[0]; q.About {
	case agent.AboutCall, agent.AboutGoingOn, agent.AboutPlan:
		return q.ID + "=approve"
	default:
		return q.ID + "=text:ANSWER"
	}
}

// prompt asks for a line.
func (p *printer) prompt(q agent.Question) {
	p.question(q)
	switch q.About {
	case agent.AboutCall:
		p.text("  [y]es, [a]lways, [n]o why: ")
	case agent.AboutGoingOn:
		p.text("  [y]es, [n]o why: ")
	case agent.AboutPlan:
		p.text("  [y]es, [n]o why, or what to add: ")
	default:
		p.text("  > ")
	}
	p.open = false // the person's newline ends the line
}

// arguments prints a JSON object, a member a line, and last the texts of several
// lines as they are.
func (p *printer) arguments(arguments json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil {
		p.note("  %s", plain(arguments))
		return
	}
	texts := map[string]string{} // of several lines
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		if json.Unmarshal(members[name], &text) == nil && strings.Contains(text, "\n") {
			texts[name] = text
		} else {
			p.note("  %s: %s", visible(name), plain(members[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		p.note("  %s:", visible(name))
		for line := range strings.Lines(texts[name]) {
			p.note("    | %s", visible(strings.TrimSuffix(line, "\n")))
		}
	}
}

// long tells whether arguments are more than a line tells well.
func long(arguments json.RawMessage) bool {
	const most = 100
	return len(plain(arguments)) > most || strings.Contains(string(arguments), `\n`)
}

// visible returns a line as it is, or quoted if it would do something to the
// terminal: who approves must see what there is.
func visible(line string) string {
	if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
		return strconv.Quote(line)
	}
	return line
}

// plain returns JSON on one line, in which <, > and & are themselves.
func plain(data json.RawMessage) string {
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var v any
	if in.Decode(&v) != nil {
		return string(data)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return string(data)
	}
	return strings.TrimSpace(out.String())
}
