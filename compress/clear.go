package compress

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// Clear is the tier for old results: all that may be are replaced at once by
// placeholders, which say what was there and to call again. The messages stay
// as many as they were, and ids the same. A message of results is cleared once,
// as a whole but for its short and its protected results; it is known by its
// origin, [llm.FromSummary], and never by its text.
type Clear struct {
	// Trigger is the size of the request at which it clears; not set is 100,000
	// tokens or 60 % of T. It is never above T − 1. Early clears whatever the
	// size, as soon as enough can be freed.
	Trigger Bound
	Early   bool

	Free Bound // how much must be freed at least, unless the request would not fit; not set is a tenth of T

	// Keep is how many of the newest results stay, 3 if nil, with their mates of
	// the same turn; KeepTokens bounds what they have together, if set. Results of
	// the last turn always stay: the model has not seen them yet.
	Keep       *int
	KeepTokens Bound

	Least int // results of fewer characters stay; 0 is 400
}

// clear replaces old results, if that frees enough.
func (w *work) clear(c *Clear) {
	trigger := min(or(c.Trigger, Bound{100_000, 0.6}).of(w.t), w.t-1)
	forced := w.over() || w.view.Overflow != nil
	if !c.Early && w.now < trigger && !forced {
		return
	}
	to := w.newest(c)
	freed := scaled(w.ratio, w.clearable(to))
	if freed == 0 || freed < or(c.Free, Bound{Share: 0.1}).of(w.t) && !forced {
		return
	}
	did := false
	for i, m := range w.messages[:to] {
		if w.freed(m) > 0 {
			w.put(i, w.cleared(m))
			did = true
		}
	}
	if did {
		w.did("clear")
	}
}

// newest returns the message at which the results that stay begin.
func (w *work) newest(c *Clear) int {
	keep, room := value(c.Keep, 3), w.t
	if c.KeepTokens != (Bound{}) {
		room = c.KeepTokens.of(w.t)
	}
	to, kept := len(w.messages), 0
	for i := w.memory.at(len(w.messages)).last; i >= 0; i = w.memory.at(i).last {
		results := w.messages[i].Results()
		for _, r := range results {
			room -= scaled(w.ratio, w.result(r))
		}
		if to < len(w.messages) && (kept >= keep || room < 0 && c.KeepTokens != (Bound{})) {
			break
		}
		kept, to = kept+len(results), i
	}
	for to > 0 && to < len(w.messages) && w.messages[to-1].Role == llm.Tool {
		to-- // of the same turn
	}
	return to
}

// clearable returns how many raw tokens clearing the results before message
// to would free.
func (w *work) clearable(to int) int { return w.memory.at(to).free }

// freed returns how many raw tokens clearing a message would free.
func (w *work) freed(m llm.Message) (sum int) {
	if w.Clear == nil || m.Role != llm.Tool || m.Origin == llm.FromSummary {
		return 0
	}
	for _, p := range m.Parts {
		if r, ok := p.(llm.ToolResult); ok && w.mayClear(r) {
			sum += max(0, w.result(r)-clearedTokens)
		}
	}
	return sum
}

// clearedTokens is about what a placeholder has.
const clearedTokens = 60

func (w *work) mayClear(r llm.ToolResult) bool {
	long := len(r.Images) > 0 || len(r.Text) >= or(w.Clear.Least, 400) && utf8.RuneCountInString(r.Text) >= or(w.Clear.Least, 400)
	return long && !w.protected(r.Name)
}

// cleared returns the message with placeholders in it.
func (w *work) cleared(m llm.Message) llm.Message {
	m.Parts, m.Origin = slices.Clone(m.Parts), llm.FromSummary
	for i, p := range m.Parts {
		if r, ok := p.(llm.ToolResult); ok && w.mayClear(r) {
			m.Parts[i] = w.placeholder(r)
		}
	}
	return m
}

func (w *work) placeholder(r llm.ToolResult) llm.ToolResult {
	text, id := w.texts().Cleared, w.keptAs(r.Text)
	if id != "" {
		text = w.texts().ClearedKept
	}
	short := r
	short.Text, short.Images = fill(text, "tool", r.Name, "length", strconv.Itoa(utf8.RuneCountInString(r.Text)), "id", id), nil
	if w.result(short) >= w.result(r) {
		return r
	}
	return short
}
