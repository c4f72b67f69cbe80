package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/triad-go/triad/agent"
)

// Show prints an event: as one JSON line, or for people.
func (o *Options) Show(e agent.Event) {
	if o.JSON {
		o.show.json(encode(e))
		return
	}
	o.show.event("", e)
}

// A printer writes to standard output.
type printer struct {
	out  io.Writer
	open bool // a line of text has begun and not ended
}

func (p *printer) json(line []byte) { fmt.Fprintf(p.out, "%s\n", line) }

// event shows what a person wants to see of e; path leads to the run within
// that it is of.
func (p *printer) event(path string, e agent.Event) {
	switch e := e.(type) {
	case agent.Inner:
		p.event(path+e.Path+" ", e.Event)
	case agent.TextDelta:
		if path == "" { // the text of runs within comes up as their results
			p.text(string(e))
		}
	case agent.Restart:
		p.note("%s(the answer begins again: %v)", path, e.Cause)
	case agent.RetryNotice:
		p.note("%s(attempt %d failed: %v)", path, e.Attempt, e.Cause)
	case agent.CallStarted:
		p.note("%s→ %s %s", path, e.Name, short(string(e.Arguments)))
	case agent.CallEnded:
		how := ""
		if e.Result.Failed() {
			how = " (" + string(e.Result.Outcome) + ")"
		}
		p.note("%s← %s%s: %s", path, e.Name, how, short(e.Result.Text))
	case agent.Progress:
		p.note("%s  %s", path, short(e.Text))
	case agent.Noted:
		p.note("%s(%s: %s)", path, e.Message.Origin, short(e.Message.Text()))
	case agent.Verified:
		if e.Pass {
			p.note("%s(verified)", path)
		} else {
			p.note("%s(not verified: %s)", path, short(e.Why+e.Fault))
		}
	}
}

// short makes one line of a text, of bounded length.
func short(s string) string {
	const most = 100
	first, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(first); len(r) > most {
		return string(r[:most]) + " …"
	}
	if more {
		return fmt.Sprintf("%s … (%d more lines)", first, 1+strings.Count(rest, "\n"))
	}
	return first
}

func (p *printer) text(s string) {
	if s != "" {
		fmt.Fprint(p.out, s)
		p.open = !strings.HasSuffix(s, "\n")
	}
}

// note prints a line of its own.
func (p *printer) note(format string, args ...any) {
	p.end()
	fmt.Fprintf(p.out, format+"\n", args...)
}

func (p *printer) end() {
	if p.open {
		fmt.Fprintln(p.out)
	}
	p.open = false
}

// question prints what a run waits for.
func (p *printer) question(q agent.Question) {
	p.note("? %s: %s", q.ID, q.Text)
	if len(q.Arguments) > 0 {
		p.note("  %s %s", q.Name, q.Arguments)
	}
	if len(q.Choices) > 0 {
		p.note("  (%s)", strings.Join(q.Choices, " | "))
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

// result prints how the run ended, where its answer does not say it.
func (p *printer) result(run string, r agent.Result) {
	p.end()
	switch {
	case r.Reason == agent.Completed:
	case r.Reason == agent.Waits:
		for _, q := range r.Questions {
			p.question(q)
		}
		if run == "" {
			p.note("(paused, and nothing was kept: run it with -journal)")
		} else {
			p.note("(paused: go on with -run %s -answer QUESTION=ANSWER)", run)
		}
	case r.Detail != "":
		p.note("(%s: %s)", r.Reason, r.Detail)
	case r.Reason != agent.Going:
		p.note("(%s)", r.Reason)
	}
}
