package tool

import (
	"slices"
	"sync"
)

// Stragglers remembers the calls of a run that were given up and may still be
// running, so that no other is started that could get in their way. It is
// memory of this process: after a crash nothing is running. The zero value is
// ready; it may be used by many goroutines at once.
type Stragglers struct {
	mu    sync.Mutex
	calls []straggler
}

type straggler struct {
	turn      int
	name, key string
	use       Use
	late      <-chan struct{}
}

// Add notes a call that was given up in a turn; late is its [Ending.Late]. One
// that only reads is in nobody's way, and is not noted.
func (s *Stragglers) Add(turn int, call Call, use Use, late <-chan struct{}) {
	if late == nil || !use.changes() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, straggler{turn, call.Name, call.Key, use, late})
}

// Block tells whether a call of the tool named name must not start now, and
// because of which one: its tool and key, such as "write_file (run-42/7.1)". In
// the turn in which a call was given up, it blocks side effects that conflict
// with it; in later turns it blocks its own tool. Once it has come back it
// blocks nothing.
func (s *Stragglers) Block(turn int, name string, use Use) (running string, blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = slices.DeleteFunc(s.calls, func(c straggler) bool {
		select {
		case <-c.late:
			return true
		default:
			return false
		}
	})
	for _, c := range s.calls {
		if c.turn == turn && use.changes() && use.Conflicts(c.use) || c.turn != turn && c.name == name {
			return c.name + " (" + c.key + ")", true
		}
	}
	return "", false
}

// Late returns the [Ending.Late] of the call with that key if it may still be
// running, and nil if it does not.
func (s *Stragglers) Late(key string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.key == key {
			return c.late
		}
	}
	return nil
}

// changes tells whether the call may change something.
func (u Use) changes() bool { return u.Access != ReadOnly || u.writes() }
