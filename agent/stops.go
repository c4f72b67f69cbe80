package agent

// asked returns the facts that need all to be let go of first.
func (d *ride) asked() (facts []Fact) {
	d.mu.Lock()
	defer d.mu.Unlock()
	facts = d.due()
	kept := d.rung[:0]
	for _, a := range d.rung {
		switch {
		case !a.Cancel:
			kept = append(kept, a)
		case !d.ended && has(d.mode.Work(d.scope).Alarms, a):
			facts = append(facts, a.Fact)
		}
	}
	d.rung = kept
	return facts
}

// due returns the stops that were asked for before something else is said. It
// is called with mu held.
func (d *ride) due() (stops []Fact) {
	if d.ended { // it came too late
		d.stops, d.closing = nil, nil
		return nil
	}
	if stops, d.stops = d.stops, nil; len(stops) > 0 {
		d.told, d.closing = d.closing, nil
	}
	return stops
}

// revives tells whether a run that was let go of for a cause goes on all the
// same, since more time was granted, or more was said after a stop; and whether
// it was cut off. A person's stop that is on its way is not undone by that.
func (d *ride) revives(cause error, open bool) (again, cut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	again = open && (cause == errTimeUp || cause == errStopped && !d.halted && !d.ended)
	return again, !again && !d.halted && !d.ended
}

// spentBelow adds what runs within have spent to the ends of calls that were
// cut off in front of them.
func (d *ride) spentBelow(facts []Fact) []Fact {
	for i, f := range facts {
		end, ok := f.(CallEnded)
		if in := d.kid(end.Call); ok && end.Spent == nil && in != nil {
			spent := in.Result().Spent
			end.Spent = &spent
			facts[i] = end
		}
	}
	return facts
}

func (d *ride) hasEnded() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended
}
