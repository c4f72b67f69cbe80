package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A call is a call in the making.
type call struct {
	place int // among the calls of the reply
	id    string
	name  string
	seal  string

	args  strings.Builder
	ended extent          // how far args goes towards a whole value
	extra strings.Builder // what came after that
	half  string          // of a character, at the end
}

// calls puts calls together. A fragment belongs to the call of its index, else
// of its id, else to the call opened last; see begins for when it opens one.
// Ids and names are set once: neither is ever in pieces.
type calls struct {
	all   []*call
	named int               // leading calls that have a name
	at    map[address]*call // by index and id, by index alone (the last), by id alone (the last)
}

type address struct{ index, id string }

// add takes in a fragment and returns its call; nil if it says nothing.
func (cs *calls) add(f fragment) *call {
	c := cs.find(f)
	if c == nil || c.begins(f) {
		if c = cs.open(f); c == nil {
			return nil
		}
	}
	if c.id == "" {
		c.id = f.id
	}
	if c.name == "" {
		c.name = f.name
	}
	if c.seal == "" {
		c.seal = f.seal
	}
	if f.args != (halved{}) {
		c.write(f.args.join(&c.half))
	}
	cs.note(f.index, c.id, c)
	return c
}

// settled tells whether a call's place is certain: those before it have names,
// and so are no ghosts.
func (cs *calls) settled(c *call) bool {
	for cs.named < len(cs.all) && cs.all[cs.named].name != "" {
		cs.named++
	}
	return c.place < cs.named
}

// find returns the call that a fragment goes on with, if it begins none.
func (cs *calls) find(f fragment) *call {
	var last *call
	if n := len(cs.all); n > 0 {
		last = cs.all[n-1]
	}
	byID := cs.at[address{"", f.id}]
	if f.index == "" {
		if byID != nil {
			return byID
		}
		return last
	}
	if c := cs.at[address{f.index, f.id}]; c != nil {
		return c
	}
	if c := cs.at[address{f.index, ""}]; c != nil {
		return c
	}
	switch {
	case byID != nil && f.name == "":
		return byID
	case last != nil && f.id == "" && f.name == "" && !cs.indexed():
		return last // the index came late
	}
	return nil
}

// indexed tells whether any call was opened with an index.
func (cs *calls) indexed() bool {
	for p := range cs.at {
		if p.index != "" {
			return true
		}
	}
	return false
}

func (cs *calls) open(f fragment) *call {
	if f.id == "" && f.name == "" && strings.TrimSpace(f.args.text) == "" {
		return nil // a ghost
	}
	c := &call{place: len(cs.all)}
	cs.all = append(cs.all, c)
	return c
}

func (cs *calls) note(index, id string, c *call) {
	if cs.at == nil {
		cs.at = map[address]*call{}
	}
	if index != "" {
		cs.at[address{index, id}] = c
		cs.at[address{index, ""}] = c
	}
	if id != "" {
		cs.at[address{"", id}] = c
	}
}

// begins tells whether f begins another call than c, though index or order
// would say that it goes on with c. A new id with a name does; so does, in
// streams without ids, a name after arguments that are whole.
func (c *call) begins(f fragment) bool {
	more := c.ended.done && c.extra.Len() == 0 && strings.TrimSpace(f.args.text) != "" && !c.repeats(f.args.text)
	switch {
	case f.id != "" && c.id != "" && f.id != c.id:
		return f.name != "" || more
	case f.id != "" && c.id == "": // the id came late, or another call came
		return f.name != "" && c.name != "" && (c.ended.done || f.name != c.name)
	case f.name == "" || c.name == "":
		return false
	case f.name != c.name && (f.index == "" && f.id == "" || c.ended.done):
		return true
	}
	return more
}

// repeats tells whether args, which came after a whole value, says that value
// again, as it was or as the beginning of a JSON string.
func (c *call) repeats(args string) bool {
	args, whole := strings.TrimSpace(args), strings.TrimSpace(c.args.String())
	return sameJSON(args, whole) || strings.HasPrefix(args, `"`) && strings.HasPrefix(quote(whole), args)
}

// write appends a piece of arguments.
func (c *call) write(args string) {
	n := c.ended.feed(args)
	c.args.WriteString(args[:n])
	c.extra.WriteString(args[n:])
}

func (c *call) bytes() int { return c.args.Len() + c.extra.Len() }

// arguments returns the text as the model wrote it. Only a value that was said
// a second time is left out: everything else that is wrong stays wrong, and
// whoever runs the call will say so.
func (c *call) arguments() string {
	c.write(halved{}.join(&c.half))
	args, extra := c.args.String(), c.extra.String()
	said := extra
	var inner string
	if json.Unmarshal([]byte(extra), &inner) == nil {
		said = inner
	}
	if said != "" && sameJSON(args, said) {
		return args
	}
	return args + extra
}

func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
