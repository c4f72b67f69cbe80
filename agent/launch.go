package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
)

const defaultAtOnce = 4

// A message is an event of a job under way, or its end.
type message struct {
	key   string
	event Event
	ended bool
	fact  Fact
	err   error
}

// launch lets go of what is not wanted any more, and starts what is not under
// way and does not wait for an answer. A job that is alone is done here and
// now. It returns true if there is news, so that the mode must be asked again.
func (d *ride) launch(ctx context.Context, w Work) (news bool) {
	d.finish = w.Finish
	for key, cancel := range d.busy {
		if !slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Key == key }) {
			if d.unsure == nil {
				d.unsure = map[string]bool{}
			}
			d.unsure[key] = true
			cancel()
		}
	}
	if d.broke != nil {
		if len(d.busy) == 0 {
			d.err = d.broke
		}
		return false
	}
	jobs, ok := d.ready(w)
	if !ok {
		return true
	}
	var starts []Fact
	for _, j := range jobs {
		if j.Start != nil {
			starts = append(starts, j.Start)
		}
	}
	if len(starts) > 0 && !d.noteStarts(ctx, jobs, starts) {
		return true
	}
	for _, j := range jobs {
		cutOff := d.start(j)
		if w.Alone && len(jobs) == 1 && len(d.busy) == 0 {
			d.receive(d.perform(ctx, j, Port{Tell: d.here, CutOff: cutOff, inline: true}))
			return true
		}
		d.spawn(ctx, j, cutOff)
	}
	return false
}

// ready returns the jobs that can start now. Runs within that wait for answers,
// and whose jobs are not wanted any more, are forgotten.
func (d *ride) ready(w Work) ([]Job, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.parked, func(key string, _ *Run) bool {
		return !slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Key == key })
	})
	for key, answers := range d.later {
		if d.busy[key] == nil && !slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Key == key }) {
			d.err = fmt.Errorf("agent: answering %s/%s: %w", key, answers[0].ID, ErrNoQuestion)
			delete(d.later, key)
			return nil, false
		}
	}
	most := w.AtOnce
	if most == 0 {
		most = defaultAtOnce
	}
	if len(d.busy) == 0 && len(d.parked) == 0 && len(w.Jobs) <= most {
		return w.Jobs, true
	}
	var jobs []Job
	for _, j := range w.Jobs {
		_, waits := d.parked[j.Key]
		if d.busy[j.Key] == nil && !waits && len(d.busy)+len(jobs) < most {
			jobs = append(jobs, j)
		}
	}
	return jobs, true
}

// noteStarts notes that jobs begin together, in one piece. A reader who leaves
// then keeps them from beginning, and the run remembers that they have not.
func (d *ride) noteStarts(ctx context.Context, jobs []Job, starts []Fact) bool {
	begun := false
	defer func() { // also if the loop body panics
		if begun {
			return
		}
		for _, j := range jobs {
			if j.Start != nil {
				if d.idle == nil {
					d.idle = map[string]bool{}
				}
				d.idle[j.Key] = true
			}
		}
	}()
	ok := d.note(starts...)
	d.mu.Lock()
	defer d.mu.Unlock()
	begun = d.bad != nil || ok && !d.gone && d.err == nil && len(d.stops) == 0 && ctx.Err() == nil
	return begun && ok
}

// start says whether a job that begins now was cut off before.
func (d *ride) start(j Job) (cutOff bool) {
	idle := d.idle[j.Key]
	delete(d.idle, j.Key)
	return j.Start == nil && !idle
}

// spawn does a job on a goroutine, which ends with the job's last message.
func (d *ride) spawn(ctx context.Context, j Job, cutOff bool) {
	if d.in == nil {
		d.in, d.ack, d.busy = make(chan message), make(chan bool), map[string]context.CancelFunc{}
	}
	ctx, cancel := context.WithCancel(ctx)
	d.busy[j.Key] = cancel
	done := make(chan struct{}) // closed when nobody takes the job's events any more
	tell := func(e Event) bool {
		select {
		case d.in <- message{key: j.Key, event: e}:
			return <-d.ack
		case <-done:
			return false
		}
	}
	go func() {
		end := d.perform(ctx, j, Port{Tell: tell, CutOff: cutOff})
		close(done)
		d.in <- end
	}()
}

// perform does a job and turns a panic into its error. A panic of the loop
// body, which a job that is alone may be in the middle of, goes its way.
func (d *ride) perform(ctx context.Context, j Job, p Port) (m message) {
	m = message{key: j.Key, ended: true}
	defer func() {
		if p.inline && d.inBody {
			return
		}
		if v := recover(); v != nil {
			m.fact, m.err = nil, fmt.Errorf("agent: %s: panic: %v\n%s", j.Key, v, debug.Stack())
		}
	}()
	m.fact, m.err = j.Do(ctx, p)
	if del, ok := errors.AsType[*Delegate](m.err); ok {
		m.fact, m.err = d.delegate(ctx, j.Key, del, p)
	}
	return m
}

// say is how a job that is alone tells an event: on the reader's goroutine.
func (d *ride) say(e Event) bool {
	d.show()
	if f, ok := e.(Fact); ok {
		return d.note(f) && !d.gone && d.err == nil
	}
	return d.tell(e) && d.err == nil
}

// wait takes the next message of a job, or a post.
func (d *ride) wait() {
	for {
		select {
		case m := <-d.in:
			d.receive(m)
			if _, fact := m.event.(Fact); fact || m.ended || d.gone || d.err != nil {
				return
			}
		case <-d.wake:
			return
		}
	}
}

// drain waits for what is under way, which has been canceled.
func (d *ride) drain() {
	for len(d.busy) > 0 {
		d.receive(<-d.in)
	}
}

func (d *ride) receive(m message) {
	if !m.ended {
		on := false
		defer func() { d.ack <- on }() // also if the loop body panics: the job waits for it
		d.say(m.event)
		on = !d.gone && d.err == nil && !d.unsure[m.key]
		return
	}
	if cancel := d.busy[m.key]; cancel != nil {
		cancel()
		delete(d.busy, m.key)
	}
	dropped := d.unsure[m.key]
	delete(d.unsure, m.key)
	if m.fact != nil {
		d.note(m.fact)
	}
	if m.err == nil || dropped || d.gone || d.err != nil {
		return
	}
	if waits, ok := errors.AsType[*waiting](m.err); ok {
		d.park(m.key, waits.run)
		return
	}
	select {
	case <-d.over: // an error after the cancel is no news
	default:
		if d.finish {
			d.broke = cmp.Or(d.broke, m.err)
			return
		}
		d.err = m.err
		d.letGo(m.err)
	}
}

// park keeps a run within from being opened again before it is answered.
func (d *ride) park(key string, in *Run) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parked == nil {
		d.parked = map[string]*Run{}
	}
	if len(d.later[key]) == 0 && in.Result().Reason == Waits {
		d.parked[key] = in
	}
}
