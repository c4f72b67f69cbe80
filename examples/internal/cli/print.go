package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
)

// Show prints an event: as one JSON line, or for people.
func (o *Options) Show(e agent.Event) {
	o.show.mu.Lock()
	defer o.show.mu.Unlock()
	if o.JSON {
		o.show.json(encode(e))
		return
	}
	o.show.event("", e)
}

// Note prints a line for people; with -json it prints nothing.
func (o *Options) Note(format string, args ...any) {
	o.show.mu.Lock()
	defer o.show.mu.Unlock()
	if !o.JSON {
		o.show.note(format, args...)
	}
}

// Ask shows a question and asks for a line. With -json it prints nothing: the
// paused event has told.
func (o *Options) Ask(q agent.Question) {
	o.show.mu.Lock()
	defer o.show.mu.Unlock()
	if !o.JSON {
		o.show.prompt(q)
	}
}

// A printer writes to standard output.
type printer struct {
	mu       sync.Mutex // held by the methods of Options
	out      io.Writer
	open     bool // a line of text has begun and not ended
	streamed bool // text of the reply under way was shown
	said     bool // text of the model was shown
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
			p.streamed = true
			p.answer(string(e))
		}
	case agent.Replied:
		if path == "" && !p.streamed { // a client need not show deltas
			p.answer(e.Reply.Message.Text())
		}
		p.streamed = false
	case agent.WrappedUp:
		if path == "" {
			p.end()
			p.answer(e.Text)
		}
	case agent.Compacted:
		p.note("%s(context compacted by %s: %d tokens to %d)", path, strings.Join(e.Tiers, ", "), e.Before, e.After)
	case agent.Restart:
		p.streamed = p.streamed && path != "" // a run within shows no text
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
	case agent.Said:
		if path == "" && !e.Prompt { // the person sees the prompt already
			p.note("+ %s", short(e.Text))
		}
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

// answer shows what the model says.
func (p *printer) answer(s string) {
	p.said = p.said || s != ""
	p.text(s)
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
	if !p.said { // it had ended before
		p.text(r.Text)
	}
	p.end()
	switch r.Reason {
	case agent.Completed, agent.Going:
	case agent.Waits:
		for _, q := range r.Questions {
			p.question(q)
		}
		if run == "" {
			p.note("(paused, and nothing was kept: run it with -journal)")
		} else {
			p.note("(paused: go on with -run %s -answer QUESTION=ANSWER)", run)
		}
	default:
		p.note("(%s)", why(r))
	}
}

// why says what ended a run.
func why(r agent.Result) string {
	says := string(r.Reason)
	for _, more := range []string{string(r.Cause), r.Detail} {
		if more != "" {
			says += ": " + more
		}
	}
	if r.Limit != nil {
		unit := r.Limit.Limit
		if unit == budget.Time {
			unit = "seconds"
		}
		says += fmt.Sprintf(": %v of %v %s", r.Limit.Used, r.Limit.Max, unit)
	}
	return says
}
