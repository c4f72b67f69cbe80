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
	// Each run that puts results aside, be it in memory only, leaves a folder in
	// it that is named by its id. Nothing in it is ever removed.
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
	length        int // in characters
	most          int // tokens that may take its place
	preview       int // that will, about
	out           bool
}

// aboutNote is about what the note in a preview has, in tokens.
const aboutNote = 60

// shown returns how many characters of a large result are shown.
func (o *Offload) shown() (head, tail int) {
	if o.Head == 0 && o.Tail == 0 {
		return 2000, 800
	}
	return o.Head, o.Tail
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
	all, joint := w.results(o, from, to), or(o.Joint, Bound{Share: 0.5}).of(w.t)
	limit, chars, sum := or(o.Limit, Bound{Share: 0.25}).of(w.t), or(o.Chars, 32_000), 0
	for i := range all {
		r := &all[i]
		r.out = r.tokens > r.preview && (r.tokens > limit || r.length > chars)
		sum += r.after()
	}
	slices.SortStableFunc(all, func(a, b large) int { return b.tokens - a.tokens })
	for i := range all {
		if r := &all[i]; sum > joint && !r.out && r.tokens > r.preview {
			r.out, sum = true, sum-r.tokens+r.preview
		}
	}
	if sum > joint { // there are so many that even their previews are too much
		for i := range all {
			r := &all[i]
			r.most = min(r.most, joint/len(all))
			r.preview = min(r.preview, r.most)
			r.out = r.tokens > r.preview
		}
	}
	did := false
	for _, r := range all {
		did = r.out && w.takeOut(o, r) || did
	}
	return did
}

// results returns the results of a turn that may be taken out, with what they
// have in tokens and what is about left of them.
func (w *work) results(o *Offload, from, to int) (all []large) {
	most := or(o.Preview, Bound{Share: 0.125}).of(w.t)
	head, tail := o.shown()
	for i := from; i < to; i++ {
		if w.messages[i].Origin == llm.FromSummary {
			continue
		}
		for j, p := range w.messages[i].Parts {
			r, ok := p.(llm.ToolResult)
			if !ok || w.protected(r.Name) {
				continue
			}
			l := large{message: i, part: j, result: r, tokens: w.Tokens(r.Text, isJSON(r.Text)), length: utf8.RuneCountInString(r.Text), most: most}
			l.preview = min(most, l.tokens*(head+tail)/max(1, l.length)+aboutNote)
			all = append(all, l)
		}
	}
	return all
}

func (r *large) after() int {
	if r.out {
		return r.preview
	}
	return r.tokens
}

// takeOut puts a preview in the place of a result, if that is shorter.
func (w *work) takeOut(o *Offload, r large) bool {
	was := r.result.Text
	if r.result.Name == ReadResult {
		r.result.Text = w.page(r, r.most)
	} else {
		id := ""
		if o.Dir != "" && offers(w.view.Request, ReadResult) {
			id = w.store(o, r.message, r.result)
		}
		r.result.Text = w.preview(o, was, id, r.most)
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
