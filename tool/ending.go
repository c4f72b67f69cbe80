package tool

import (
	"context"
	"encoding/json"
	"time"
)

// told returns a result of the tool as it is told.
func (t *Tool) told(r Result) Result {
	if r.Text != "" || len(r.Images) == 0 {
		r.Text = t.said(r.Text)
	}
	return r
}

// failed returns the ending of a call that came back with an error or a failed
// result, in time and of its own accord.
func (t *Tool) failed(f *flight) Ending {
	words := t.words()
	if f.signal != nil {
		problem := ""
		if pause, ok := f.signal.(*Pause); ok {
			problem = pause.fault()
		}
		if problem == "" {
			return Ending{Signal: f.signal}
		}
		return Ending{Result: Result{Text: fill(words.BadPause, "problem", problem), Outcome: Failed}}
	}
	r := Result{Outcome: Failed, Changed: f.result.Changed}
	switch err := f.err.(type) {
	case nil:
		r = t.told(f.result)
	case *panicked:
		r.Text, r.Outcome = t.panic(err, f.said), Panicked
	case *badArguments:
		r.Text, r.Outcome = words.badArguments(t.Name, []fault{err.fault}), BadArguments
	default:
		r.Text = t.said(f.said)
	}
	return Ending{Result: r}
}

func (t *Tool) panic(p *panicked, said string) string {
	words := t.words()
	text := words.NoReturn
	if p.value != nil {
		text = said
	}
	return fill(words.Panicked, "panic", t.bounded(text))
}

// back returns what a call that was stopped came back with, as it is told.
func (t *Tool) back(f *flight) string {
	switch err := f.err.(type) {
	case nil:
		if f.result.Text == "" {
			return ""
		}
		return t.said(f.result.Text)
	case *panicked:
		return t.panic(err, f.said)
	default:
		if err == context.Canceled || err == context.DeadlineExceeded {
			return "" // it only did as it was told
		}
		return t.said(f.said)
	}
}

// stopped returns the result of a call that met its limit or the end of ctx.
func (t *Tool) stopped(ctx context.Context, limit time.Duration, back string, changed Change) Result {
	words := t.words()
	r := Result{Outcome: TimedOut, Changed: changed}
	r.Text = fill(words.TimedOut, "limit", limit.String())
	if ctx.Err() != nil {
		r.Text, r.Outcome = words.Canceled, Canceled
	}
	if back != "" {
		r.Text += fill(words.Said, "text", back)
	}
	return r
}

// givenUp returns the ending of a call that ignored that it was canceled.
func (t *Tool) givenUp(ctx context.Context, f *flight, limit time.Duration) Ending {
	r := t.stopped(ctx, limit, "", "")
	r.Text += t.words().StillRunning
	return Ending{Result: r, Late: f.late()}
}

// fault returns why the pause can't be kept, or "".
func (p *Pause) fault() string {
	switch {
	case p == nil:
		return "it is nil"
	case p.Question == "":
		return "it has no question"
	case len(p.Saved) > 0 && !json.Valid(p.Saved):
		return "what it saved is not JSON"
	}
	return ""
}
