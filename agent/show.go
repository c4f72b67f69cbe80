package agent

// note saves, folds and shows facts. It is false when the journal failed.
func (d *ride) note(facts ...Fact) bool { return d.noteAt(-1, facts...) }

// noteAt is note for what was decided when the log was at entries long.
func (d *ride) noteAt(at int, facts ...Fact) bool {
	d.mu.Lock()
	if at >= 0 && d.at != at {
		d.mu.Unlock()
		return true // something came first: it is decided again
	}
	err := d.commit(facts...)
	unseen := d.fresh()
	d.mu.Unlock()
	if err != nil && d.err == nil {
		d.err = err
	}
	d.tellAll(unseen)
	return err == nil
}

// show yields what is in the log and was not yielded.
func (d *ride) show() {
	for {
		d.mu.Lock()
		unseen := d.fresh()
		d.mu.Unlock()
		if len(unseen) == 0 {
			return
		}
		d.tellAll(unseen)
	}
}

// fresh takes what was not yielded. It is called with mu held. The loop body
// may add to the log while it is told, so there are two rooms, taken in turn.
func (d *ride) fresh() []Fact {
	facts := d.unseen
	if len(facts) == 0 {
		return nil
	}
	d.unseen, d.seen = d.seen[:0], facts
	return facts
}

func (d *ride) tellAll(facts []Fact) {
	for _, f := range facts {
		d.tell(f)
	}
	clear(facts)
}

// tell yields an event. It is false when the reader has left.
func (d *ride) tell(e Event) bool {
	if d.gone {
		return false
	}
	d.inBody = true
	ok := d.yield(e, nil)
	d.inBody = false
	if !ok {
		d.gone = true
		d.letGo(errLeft)
	}
	return ok
}

func (d *ride) letGo(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancel(cause)
}
