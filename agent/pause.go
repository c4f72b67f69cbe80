package agent

import (
	"context"
	"time"
)

// hold stops the clock of active time, and lets it go on.
func (d *ride) hold(on bool) {
	d.disarm()
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.scope.Now(); on {
		d.still = now
	} else {
		d.began, d.still = d.began.Add(now.Sub(d.still)), time.Time{}
	}
}

// collected looks into the mailbox before the run waits, for answers to runs
// within that have only now come up. It is true if there was something.
func (d *ride) collected(ctx context.Context) bool {
	if d.box == nil {
		return false
	}
	d.mu.Lock()
	at, parked := d.at, len(d.parked)
	d.mu.Unlock()
	_ = d.collect(ctx, d.box) // what can't be read now is read later
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at > at || len(d.parked) < parked || len(d.stops) > 0
}

// pause tells what the run waits for, and whether the loop body has answered.
func (d *ride) pause(ctx context.Context, w Work) bool {
	if d.collected(ctx) {
		return true
	}
	d.mu.Lock()
	news := d.answered() || len(d.unseen)+len(d.stops)+len(d.rung) > 0
	res, at, parked := d.result(), d.at, len(d.parked)
	d.mu.Unlock()
	if news {
		return true
	}
	if len(res.Questions) == 0 && len(w.Jobs) > 0 {
		return true
	}
	if len(res.Questions) == 0 {
		d.err = ErrNoWork
		return false
	}
	d.hold(true)
	d.tell(Paused{res.Questions})
	d.hold(false)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at > at || len(d.parked) < parked || len(d.later)+len(d.stops) > 0
}
