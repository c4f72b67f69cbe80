package compress

import (
	"slices"
	"unicode/utf8"

	"github.com/triad-go/triad/llm"
)

// Offload is the tier for single large results: when they come, they are
// written to a store, and the history keeps their beginning, their end and an
// id, with which the tool read_result reads them back in pages. Without a
// store, in a request that does not offer that tool, and where writing fails,
// they are cut to the same. It never changes what was sent before.
//
// Results of protected tools stay whole, and so do those of read_result, but
// for a page that is too large itself: it ends earlier.
type Offload struct {
	// Dir is the folder of the store, made when first needed; empty is none.
	// Each run has a folder of its own in it. Nothing in it is ever removed.
	Dir string

	Chars int   // a result of more characters is large; 0 is 32,000
	Limit Bound // a result of more tokens is large; not set is a quarter of T
	Joint Bound // what all results of a turn may have together, the largest going first; not set is half of T

	Head, Tail int   // how many characters are shown; 0 and 0 are 2,000 and 800
	Preview    Bound // the most that is shown, in tokens, with the note about it; not set is an eighth of T
}

// A large is a result on its way out of the history.
type large struct {
	message, part int
	result        llm.ToolResult
	tokens        int
	out           bool
}

// offload looks at each result once. After a refusal it looks again, as what is
// large has changed.
func (w *work) offload(o *Offload) {
	m := w.memory
	from := m.looked
	if w.view.Overflow != nil {
		from = 0
	}
	m.looked = len(w.messages)
	if m.at(m.looked).last < from {
		return
	}
	did := false
	for from < len(w.messages) {
		to := from + 1
		for to < len(w.messages) && w.messages[from].Role == llm.Tool && w.messages[to].Role == llm.Tool {
			to++
		}
		if w.messages[from].Role == llm.Tool && w.shrink(o, from, to) {
			did = true
		}
		from = to
	}
	if did {
		w.did("offload")
	}
}

// shrink takes out the large results of one turn.
func (w *work) shrink(o *Offload, from, to int) bool {
	all, joint := w.results(from, to), or(o.Joint, Bound{Share: 0.5}).of(w.t)
	limit, preview := or(o.Limit, Bound{Share: 0.25}).of(w.t), or(o.Preview, Bound{Share: 0.125}).of(w.t)
	chars, sum := or(o.Chars, 32_000), 0
	for i := range all {
		r := &all[i]
		r.out = r.tokens > preview && (r.tokens > limit || utf8.RuneCountInString(r.result.Text) > chars)
		sum += r.after(preview)
	}
	slices.SortStableFunc(all, func(a, b large) int { return b.tokens - a.tokens })
	for i := range all {
		if r := &all[i]; sum > joint && !r.out && r.tokens > preview {
			r.out, sum = true, sum-r.tokens+preview
		}
	}
	if sum > joint { // there are so many that even their previews are too much
		preview = joint / len(all)
		for i := range all {
			all[i].out = all[i].tokens > preview
		}
	}
	did := false
	for _, r := range all {
		did = r.out && w.takeOut(o, r, preview) || did
	}
	return did
}

// results returns the results of a turn that may be taken out, and what they
// have in tokens.
func (w *work) results(from, to int) (all []large) {
	for i := from; i < to; i++ {
		if w.messages[i].Origin == llm.FromSummary {
			continue
		}
		for j, p := range w.messages[i].Parts {
			if r, ok := p.(llm.ToolResult); ok && !w.protected(r.Name) {
				all = append(all, large{message: i, part: j, result: r, tokens: w.Tokens(r.Text, isJSON(r.Text))})
			}
		}
	}
	return all
}

func (r *large) after(preview int) int {
	if r.out {
		return preview
	}
	return r.tokens
}

// takeOut puts a preview in the place of a result, if that is shorter.
func (w *work) takeOut(o *Offload, r large, preview int) bool {
	was := r.result.Text
	if r.result.Name == ReadResult {
		r.result.Text = w.page(r, preview)
	} else {
		id := ""
		if o.Dir != "" && offers(w.view.Request, ReadResult) {
			id = w.store(o, r.message, r.result)
		}
		r.result.Text = w.preview(o, was, id, preview)
	}
	if w.Tokens(r.result.Text, false) >= r.tokens {
		return false
	}
	m := w.messages[r.message]
	m.Parts = slices.Clone(m.Parts)
	m.Parts[r.part] = r.result
	w.put(r.message, m)
	return true
}
