package compress

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"github.com/triad-go/triad/llm"
)

// Summarize is the tier for the whole history: a model writes a summary, which
// stands with the user's first message in the place of all but the newest
// messages. If no summary can be made, the history stays as it is, and the run
// goes on as long as the request fits (see [Capacity]); then the older messages
// are dropped without a summary, which says so. After three failures in a row
// none is asked for until that has happened.
//
// In what follows T is the trigger.
type Summarize struct {
	// Client writes the summaries; nil is the run's own. It is asked without
	// tools, and what it is asked is never compacted itself. It counts as the
	// run's own, too, if that is a wrapper whose method Unwrap() llm.Client
	// returns it.
	Client llm.Client

	Trigger Bound // the size of the request at which a summary is made; not set is T of the window, and more than that is T

	// Cached repeats the run's last request word for word and adds the
	// instruction, where Client is the run's own and the window leaves room, so
	// that the provider's cache serves it.
	Cached bool

	// After a summary the whole request has at most half of T, or one unit is
	// all that is kept. Of the last Exchanges (3 if nil; the open one counts and
	// always stays) the newest whole units are kept, up to Keep if that is set.
	Exchanges *int
	Keep      Bound

	First Bound // the user's first message is kept up to so many tokens; not set is 2,000, or 40 % of a small T
	Size  Bound // the most that a summary has; not set is 8,000, or a tenth of T

	// Without Cached the history is summarized in segments of at most Segment
	// characters (0 is 60,000), which are then merged; Result is how many
	// characters of each result are read (0 is 2,000).
	Segment, Result int
}

const (
	maxFailures   = 3
	fallbackKeeps = 10 // messages
	maxHalvings   = 3
)

// summarize puts a summary in the place of the older messages.
func (w *work) summarize(ctx context.Context, s *Summarize) {
	t := or(s.Trigger, Bound{Share: 1}).of(w.t)
	if w.now < t && !w.over() {
		return
	}
	if w.memory.failures >= maxFailures && !w.over() {
		return
	}
	p := w.look(s, t)
	size := or(s.Size, Bound{8000, 0.1}).of(t)
	if len(p.units) == 0 {
		return
	}
	keep := t
	if s.Keep != (Bound{}) {
		keep = int(float64(s.Keep.of(t)) / w.ratio)
	}
	w.settle(&p, t/2, size, keep, max(1, value(s.Exchanges, 3)), len(w.messages))
	if p.old == 0 || !w.over() && scaled(w.ratio, w.raw-p.tokens-size) < t/10 {
		return
	}
	if w.memory.failures < maxFailures {
		text, err := w.summary(ctx, s, &p, size)
		if err == nil {
			err = w.take(w.rebuilt(&p, fill(w.texts().Summary, "summary", text)+w.keptNote()))
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			w.memory.failures = 0
			w.did("summarize")
			return
		}
		w.memory.failures++
		w.out.Failed = err.Error()
	}
	if w.over() {
		w.drop(s, t, size)
	}
}

// take puts a shorter history in the place of the one there is.
func (w *work) take(messages []llm.Message) error {
	raw := w.memory.fixed.tokens()
	for _, m := range messages {
		raw += w.message(m)
	}
	if raw >= w.raw {
		return fmt.Errorf("compress: the summary saves nothing: %d tokens in place of %d", scaled(w.ratio, raw), w.now)
	}
	w.replace(messages)
	return nil
}

// drop keeps about the last ten messages, and says how many are gone.
func (w *work) drop(s *Summarize, t, size int) {
	p := w.look(s, t)
	w.settle(&p, t/2, size, t, len(w.messages), fallbackKeeps)
	if p.old == 0 {
		return
	}
	count := 0
	for i, u := range p.units {
		if i < p.cut && i != p.open {
			count += u.to - u.from
		}
	}
	note := fill(w.texts().Dropped, "count", strconv.Itoa(count))
	slot := note + w.keptNote()
	if p.slot != "" {
		slot = w.within(p.slot, size, w.texts().SectionCut) + slot
	}
	if w.take(w.rebuilt(&p, slot)) == nil {
		w.memory.failures, w.out.Dropped = 0, count
		w.did("fallback")
	}
}

// keptNote tells of the list of results that the run has kept, if it can read it.
func (w *work) keptNote() string {
	o := w.Offload
	if o == nil || o.Dir == "" || !offers(w.view.Request, ReadResult) || !(store{o.Dir}).lists(w.view.Run) {
		return ""
	}
	return w.texts().Kept
}

// own tells whether the run's own client writes the summaries, which may be
// what a wrapper is around.
func (s *Summarize) own(v View) bool {
	if s.Client == nil {
		return true
	}
	for c := v.Client; c != nil; c = unwrap(c) {
		if a, b := reflect.ValueOf(s.Client), reflect.ValueOf(c); a.Comparable() && b.Comparable() && s.Client == c {
			return true
		}
	}
	return false
}

// An unwrapper is a client that asks another and changes no request on the way.
type unwrapper interface{ Unwrap() llm.Client }

func unwrap(c llm.Client) llm.Client {
	if u, ok := c.(unwrapper); ok {
		return u.Unwrap()
	}
	return nil
}
