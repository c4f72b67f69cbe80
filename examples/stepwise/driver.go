package main

import (
	"context"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
)

// A driver is a run by hand. The log is all that it keeps: to store a run,
// store the log (it is JSON), and to go on with it, fold it again.
type driver struct {
	loop *agent.Loop
	log  agent.Log
	show func(agent.Event)
}

func (d *driver) note(facts ...agent.Fact) {
	for _, f := range facts {
		e := agent.Entry{At: time.Now(), Fact: f}
		if len(d.log) > 0 {
			e.Active = e.At.Sub(d.log[0].At) // it never waits for anybody
		}
		d.log = append(d.log, e)
		d.show(f)
	}
}

func (d *driver) drive(ctx context.Context, prompt string) error {
	d.note(agent.Said{Text: prompt, Prompt: true})
	return d.goOn(ctx)
}

// goOn drives until the run ends or waits for somebody. Folding the whole log
// for each step is for show: keep the State, and grow it by With.
func (d *driver) goOn(ctx context.Context) error {
	for {
		state := agent.Fold(d.log...)
		if state.Result().Ended() {
			return nil
		}
		switch step := d.loop.Next(state).(type) {
		case agent.CallModel:
			if err := d.ask(ctx, state, step); err != nil {
				return err
			}
		case agent.CallTools:
			if err := d.call(ctx, step.Calls[0]); err != nil { // all may run at once; one at a time is right as well
				return err
			}
		case agent.Verify:
			verdict, _ := d.loop.Verifier.Verify(ctx, state) // an error would be the fact's Fault
			d.note(agent.Verified{Pass: verdict.Pass, Why: verdict.Why})
		case agent.Note:
			d.note(step.Facts...)
		case agent.Stop:
			d.note(step.Stopped)
		case agent.Wait:
			return nil
		}
	}
}

// ask makes a model request. What the gates say to the calls of the reply is
// worked out once, now, and noted with it.
func (d *driver) ask(ctx context.Context, state agent.State, step agent.CallModel) error {
	if !step.WrapUp {
		step.Request.Tools = d.loop.Tools.List().Specs()
	}
	reply, err := llm.Generate(ctx, d.loop.Client, step.Request)
	if err != nil {
		return err // nothing was noted: the same step comes again
	}
	if step.WrapUp {
		d.note(agent.WrappedUp{Text: reply.Message.Text(), Usage: reply.Usage})
		return nil
	}
	d.note(agent.Replied{Reply: reply, Checks: d.loop.Check(state, reply), Told: step.Told, Later: step.Later})
	return nil
}

// call runs a call. It is noted before it starts, so that one which was cut off
// is known for it: Begun says so when it comes again. These tools only read, so
// that one may just be run again.
func (d *driver) call(ctx context.Context, c agent.Call) error {
	if !c.Begun {
		d.note(agent.CallStarted{Call: c.Place, Name: c.Name, Arguments: c.Arguments})
	}
	t, _ := d.loop.Tools.List().Find(c.Name)
	end := t.Do(ctx, c.Call)
	if ctx.Err() == nil {
		d.note(agent.CallEnded{Call: c.Place, Name: c.Name, Result: end.Result})
	}
	return ctx.Err()
}
