package main

import (
	"context"
	"os"
	"sync"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
)

// A talk is a run and the person it talks with.
type talk struct {
	o          *cli.Options
	run        *agent.Run
	lines      <-chan string
	interrupts <-chan os.Signal
}

// work lets the run go on until it ends, asks or rests, and hears the person
// meanwhile.
func (t *talk) work(ctx context.Context) error {
	for again := true; again; {
		pressed, err := t.ride(ctx)
		if err != nil {
			return err
		}
		// What was said when it had just ended is still to be told.
		again = pressed == 0 && t.run.Result().Reason == agent.Going
	}
	return nil
}

// ride is one loop over the events. It returns how often Ctrl-C was pressed.
func (t *talk) ride(ctx context.Context) (pressed int, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	var hearing sync.WaitGroup
	var heard error
	hearing.Go(func() { pressed, heard = t.hear(cancel, over) })
	for _, failed := range t.o.Events(inner, t.run) {
		if failed != nil && inner.Err() == nil {
			err = failed
		}
	}
	close(over)
	hearing.Wait()
	switch {
	case ctx.Err() != nil:
		return pressed, ctx.Err()
	case inner.Err() != nil:
		t.o.Note("(canceled)")
	case pressed > 0:
		t.o.Note("(it rests)")
	}
	if err == nil {
		err = heard
	}
	return pressed, err
}

// hear takes what the person types and presses until the ride is over.
func (t *talk) hear(cancel func(), over <-chan struct{}) (pressed int, err error) {
	for lines := t.lines; ; {
		select {
		case <-over:
			return pressed, err
		case line, ok := <-lines:
			if !ok {
				lines = nil
			} else if failed := t.run.Say(line); failed != nil {
				err = failed
			}
		case <-t.interrupts:
			if pressed++; pressed > 1 {
				cancel()
				continue
			}
			t.run.Rest()
			t.o.Note("(it will rest when the calls under way have ended; Ctrl-C again cancels)")
		}
	}
}
