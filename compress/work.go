package compress

import (
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A work is one look at one request.
type work struct {
	*Tiers
	counter

	view   View
	memory *Memory
	words  *Texts

	window, t, capacity int

	messages []llm.Message // as they will be
	owned    bool          // they may be written to
	changed  bool          // they are not those of the view
	read     []llm.Message // those before anything that was sent already was cleared
	raw      int           // raw tokens of the request with messages
	ratio    float64       // of what was reported to the raw estimate
	now      int           // tokens of the request, calibrated
	out      Compaction
}

func (t *Tiers) begin(v View) *work {
	w := &work{
		Tiers: t, view: v, memory: v.Memory, messages: v.Request.Messages,
		counter: counter{or(t.Estimator, Estimator(Characters{})), v.Dialect},
	}
	if w.memory == nil {
		w.memory = &Memory{}
	}
	m := w.memory
	m.change(v)
	m.sync(w.counter, v.Request, w.freed)
	w.raw = m.raw(len(w.messages))
	w.now = m.calibrated(v)
	w.window = or(t.Window, v.Dialect.ContextWindow())
	for _, learned := range []int{v.Window, m.window} {
		if learned > 0 {
			w.window = min(w.window, learned)
		}
	}
	if v.Overflow != nil {
		w.learn(v.Overflow)
	}
	w.t, w.capacity = Trigger(w.window), Capacity(w.window)
	w.ratio = float64(w.now) / float64(max(w.raw, 1))
	if v.Overflow == nil { // a refusal is believed whatever it comes to
		w.ratio = clamp(w.ratio)
	}
	return w
}

// learn takes in that the provider refused the request as too long. Where it
// names no window, the request itself is taken for the measure, this once.
func (w *work) learn(e *llm.Error) {
	w.now = max(w.now, e.Input)
	if e.Input > 0 {
		w.memory.ratio = clamp(float64(e.Input) / float64(max(w.raw, 1)))
	}
	switch {
	case e.Window > 0 && e.Window < w.window:
		w.window, w.memory.window, w.out.Window = e.Window, e.Window, e.Window
	case e.Window == 0:
		w.window = min(w.window, or(e.Input, w.now))
	}
	w.now = max(w.now, w.window)
}

// over tells whether the request does not go out as it is.
func (w *work) over() bool { return w.now > w.capacity }

// texts returns the words of this compressor, made whole when first needed.
func (w *work) texts() *Texts {
	if w.words == nil {
		w.words = w.Texts.complete()
	}
	return w.words
}

func (w *work) protected(tool string) bool {
	if w.view.Protected != nil && w.view.Protected(tool) {
		return true
	}
	if w.Tiers.Protected == nil {
		return strings.EqualFold(tool, "load_skill")
	}
	return slices.ContainsFunc(w.Tiers.Protected, func(name string) bool { return strings.EqualFold(name, tool) })
}

// put puts a message in the place of message i.
func (w *work) put(i int, m llm.Message) {
	if !w.owned {
		w.messages, w.owned = slices.Clone(w.messages), true
	}
	w.raw += w.message(m) - w.size(i)
	w.messages[i], w.changed = m, true
	w.now = scaled(w.ratio, w.raw)
}

// size returns the raw tokens of message i.
func (w *work) size(i int) int {
	if w.changed {
		return w.message(w.messages[i])
	}
	return w.memory.at(i+1).sum - w.memory.at(i).sum
}

// replace puts other messages in the place of all.
func (w *work) replace(messages []llm.Message) {
	w.raw = w.memory.fixed.tokens()
	for _, m := range messages {
		w.raw += w.message(m)
	}
	w.messages, w.changed, w.now = messages, true, scaled(w.ratio, w.raw)
}

// did notes that a tier did something.
func (w *work) did(tier string) { w.out.Tiers = append(w.out.Tiers, tier) }

// end says what came of it.
func (w *work) end() (Compaction, error) {
	if len(w.out.Tiers) > 0 {
		if sound, mended := w.mended(w.messages); mended {
			w.replace(sound)
		}
		before := w.memory.raw(len(w.view.Request.Messages))
		w.out.Changed = true
		w.out.Keep = w.common()
		w.out.Messages = w.messages[w.out.Keep:]
		w.out.Before, w.out.After = scaled(w.ratio, before), w.now
		w.out.MessagesBefore, w.out.MessagesAfter = len(w.view.Request.Messages), len(w.messages)
		w.memory.kept = w.out.Keep
	}
	if w.over() || w.view.Overflow != nil && !w.out.Changed {
		return w.spent(), w.full()
	}
	return w.out, nil
}

// spent is what there is to tell of beside an error.
func (w *work) spent() Compaction {
	return Compaction{Usage: w.out.Usage, Model: w.out.Model, Window: w.out.Window, Failed: w.out.Failed}
}

// common returns how many messages stay as they were at the beginning.
func (w *work) common() (n int) {
	was := w.view.Request.Messages
	for n < min(len(was), len(w.messages)) && same(was[n], w.messages[n]) {
		n++
	}
	return n
}

// same tells whether two messages are one.
func same(a, b llm.Message) bool {
	if len(a.Parts) == 0 || len(b.Parts) == 0 {
		return len(a.Parts) == len(b.Parts) && a.Role == b.Role && a.Origin == b.Origin
	}
	return len(a.Parts) == len(b.Parts) && &a.Parts[0] == &b.Parts[0]
}

// full says what fills the window.
func (w *work) full() *FullError {
	e := &FullError{
		Window: w.window, Limit: w.capacity, Request: w.now, Refusal: w.view.Overflow, Place: -1,
		System: scaled(w.ratio, w.memory.fixed.systemTokens), Tools: scaled(w.ratio, w.memory.fixed.toolTokens),
	}
	e.Messages = w.now - e.System - e.Tools
	for i, m := range w.messages {
		if n := scaled(w.ratio, w.message(m)); n > e.Largest {
			e.Largest, e.Place = n, i
		}
	}
	return e
}
