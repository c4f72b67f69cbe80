package shell

import (
	"os"
	"time"
)

// Waits that belong to the way in which a group is ended.
const (
	linger = 500 * time.Millisecond // for what a program leaves behind to end by itself, and then to obey
	poll   = 10 * time.Millisecond  // how often a group is looked at; nothing signals that it is empty
)

// A group is the process group of a program.
type group struct {
	leader *os.Process
	exited chan struct{} // closed when the leader was waited for
}

// over tells whether the program itself has ended.
func (g *group) over() bool {
	select {
	case <-g.exited:
		return true
	default:
		return false
	}
}

// empty tells whether the program and all the rest of its group have ended.
// The group's number is free for others from then on.
func (g *group) empty() bool { return g.over() && groupEmpty(g.leader) }

// quiet waits until the group is empty and drained is closed, for at most d or
// until stop is closed, and tells whether it came to that.
func (g *group) quiet(stop, drained <-chan struct{}, d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if drained == nil && g.empty() {
			return true
		}
		select {
		case <-drained:
			drained = nil
		case <-tick.C:
		case <-stop:
			return false
		case <-limit.C:
			return false
		}
	}
}

// end asks the group to end and, when it has not after grace, makes it.
func (g *group) end(grace time.Duration) {
	terminate(g.leader)
	if !g.quiet(nil, nil, grace) {
		kill(g.leader)
		g.quiet(nil, nil, linger)
	}
}
