package openai

import (
	"strings"

	"github.com/triad-go/triad/llm"
)

// reasoningFields are the names under which reasoning comes. Gateways send it
// under two of them at once, so one chunk gives the first that is not empty.
var reasoningFields = []string{"reasoning_content", "reasoning", "thinking", "reasoning_text"}

// A draft is a reply in the making: chunks go in, deltas come out, and at the
// end the reply. It does no I/O, and what it costs is linear in what came.
type draft struct {
	maker string        // of seals
	newID func() string // for calls without one
	hold  *holdback     // nil where calls are never read from text

	deltas  []llm.Chunk
	text    strings.Builder // refusals too
	refused bool            // there is one among it
	half    string          // of a character, at the end of the text so far

	reasoning strings.Builder
	thought   string // half of a character, likewise
	details   details
	sealed    []value // other members of the message that only their maker reads, as "name":value

	calls    calls
	reported reported
	model    string
	label    string
	begun    bool // a choice came
	streamed bool // a delta came, so that messages only repeat
}

// add takes in one chunk, and leaves in deltas what it brought.
func (d *draft) add(chunk value) error {
	d.deltas = d.deltas[:0]
	var choices value
	for name, member := range chunk.members() {
		switch string(name) {
		case "choices":
			choices = member
		case "usage":
			d.reported.add(member)
		case "x_groq":
			d.reported.add(member.member("usage"))
		case "model":
			if d.model == "" {
				d.model = member.text()
			}
		}
	}
	for choice := range choices.list() {
		if err := d.choice(choice); err != nil {
			return err
		}
	}
	return nil
}

// choice takes in one choice. There is only one reply: all but the first are
// passed over.
func (d *draft) choice(choice value) error {
	var index, delta, message, label value
	for name, member := range choice.members() {
		switch string(name) {
		case "index":
			index = member
		case "delta":
			delta = member
		case "message":
			message = member
		case "finish_reason":
			label = member
		case "usage":
			d.reported.add(member)
		}
	}
	if word := index.word(); word != "" && word != "0" {
		return nil
	}
	d.begun = true
	d.finish(label.text())
	switch {
	case message.isObject() && !d.streamed && (!delta.isObject() || d.whole(delta)):
		return d.delta(message)
	case delta.isObject():
		d.streamed = true
		return d.delta(delta)
	}
	return nil
}

// whole tells of an answer that is no stream: what its delta holds is nothing.
func (d *draft) whole(delta value) bool {
	return delta.member("content").text() == "" && delta.member("tool_calls").absent()
}

// delta takes in a delta, or a message in its place.
func (d *draft) delta(m value) error {
	var content, refusal, list, legacy, entries, extra, signature value
	var thoughts [4]value
	for name, member := range m.members() {
		switch string(name) {
		case "content":
			content = member
		case "refusal":
			refusal = member
		case "tool_calls":
			list = member
		case "function_call":
			legacy = member
		case "reasoning_details":
			entries = member
		case "extra_content":
			extra = member
		case "thought_signature":
			signature = member
		default:
			for i, field := range reasoningFields {
				if string(name) == field {
					thoughts[i] = member
				}
			}
		}
	}
	d.think(thoughts[:], entries)
	d.seal("extra_content", extra)
	d.seal("thought_signature", signature)
	if err := d.content(content); err != nil {
		return err
	}
	d.refuse(refusal.text())
	for item := range list.list() {
		if err := d.fragment(item); err != nil {
			return err
		}
	}
	if legacy.isObject() {
		return d.function(fragment{index: "function_call"}, legacy)
	}
	return nil
}

// think takes in the reasoning of one chunk.
func (d *draft) think(thoughts []value, entries value) {
	detailed := d.details.add(entries)
	for _, t := range thoughts {
		if len(t) > len(`""`) && t.isString() {
			d.reason(t.halved().join(&d.thought))
			return
		}
		if text := plain(t); text != "" {
			d.reason(text)
			return
		}
	}
	d.reason(detailed)
}

func (d *draft) reason(text string) {
	if text == "" {
		return
	}
	d.reasoning.WriteString(text)
	d.deltas = append(d.deltas, llm.ReasoningDelta(text))
}

// seal keeps a member of the message to be sent back; the last value holds.
func (d *draft) seal(name string, member value) {
	if member.absent() {
		return
	}
	head := quote(name) + ":"
	kept := append(value(head), member...)
	for i, s := range d.sealed {
		if strings.HasPrefix(string(s), head) {
			d.sealed[i] = kept
			return
		}
	}
	d.sealed = append(d.sealed, kept)
}

func (d *draft) say(text string) {
	if text == "" {
		return
	}
	d.text.WriteString(text)
	if d.hold != nil {
		text = d.hold.pass(text)
	}
	if text != "" {
		d.deltas = append(d.deltas, llm.TextDelta(text))
	}
}

func (d *draft) refuse(text string) {
	d.refused = d.refused || text != ""
	d.say(text)
}
