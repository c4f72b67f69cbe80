package openai

import (
	"hash/maphash"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"github.com/triad-go/triad/llm"
)

// A cache keeps what each message is on the wire, for as long as the message
// lives: every request sends the whole history again, so encoding it anew
// would make the cost of a run grow with the square of its turns.
//
// Messages are never changed, so a message is known by the place of its parts.
// The cache does not keep it alive: the place is a number, a weak pointer tells
// whether what stands there is still that message (it is cleared before the
// memory is used again), and a cleanup of the parts takes the entry away. So
// the cache holds nothing for a run that is over, and has no bound to tune.
// (To look up by weak pointers would take twenty times as long: making one
// searches a list.)
//
// The zero cache is ready. It may be used by many goroutines at once.
type cache struct {
	mu      sync.Mutex
	form    form
	seed    maphash.Seed
	entries map[place]*encoded
}

// A place is where a message's parts stand in memory, and how many they are.
type place struct {
	first uintptr
	parts int
}

// encoded is a message on the wire, with what must be known of it to judge the
// history that it stands in.
type encoded struct {
	wire  []byte // without a comma around it; empty if the message is not sent
	first weak.Pointer[llm.Part]
	facts
}

func placeOf(m *llm.Message) place {
	return place{reflect.ValueOf(m.Parts).Pointer(), len(m.Parts)}
}

// encode returns the messages' encodings, in order. It encodes those that it
// has not seen, outside the lock.
func (c *cache) encode(f form, messages []llm.Message) []*encoded {
	out := make([]*encoded, len(messages))
	missing := c.find(f, messages, out)
	for _, i := range missing {
		m := &messages[i]
		out[i] = &encoded{facts: factsOf(c.seed, m)}
		out[i].images = out[i].images && f.lifts()
		if !cachable(m) {
			continue
		}
		out[i].wire = f.append(nil, *m, false)
		out[i].first = weak.Make(&m.Parts[0])
	}
	if len(missing) > 0 {
		c.keep(f, messages, out, missing)
	}
	return out
}

// cachable tells whether a message can be on the wire at all: whether it says
// something, and is to be sent.
func cachable(m *llm.Message) bool { return len(m.Parts) > 0 && m.Origin != llm.FromAborted }

// find fills out with what is known and returns which are not.
func (c *cache) find(f form, messages []llm.Message, out []*encoded) (missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.entries == nil:
		c.form, c.seed, c.entries = f, maphash.MakeSeed(), map[place]*encoded{}
	case c.form != f:
		c.form, c.entries = f, map[place]*encoded{}
	}
	for i := range messages {
		m := &messages[i]
		if cachable(m) {
			if e := c.entries[placeOf(m)]; e != nil && e.role == m.Role && e.first.Value() == &m.Parts[0] {
				out[i] = e
				continue
			}
		}
		missing = append(missing, i)
	}
	return missing
}

// keep takes in the encodings that were missing, unless the form has changed.
func (c *cache) keep(f form, messages []llm.Message, encodings []*encoded, missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.form != f {
		return
	}
	for _, i := range missing {
		m := &messages[i]
		if !cachable(m) {
			continue
		}
		at := placeOf(m)
		known := c.entries[at]
		c.entries[at] = encodings[i]
		if known == nil || known.first != encodings[i].first {
			runtime.AddCleanup(&m.Parts[0], c.forget, at)
		}
	}
}

// forget takes away the entry of a message that is gone, unless another message
// has come to stand in its place.
func (c *cache) forget(at place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[at]; e != nil && e.first.Value() == nil {
		delete(c.entries, at)
	}
}
