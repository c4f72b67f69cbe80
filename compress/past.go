package compress

import (
	"slices"

	"github.com/triad-go/triad/llm"
)

// A past is a history as the summary tier sees it: what stands at its head
// whatever happens, and the units after that.
type past struct {
	lead  []llm.Message // system messages
	first llm.Parts     // the user's first message, as far as it is kept
	slot  string        // the earlier summary, as it is told; empty if there is none
	units []unit

	carried []carried // texts of protected tools
	cut     int       // the unit at which the kept messages begin
	open    int       // the unit with the user's message of an exchange that is cut; -1 if none
	room    int       // raw tokens that the kept messages may have
	old     int       // raw tokens of what is not kept
	tokens  int       // raw tokens of what will stand in the place of the history, without the summary
}

// A carried is a protected text that outlives its message.
type carried struct {
	part   llm.Text
	unit   int // -1: it was carried before
	tokens int
}

// look finds the parts of a history.
func (w *work) look(s *Summarize, t int) past {
	p := past{open: -1}
	i := 0
	for i < len(w.messages) && w.messages[i].Role == llm.System {
		i++
	}
	p.lead = w.messages[:i:i]
	if i < len(w.messages) && isHead(w.messages[i]) {
		p.readHead(w.messages[i].Parts)
		if i++; i < len(w.messages) && w.messages[i].Role == llm.Assistant && w.messages[i].Origin == llm.FromSummary {
			i++
		}
	} else {
		k := slices.IndexFunc(w.messages, fromUser)
		p.first = w.opening(k, or(s.First, Bound{2000, 0.4}).of(t))
		if k == i {
			i++
		}
	}
	p.units = w.units(i)
	return p
}

// isHead tells whether a message is one that took the place of a history.
func isHead(m llm.Message) bool { return m.Role == llm.User && m.Origin == llm.FromSummary }

// readHead takes apart what [work.head] put together: the first text and its
// images, the summary, carried texts.
func (p *past) readHead(parts llm.Parts) {
	n := min(1, len(parts))
	for n < len(parts) {
		if _, ok := parts[n].(llm.Image); !ok {
			break
		}
		n++
	}
	p.first = parts[:n:n]
	for k, part := range parts[n:] {
		switch text, _ := part.(llm.Text); k {
		case 0:
			p.slot = string(text)
		default:
			p.carried = append(p.carried, carried{part: text, unit: -1})
		}
	}
}

// opening returns message k word for word, as far as it has at most that many tokens.
func (w *work) opening(k, most int) llm.Parts {
	if k < 0 {
		return llm.Parts{llm.Text(w.texts().NoText)}
	}
	m := w.messages[k]
	text := m.Text()
	if text == "" {
		text = w.texts().NoText
	}
	parts := llm.Parts{llm.Text(w.within(text, most, w.texts().FirstCut))}
	most -= w.text(text)
	for _, part := range m.Parts {
		if image, ok := part.(llm.Image); ok && most >= perImage {
			parts, most = append(parts, image), most-perImage
		}
	}
	return parts
}

// settle decides what is kept. size is what the summary may have; keep bounds
// the kept messages, in raw tokens, and messages their number.
func (w *work) settle(p *past, target, size, keep, exchanges, messages int) {
	fixed := w.memory.fixed.tokens() + size + w.message(w.acknowledgement()) + perMessage
	for _, m := range p.lead {
		fixed += w.message(m)
	}
	fixed += w.message(llm.Message{Role: llm.User, Parts: p.first})
	p.room = int(float64(target)/w.ratio) - fixed
	last := len(p.units) - 1
	w.carry(p, p.room-p.units[last].tokens)
	for _, c := range p.carried {
		p.room -= c.tokens
		fixed += c.tokens
	}
	p.choose(min(p.room, keep), exchanges, messages)
	p.carried = slices.DeleteFunc(p.carried, func(c carried) bool {
		if c.unit >= p.cut {
			fixed -= c.tokens
		}
		return c.unit >= p.cut
	})
	p.tokens = fixed - size
	for i, u := range p.units {
		switch {
		case i >= p.cut || i == p.open:
			p.tokens += u.tokens
		default:
			p.old += u.tokens
		}
	}
}

// carry chooses the protected texts that are carried over, newest first, as far
// as there is room.
func (w *work) carry(p *past, room int) {
	var all []carried
	for i := len(p.units) - 2; i >= 0; i-- {
		for _, m := range w.messages[p.units[i].from:p.units[i].to] {
			for _, r := range m.Results() {
				if w.protected(r.Name) {
					text := llm.Text(fill(w.texts().Carried, "tool", r.Name, "text", r.Text))
					all = append(all, carried{part: text, unit: i})
				}
			}
		}
	}
	all = append(all, p.carried...)
	p.carried = nil
	for _, c := range all {
		c.tokens = w.text(string(c.part))
		known := slices.ContainsFunc(p.carried, func(d carried) bool { return d.part == c.part })
		if !known && c.tokens <= room {
			p.carried, room = append(p.carried, c), room-c.tokens
		}
	}
}

// choose finds the cut: before a user message if one fits, or else inside the
// open exchange, before an assistant message; then that exchange's user message
// stays too. The last unit is always kept.
func (p *past) choose(room, exchanges, messages int) {
	open := len(p.units) - 1
	for open >= 0 && !p.units[open].starts {
		open--
	}
	p.open = -1
	if p.cut = p.walk(room, exchanges, messages, func(u unit) bool { return u.starts }); p.cut >= 0 {
		return
	}
	if open >= 0 {
		p.open, room = open, room-p.units[open].tokens
	}
	if p.cut = p.walk(room, exchanges, messages, func(u unit) bool { return u.speaks }); p.cut < 0 {
		p.cut = len(p.units) - 1
	}
}

// walk goes back from the end as far as there is room and returns the earliest
// unit that is fit to begin with; -1 if there is none.
func (p *past) walk(room, exchanges, messages int, fit func(unit) bool) int {
	best, last := -1, len(p.units)-1
	for i := last; i >= 0 && exchanges > 0; i-- {
		u := p.units[i]
		room -= u.tokens
		for _, c := range p.carried {
			if c.unit == i {
				room += c.tokens // kept in its message, it is not carried
			}
		}
		messages -= u.to - u.from
		if i < last && (room < 0 || messages < 0) {
			break
		}
		if fit(u) {
			best = i
		}
		if u.starts {
			exchanges--
		}
	}
	return best
}

// kept returns the messages that stay as they are.
func (w *work) kept(p *past) (messages []llm.Message) {
	if p.open >= 0 {
		messages = append(messages, w.messages[p.units[p.open].from])
	}
	return append(messages, w.messages[p.units[p.cut].from:]...)
}

// rebuilt returns the history with slot in the place of what is not kept.
func (w *work) rebuilt(p *past, slot string) []llm.Message {
	kept := w.kept(p)
	parts := append(slices.Clone(p.first), llm.Text(slot))
	for _, c := range p.carried {
		parts = append(parts, c.part)
	}
	messages := append(slices.Clone(p.lead), llm.Message{Role: llm.User, Origin: llm.FromSummary, Parts: parts})
	if kept[0].Role != llm.Assistant {
		messages = append(messages, w.acknowledgement())
	}
	return append(messages, kept...)
}

// acknowledgement is the message between the summary and a user's.
func (w *work) acknowledgement() llm.Message {
	text := w.texts().Acknowledged
	m := llm.Message{Role: llm.Assistant, Origin: llm.FromSummary, Parts: llm.Parts{llm.Text(text)}}
	if w.dialect.EchoReasoning == llm.EchoAll { // every message must have some
		m.Parts = llm.Parts{llm.Reasoning{Text: text}, llm.Text(text)}
	}
	return m
}
