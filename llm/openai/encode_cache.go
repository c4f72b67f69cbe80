package openai

import (
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/triad-go/triad/llm"
)

// Bounds on what a cache keeps.
const (
	maxCached = 16 << 20         // bytes of encoded messages in a generation
	maxIdle   = 10 * time.Minute // without a request, after which a garbage collection empties it
)

// A cache keeps what each message is on the wire: every request sends the whole
// history again, so encoding it anew would make the cost of a run grow with the
// square of its turns.
//
// Messages are never changed, so a message is known by the address of its first
// part, which the cache keeps alive: no other message can come to stand there.
// What is used moves to the young generation; when that is full it becomes the
// old one, and what the old one still holds is dropped. So the history that was
// sent last is always known, whatever its size, and those of runs that are over
// go in time. (Weak pointers would free them at once, and make a body of short
// messages twice as dear: each look at one costs more than copying such a
// message.)
//
// The zero cache is ready. It may be used by many goroutines at once.
type cache struct {
	mu         sync.Mutex
	form       form
	young, old map[*llm.Part]*encoded
	generation int
	bytes      int        // in young
	last       []*encoded // the history that was sent last, to be tried first
	used       time.Time
	armed      bool // for the next garbage collection
}

// encoded is a message on the wire, with what must be known of it to judge the
// history that it stands in.
type encoded struct {
	wire       []byte    // without a comma around it; empty if the message is not sent
	first      *llm.Part // of parts; nil if it is not cached
	parts      int
	generation int
	facts
}

// is tells whether e is m's encoding.
func (e *encoded) is(m *llm.Message) bool {
	return e != nil && e.first == &m.Parts[0] && e.parts == len(m.Parts) && e.role == m.Role
}

// cachable tells whether a message can be on the wire at all: whether it says
// something, and is to be sent.
func cachable(m *llm.Message) bool { return len(m.Parts) > 0 && m.Origin != llm.FromAborted }

// encode returns the messages' encodings, in order. It encodes those that it
// has not seen, outside the lock, and keeps them unless they are made only for
// this request.
func (c *cache) encode(f form, messages []llm.Message, keep bool) []*encoded {
	out := make([]*encoded, len(messages))
	missing := c.find(f, messages, out)
	for _, i := range missing {
		m := &messages[i]
		e := &encoded{facts: factsOf(m)}
		if cachable(m) {
			e.images = e.images && f.lifts()
			e.wire = f.append(nil, *m, false)
			e.first, e.parts, e.generation = &m.Parts[0], len(m.Parts), -1
		}
		out[i] = e
	}
	if keep {
		c.keep(f, out, missing)
	}
	return out
}

// find fills out with what is known and returns which are not.
func (c *cache) find(f form, messages []llm.Message, out []*encoded) (missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.young == nil || c.form != f:
		c.empty()
		c.form, c.young = f, map[*llm.Part]*encoded{}
	case c.bytes > maxCached:
		c.old, c.young, c.bytes = c.young, map[*llm.Part]*encoded{}, 0
		c.generation++
	}
	for i := range messages {
		m := &messages[i]
		if !cachable(m) {
			missing = append(missing, i)
			continue
		}
		var e *encoded
		if i < len(c.last) {
			e = c.last[i]
		}
		if !e.is(m) {
			if e = c.young[&m.Parts[0]]; !e.is(m) {
				e = c.old[&m.Parts[0]]
			}
		}
		if !e.is(m) {
			missing = append(missing, i)
			continue
		}
		out[i] = e
		c.renew(e)
	}
	return missing
}

// renew puts an encoding into the young generation.
func (c *cache) renew(e *encoded) {
	if e.generation == c.generation {
		return
	}
	e.generation = c.generation
	c.young[e.first] = e
	c.bytes += len(e.wire)
}

// keep takes in the encodings that were missing, unless the form has changed.
func (c *cache) keep(f form, history []*encoded, missing []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.form != f || c.young == nil {
		return
	}
	for _, i := range missing {
		if e := history[i]; e.first != nil {
			c.renew(e)
		}
	}
	c.last, c.used = history, time.Now()
	c.arm()
}

func (c *cache) empty() {
	c.young, c.old, c.last, c.bytes = nil, nil, nil, 0
	c.generation++
}

// arm has the cache looked at after the next garbage collection, unless the
// cache itself is gone by then.
func (c *cache) arm() {
	if c.armed {
		return
	}
	c.armed = true
	sentinel := &struct{ self *cache }{}
	runtime.AddCleanup(sentinel, func(w weak.Pointer[cache]) {
		if c := w.Value(); c != nil {
			c.collected()
		}
	}, weak.Make(c))
}

// collected empties a cache that is idle. A client may live on for long.
func (c *cache) collected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	if time.Since(c.used) > maxIdle {
		c.empty()
		return
	}
	c.arm()
}
