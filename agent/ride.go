package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// A ride is one loop over the events of a run. All but the jobs is done on the
// goroutine of the one who ranges, and so is a job that is alone.
type ride struct {
	*Run
	yield  func(Event, error) bool
	wake   chan struct{}
	cancel context.CancelCauseFunc // of what is under way; guarded by mu
	over   <-chan struct{}         // closed when that was done
	began  time.Time
	before time.Duration // active time before this ride
	limit  time.Duration // of active time, that the run above gives; 0 is none
	still  time.Time     // since when a person is waited for; zero if none is

	// Guarded by mu: what others have asked for.
	stops   []Fact
	rung    []Alarm
	closing *StopAsked // a stop that the runs within are being told of
	told    *StopAsked // they have been; one that comes up yet is told too

	in     chan message // from jobs; nil until there is one on a goroutine
	ack    chan bool    // to the job whose message was taken: go on?
	busy   map[string]context.CancelFunc
	unsure map[string]bool // let go of, so its error is no news
	timers []timer

	box    journal.Mailbox  // of the run, if it has one
	taking chan struct{}    // held by who looks into it
	seen   []Fact           // the room of those yielded last
	here   func(Event) bool // say, for jobs that are alone
	inBody bool             // the loop body has the goroutine
	gone   bool             // the one who ranges has left
	finish bool             // an error waits until what is under way has ended
	broke  error            // that error
	err    error            // what ends the ride
}

// Causes of the cancel of what is under way.
var (
	errStopped = errors.New("agent: a person stopped the run")
	errTimeUp  = errors.New("agent: the time of the run is over")
	errLimit   = errors.New("agent: the time that the run above gives is over")
	errLeft    = errors.New("agent: the reader of the events has left")
)

// Events does the work and yields what happens. The run does not go on until
// the loop body returns, at every depth. Breaking out, a panic of the body or
// the end of ctx cancels what is under way and waits for it; what ends well
// meanwhile is kept, nothing more is yielded, and ranging again goes on from
// there; a call that was alone and tells its progress when the body panics is
// waited for and counts as cut off. The last event is [Stopped] or [Paused], unless an error ends the loop:
// the model client's, the journal's, or that of ctx. Ranging again goes on, but
// after an error of the journal or of a claim the run must be opened anew. One
// that has ended and heard nothing since is [ErrEnded].
func (r *Run) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := r.follow(ctx, yield, true, 0); err != nil {
			yield(nil, err)
		}
	}
}

// follow is one ride. It returns the error that the reader is to be told. The
// runs within a run are followed by it, under its claim; those with a limit
// are left when they have been active for so long, with errLimit.
func (r *Run) follow(ctx context.Context, yield func(Event, error) bool, outer bool, limit time.Duration) (err error) {
	d := &ride{Run: r, yield: yield, wake: make(chan struct{}, 1), limit: limit}
	d.here = d.say
	claim, err := r.mount(ctx, d, outer)
	if err != nil {
		return err
	}
	defer func() {
		if failed := r.unmount(ctx, claim, outer); !d.gone {
			err = errors.Join(err, failed)
		}
	}()
	if outer {
		stop, failed := d.watch(ctx, claim)
		defer stop()
		if failed != nil {
			return failed
		}
	}
	if err := d.begin(ctx, outer); err != nil {
		return err
	}
	defer d.disarm()
	for again := true; again; {
		again = d.leg(ctx)
	}
	if d.gone {
		return nil
	}
	return d.err
}

// elapsed is the active time at now. While a person is waited for it stands still.
func (d *ride) elapsed(now time.Time) time.Duration {
	if !d.still.IsZero() {
		now = d.still
	}
	return d.before + now.Sub(d.began)
}

// begin makes sure that the log is as this run knows it, and says the prompts.
func (d *ride) begin(ctx context.Context, outer bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if outer && !d.scope.private {
		if err := d.current(ctx); err != nil {
			return fmt.Errorf("agent: going on with %s: %w", d.scope.ID, err)
		}
		d.refresh(ctx)
	}
	if err := d.arrive(); err != nil {
		return err
	}
	switch {
	case d.at == 0:
		return fmt.Errorf("%w: there is no log of %s", ErrNoWork, d.scope.ID)
	case outer && len(d.stops) == 0 && len(d.unseen) == 0 && d.ended:
		d.rest = false
		return ErrEnded
	}
	return nil
}

// leg rides until the run ends, waits, or must begin again with nothing under
// way, as it does after a stop or when the time is up.
func (d *ride) leg(outer context.Context) (again bool) {
	ctx, cancel := context.WithCancelCause(outer)
	d.mu.Lock()
	d.cancel, d.over = cancel, ctx.Done()
	if len(d.stops) > 0 {
		cancel(errStopped)
	}
	d.mu.Unlock()
	defer func() {
		if d.inBody { // the loop body has panicked
			d.gone = true
		}
		cancel(errLeft)
		d.drain()
		if facts := d.asked(); len(facts) > 0 { // a stop that was asked for is kept, whatever ends the ride
			again = d.note(facts...) && !d.gone && d.err == nil
		}
		d.show()
	}()
	for idle := false; ; {
		d.show()
		if d.gone || d.err != nil {
			return false
		}
		over := ctx.Err() != nil // before asked: who asks adds first, and cancels then
		if facts := d.asked(); len(facts) > 0 {
			cancel(errStopped)
			d.drain()
			return d.note(facts...)
		}
		revived, cut := false, false
		if over {
			revived, cut = d.revives(context.Cause(ctx), outer.Err() == nil)
		}
		if revived {
			return true
		}
		if cut || idle {
			d.err = fmt.Errorf("agent: interrupted: %w", context.Cause(ctx))
			return false
		}
		if over {
			d.drain() // a call has its end once it is not under way any more
		}
		work, ok := d.work()
		if ok && ctx.Err() != nil && len(work.Jobs) > 0 {
			idle = over // else what has let go of all comes first
			continue    // only what ends a run may still be done
		}
		if ok && !d.do(ctx, work) {
			return false
		}
	}
}

// work asks the mode, unless something new must be shown first.
func (d *ride) work() (Work, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.unseen) > 0 {
		return Work{}, false
	}
	if d.closing != nil && len(d.stops) == 0 && !d.ended {
		return Work{closing: true}, true
	}
	for _, a := range d.rung {
		if a.Cancel {
			return Work{}, false // for asked
		}
	}
	w := d.mode.Work(d.scope)
	w.at = d.at
	if d.alarmed(w.Alarms) {
		return Work{}, false
	}
	if w.rests = w.Boundary && d.rest && w.Stop == nil && len(w.Note) == 0; w.rests {
		d.rest = false
	}
	return w, true
}

// do makes it so. It returns false when the ride is over.
func (d *ride) do(ctx context.Context, w Work) bool {
	switch {
	case w.closing:
		d.wait()
	case w.Stop != nil:
		if d.hasEnded() {
			return false
		}
		if len(d.busy) > 0 { // what the mode has given up ends before the run does
			d.launch(ctx, Work{})
			d.drain()
			return true
		}
		d.noteAt(w.at, *w.Stop)
	case len(w.Note) > 0:
		d.noteAt(w.at, d.spentBelow(w.Note)...)
	case w.rests:
		return false
	default:
		d.arm(d.bounded(w.Alarms))
		switch news := d.launch(ctx, w); {
		case news || d.gone || d.err != nil:
		case len(d.busy) > 0:
			d.wait()
		default:
			return d.pause(ctx, w)
		}
	}
	return true
}
