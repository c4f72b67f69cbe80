package openai

import (
	"errors"

	"github.com/triad-go/triad/llm"
)

// A fragment is a streamed piece of a call. What did not come is empty.
type fragment struct {
	index string // as it stands on the wire
	id    string
	name  string
	args  halved
	seal  string
}

// fragment takes in one entry of tool_calls.
func (d *draft) fragment(item value) error {
	if item.absent() {
		return nil
	}
	if !item.isObject() {
		return errors.New("a tool call is no object")
	}
	var f fragment
	function := item
	for name, member := range item.members() {
		switch string(name) {
		case "index":
			f.index = member.word()
		case "id":
			f.id = member.word()
		case "function":
			if member.isObject() {
				function = member
			}
		case "extra_content", "thought_signature":
			if !member.absent() {
				f.seal = "{" + quote(string(name)) + ":" + string(member) + "}"
			}
		}
	}
	return d.function(f, function)
}

// function completes a fragment with its name and arguments. Arguments that are
// no string are taken as they stand on the wire.
func (d *draft) function(f fragment, function value) error {
	f.name = function.member("name").text()
	if args := function.member("arguments"); args.isString() {
		f.args = args.halved()
	} else if !args.absent() {
		f.args.text = string(args)
	}
	if c := d.calls.add(f); c != nil && d.calls.settled(c) {
		d.deltas = append(d.deltas, llm.CallDelta{Index: c.place, Name: c.name, Bytes: c.bytes()})
	}
	return nil
}
