package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/tool"
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
	judged   bool // what the verifier says was shown
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
		if path == "" {
			p.end() // the next reply is another one
		}
		p.streamed = false
		p.stopped(path, e)
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
		p.note("%s→ %s %s", path, e.Name, short(plain(e.Arguments)))
	case agent.CallEnded:
		p.called(path, e.Name, e.Result)
	case agent.Progress:
		p.note("%s  %s", path, short(e.Text))
	case agent.Said:
		if path == "" && !e.Prompt { // the person sees the prompt already
			p.note("+ %s", short(e.Text))
		}
	case agent.Noted:
		p.note("%s(%s: %s)", path, e.Message.Origin, short(e.Message.Text()))
	case agent.Verified:
		p.verified(path, e)
	}
}

// stopped shows the calls of a reply that the gates have stopped: they neither
// start nor end, and what the model is told stands with the reply.
func (p *printer) stopped(path string, e agent.Replied) {
	for i, call := range e.Reply.Message.Calls() {
		if i < len(e.Checks) && e.Checks[i].Stopped() {
			p.called(path, call.Name, e.Checks[i].Result())
		}
	}
}

// called shows what came of a call.
func (p *printer) called(path, name string, r tool.Result) {
	how := ""
	if r.Failed() {
		how = " (" + string(r.Outcome) + ")"
	}
	p.note("%s← %s%s: %s", path, name, how, short(r.Text))
}

// verified shows what a verifier says: of the run itself all of it, so that the
// end need not say it again.
func (p *printer) verified(path string, e agent.Verified) {
	why := e.Why + e.Fault
	switch {
	case e.Pass:
		p.note("%s(verified)", path)
		return
	case path != "":
		why = short(why)
	default:
		p.judged = true
	}
	p.note("%s(not verified: %s)", path, why)
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

// result prints how the run ended, where its answer does not say it.
func (p *printer) result(run string, r agent.Result) {
	if !p.said { // it had ended before
		p.text(r.Text)
	}
	p.end()
	switch r.Reason {
	case agent.Completed, agent.Going:
	case broken: // the error tells
	case agent.Unverified:
		if p.judged {
			r.Detail = ""
		}
		p.note("(%s)", why(r))
	case agent.Waits:
		for _, q := range r.Questions {
			p.question(q)
		}
		if run == "" {
			p.note("(paused, and nothing was kept: run it with -journal)")
		} else {
			p.note("(paused: go on with -run %s -answer %s)", run, form(r.Questions))
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
