package tool

import (
	"iter"
	"slices"
)

// A Use says what a call touches: everything, to read or to write it, or, when
// Keyed, what its keys name. A Use that is keyed and has no keys touches nothing.
type Use struct {
	Access Access `json:"access,omitempty"`
	Keyed  bool   `json:"keyed,omitempty"`
	Keys   Keys   `json:"keys,omitzero"`
}

// Conflicts tells whether two calls must not overlap: two with keys if one
// writes what the other reads or writes; others unless both only read.
func (u Use) Conflicts(v Use) bool {
	if u.Keyed && v.Keyed {
		return shared(u.Keys.Writes, v.Keys.Writes) || shared(u.Keys.Writes, v.Keys.Reads) || shared(u.Keys.Reads, v.Keys.Writes)
	}
	return !u.idle() && !v.idle() && (u.writes() || v.writes())
}

// idle tells whether the call touches nothing.
func (u Use) idle() bool { return u.Keyed && len(u.Keys.Reads) == 0 && len(u.Keys.Writes) == 0 }

// writes tells whether the call writes anything.
func (u Use) writes() bool {
	if u.Keyed {
		return len(u.Keys.Writes) > 0
	}
	return u.Access != ReadOnly
}

func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(key string) bool { return slices.Contains(b, key) })
}

// Order is the one rule of scheduling: a call may start when every earlier call
// of its turn that it conflicts with has ended. Without keys that is:
// neighboring reads together, a side effect alone, in the model's order.
//
// Order and what it returns are pure. Its cost grows with the number of calls
// and keys, not with their square. Uses must not be changed afterwards.
func Order(uses []Use) Schedule {
	s := Schedule{uses: uses}
	keys := 0
	for i := range uses {
		keys += len(uses[i].Keys.Reads) + len(uses[i].Keys.Writes)
	}
	if keys == 0 || len(uses) < 2 {
		return s
	}
	s.ids = make([]int, 0, keys)
	ids := make(map[string]int, keys)
	id := func(keys []string) {
		for _, key := range keys {
			n, ok := ids[key]
			if !ok {
				n = len(ids)
				ids[key] = n
			}
			s.ids = append(s.ids, n)
		}
	}
	for _, u := range uses {
		if u.Keyed {
			id(u.Keys.Reads)
			id(u.Keys.Writes)
		}
	}
	s.keys = len(ids)
	return s
}

// A Schedule says which calls of a turn may be under way; see [Order].
type Schedule struct {
	uses []Use
	ids  []int // of the keys that the calls read and write, in their order
	keys int   // how many different ones there are
}

// Ready yields the calls, by their place in the turn, that have not ended and
// may be under way now: those that are, and those that may be started.
func (s Schedule) Ready(ended func(call int) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		var few [64]keyState
		keys := few[:]
		if s.keys > len(few) {
			keys = make([]keyState, s.keys)
		}
		var open gone
		ids := s.ids
		for i := range s.uses {
			u := &s.uses[i]
			var reads, writes []int
			if u.Keyed && s.keys > 0 {
				n := len(u.Keys.Reads)
				m := n + len(u.Keys.Writes)
				reads, writes, ids = ids[:n], ids[n:m], ids[m:]
			}
			if ended(i) {
				continue
			}
			if open.lets(u) && free(keys, reads, writes) && !yield(i) {
				return
			}
			open.add(u)
			for _, k := range reads {
				keys[k].read = true
			}
			for _, k := range writes {
				keys[k].written = true
			}
		}
	}
}

// A keyState says whether an earlier call that has not ended uses a key.
type keyState struct{ read, written bool }

func free(keys []keyState, reads, writes []int) bool {
	for _, k := range reads {
		if keys[k].written {
			return false
		}
	}
	for _, k := range writes {
		if keys[k].written || keys[k].read {
			return false
		}
	}
	return true
}

// gone says which kinds of earlier calls have not ended, keys aside.
type gone struct{ read, write, keyedRead, keyedWrite bool }

func (g *gone) lets(u *Use) bool {
	switch {
	case u.idle():
		return true
	case u.Keyed && u.writes():
		return !g.read && !g.write
	case u.Keyed:
		return !g.write
	case u.writes():
		return !g.read && !g.write && !g.keyedRead && !g.keyedWrite
	}
	return !g.write && !g.keyedWrite
}

func (g *gone) add(u *Use) {
	switch {
	case u.idle():
	case u.Keyed && u.writes():
		g.keyedWrite = true
	case u.Keyed:
		g.keyedRead = true
	case u.writes():
		g.write = true
	default:
		g.read = true
	}
}
