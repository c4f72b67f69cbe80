package openai

import (
	"strings"

	"github.com/triad-go/triad/llm"
)

// Some providers send things beside the text that only they can read, and want
// them back: signatures over reasoning, encrypted reasoning. They are kept as a
// [llm.Seal], whose data is a JSON object with the members as they came. The
// seal of a [llm.Reasoning] holds members of the message, that of a call
// members of the call:
//
//	{"reasoning_details": [{"type": "reasoning.encrypted", "data": "…"}]}
//	{"extra_content": {"google": {"thought_signature": "…"}}}
//
// To send a seal back is to put its members where they were.

// maker returns the name that d's seals bear.
func maker(d llm.Dialect) string {
	if d.Maker != "" {
		return d.Maker
	}
	return d.Name
}

// details are the reasoning_details of a stream. Pieces of one entry are
// joined, so that the list can be sent back as if it had never been in pieces.
type details struct {
	entries []*entry
	opaque  bool // there is something in them beside text
}

type entry []*field

// A field is a member of an entry: a value, or a text that came in pieces.
type field struct {
	name   string
	value  value
	pieces strings.Builder
}

// add takes in one list of entries and returns the text in them.
func (d *details) add(list value) string {
	var text strings.Builder
	for item := range list.list() {
		e := d.entry(item)
		for name, member := range item.members() {
			f := e.field(string(name))
			switch f.name {
			case "text", "summary":
				text.WriteString(f.join(member))
			case "data", "signature":
				if f.join(member) != "" {
					d.opaque = true
				}
			default:
				f.set(member)
			}
		}
	}
	return text.String()
}

// entry returns the entry that item is a piece of, or a new one. Only the last
// one can go on; encrypted data is never in pieces.
func (d *details) entry(item value) *entry {
	if n := len(d.entries); n > 0 && d.entries[n-1].continues(item) {
		return d.entries[n-1]
	}
	e := &entry{}
	d.entries = append(d.entries, e)
	return e
}

func (e *entry) continues(item value) bool {
	if !item.member("data").absent() {
		return false
	}
	for _, name := range []string{"type", "index", "id"} {
		known, now := e.field(name).value, item.member(name)
		if !known.absent() && !now.absent() && string(known) != string(now) {
			return false
		}
	}
	return true
}

func (e *entry) field(name string) *field {
	for _, f := range *e {
		if f.name == name {
			return f
		}
	}
	f := &field{name: name}
	*e = append(*e, f)
	return f
}

// join appends a piece and returns it.
func (f *field) join(member value) string {
	piece := member.text()
	f.pieces.WriteString(piece)
	if piece == "" {
		f.set(member)
	}
	return piece
}

// set keeps the first value; null gives way to a later one.
func (f *field) set(member value) {
	if f.value.absent() {
		f.value = append(value(nil), member...)
	}
}

// encode returns the list as JSON.
func (d *details) encode() string {
	var out strings.Builder
	out.WriteByte('[')
	for i, e := range d.entries {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('{')
		mark := ""
		for _, f := range *e {
			text := string(f.value)
			if f.pieces.Len() > 0 {
				text = quote(f.pieces.String())
			}
			if text != "" {
				out.WriteString(mark + quote(f.name) + ":" + text)
				mark = ","
			}
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	return out.String()
}
