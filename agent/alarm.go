package agent

import "time"

// A timer is an alarm that is set.
type timer struct {
	alarm Alarm
	clock *time.Timer
}

// arm sets the alarms that are new, and takes back those that are gone.
func (d *ride) arm(alarms []Alarm) {
	kept := d.timers[:0]
	for _, t := range d.timers {
		if has(alarms, t.alarm) {
			kept = append(kept, t)
		} else {
			t.clock.Stop()
		}
	}
	d.timers = kept
	for _, a := range alarms {
		if !d.armed(a) {
			after := a.After
			if a.Active {
				after -= d.elapsed(d.scope.Now())
			}
			d.timers = append(d.timers, timer{a, time.AfterFunc(after, func() { d.sound(a) })})
		}
	}
}

func same(a, b Alarm) bool { return a.Key == b.Key && a.Round == b.Round && a.After == b.After }

func has(alarms []Alarm, a Alarm) bool {
	for _, b := range alarms {
		if same(a, b) {
			return true
		}
	}
	return false
}

func (d *ride) armed(a Alarm) bool {
	for _, t := range d.timers {
		if same(a, t.alarm) {
			return true
		}
	}
	return false
}

func (d *ride) disarm() { d.arm(nil) }

// bounded adds the alarm of the limit that the run above gives. It notes nothing.
func (d *ride) bounded(alarms []Alarm) []Alarm {
	if d.limit == 0 {
		return alarms
	}
	return append(alarms[:len(alarms):len(alarms)], Alarm{Key: "limit", After: d.limit, Active: true})
}

// sound notes that an alarm's time has come.
func (d *ride) sound(a Alarm) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Run.ride != d || d.ended {
		return
	}
	if a.Fact == nil {
		d.cancel(errLimit)
		d.ring()
		return
	}
	d.rung = append(d.rung, a)
	if a.Cancel {
		d.cancel(errTimeUp)
	}
	d.ring()
}

// alarmed notes the facts of the alarms that have rung and still stand in the
// work. One that has no work any more rang too late. It is called with mu held.
func (d *ride) alarmed(standing []Alarm) (news bool) {
	for _, a := range d.rung {
		if !has(standing, a) {
			continue
		}
		news = true
		if d.commit(a.Fact) != nil {
			d.err = d.bad
		}
	}
	d.rung = d.rung[:0]
	return news
}
