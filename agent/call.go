package agent

import (
	"context"
	"time"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A calling is a call under way.
type calling struct {
	*loopMode
	Call
	turn int
	port Port

	work func(context.Context, Port) (Fact, error) // do
	tell func(string)                              // report
}

// call makes the job of a call. One that is alone is done before the mode is
// asked again, so there is one calling for all of those.
func (m *loopMode) call(c Call, alone bool) Job {
	w := m.alone
	if !alone || w == nil {
		w = &calling{loopMode: m}
		w.work, w.tell = w.do, w.report
	}
	if alone {
		m.alone = w
	}
	w.Call, w.turn = c, m.state.spent.Turns
	w.Key = m.scope.ID + "/" + c.Place
	j := Job{Key: c.Place, Do: w.work}
	if !c.Begun {
		j.Start = CallStarted{Call: c.Place, Name: c.Name, Arguments: c.Arguments}
	}
	return j
}

func (w *calling) report(text string) { w.port.Tell(Progress{w.Place, text}) }

// do runs the call, or finds out what became of one that was cut off.
func (w *calling) do(ctx context.Context, p Port) (Fact, error) {
	l, c := w.loop, &w.Call
	list := w.offer()
	t, ok := list.Find(c.Name)
	if r, gone := w.gone(list, ok, c); gone {
		return ended(c, r), nil
	}
	if p.CutOff && t.Access != tool.ReadOnly && !t.Repeatable {
		if f, done := w.reconcile(ctx, t, c); done {
			return f, ctx.Err()
		}
	}
	if f, done := w.awaits(ctx, t, c, p); done {
		return f, ctx.Err()
	}
	if !c.counted || c.Begun && !p.CutOff {
		w.scope.Pool.Add(budget.Spent{Calls: 1})
	}
	w.port, c.Report = p, w.tell
	end, err := w.run(ctx, t)
	if err != nil {
		return nil, err
	}
	if end.Late != nil {
		w.scope.inner.stragglers(w.scope.ID, true).Add(w.turn, c.Call, c.Use, end.Late)
	}
	if end.Signal != nil {
		return w.signaled(c, end.Signal)
	}
	if ctx.Err() != nil && !wentWell(end) {
		return nil, context.Cause(ctx) // let go of before its end: the log shows it as begun
	}
	f := ended(c, l.edited(c, end.Result))
	f.Late = end.Late != nil
	return f, nil
}

// awaits waits for an earlier try of the same call that was let go of and may
// still be running, no longer than the call's limit.
func (w *calling) awaits(ctx context.Context, t tool.Tool, c *Call, p Port) (Fact, bool) {
	s := w.scope.inner.stragglers(w.scope.ID, false)
	if s == nil || !p.CutOff {
		return nil, false
	}
	late := s.Late(c.Key)
	if late == nil {
		return nil, false
	}
	end := guarded(ctx, t.Limit, func(ctx context.Context) (tool.Result, error) {
		select {
		case <-late:
			return tool.Result{}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	switch {
	case ctx.Err() != nil:
		return nil, true
	case end.Result.Outcome == tool.OK:
		return nil, false
	}
	f := ended(c, end.Result)
	f.Late = true
	return f, true
}

// run runs the call, behind the gate that the scope may have. A call that was
// given up keeps the gate until it does come back.
func (w *calling) run(ctx context.Context, t tool.Tool) (end tool.Ending, err error) {
	if t.Access == tool.ReadOnly || w.scope.Gate == nil {
		return t.Do(ctx, w.Call.Call), nil
	}
	if err := w.scope.Gate.enter(ctx); err != nil {
		return end, err
	}
	defer func() { // also if the loop body panics
		late := end.Late
		if late == nil {
			w.scope.Gate.leave()
			return
		}
		go func() { // it ends with the tool, which ignores its cancel
			<-late
			w.scope.Gate.leave()
		}()
	}()
	return t.Do(ctx, w.Call.Call), nil
}

// signaled does what a tool wants that did not come to a result.
func (m *loopMode) signaled(c *Call, signal tool.Signal) (Fact, error) {
	switch signal := signal.(type) {
	case *tool.Pause:
		if m.loop.Headless {
			return ended(c, notStarted(fill(m.loop.words().Nobody, "question", signal.Question))), nil
		}
		return CallPaused{Call: c.Place, Saved: signal.Saved, Question: Question{
			About: AboutTool, Text: signal.Question, Choices: signal.Choices, Urgency: signal.Urgency,
		}}, nil
	case *Delegate:
		return m.handOver(c, signal)
	}
	return ended(c, tool.Result{Text: signal.Error(), Outcome: tool.Failed}), nil
}

func ended(c *Call, r tool.Result) CallEnded {
	return CallEnded{Call: c.Place, Name: c.Name, Result: r}
}

// wentWell tells whether a call came to an end of its own, which counts also
// if it was told to end meanwhile.
func wentWell(e tool.Ending) bool {
	switch e.Result.Outcome {
	case tool.Canceled, tool.TimedOut, tool.NotStarted, tool.Failed:
		return false
	}
	return true
}

// gone tells whether the tool has left, or takes other arguments, since the
// call was checked.
func (m *loopMode) gone(list *tool.List, ok bool, c *Call) (tool.Result, bool) {
	switch {
	case !ok:
		return list.Removed(c.Name), true
	case list == m.list:
		return tool.Result{}, false
	}
	check := list.Check(llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)}, nil)
	if !check.Stopped() {
		return tool.Result{}, false
	}
	return notStarted(fill(m.loop.words().Gone, "name", c.Name)), true
}

// reconcile says what became of a call that was cut off: what its tool can
// tell, what a person must, or that it is unknown. A call that did not take
// place is to be run.
func (m *loopMode) reconcile(ctx context.Context, t tool.Tool, c *Call) (Fact, bool) {
	if t.Reconcile != nil {
		happened := false
		end := guarded(ctx, tool.DefaultLimit, func(ctx context.Context) (tool.Result, error) {
			told, err := t.Reconcile(ctx, c.Call)
			happened = told.Happened
			return told.Result, err
		})
		switch {
		case ctx.Err() != nil:
			return nil, true
		case end.Late == nil && end.Signal == nil && !unanswered(end.Result) && happened:
			return ended(c, end.Result), true
		case end.Late == nil && end.Signal == nil && !unanswered(end.Result):
			return nil, false
		}
	}
	if m.loop.Headless {
		return ended(c, tool.Result{Text: m.loop.words().Unknown, Outcome: tool.Unknown}), true
	}
	return CallPaused{Call: c.Place, CutOff: true, Question: Question{
		About: AboutOutcome, Choices: []string{Happened, DidNot, StopTheRun}, Urgency: "high",
		Text: fill(m.loop.words().AskOutcome, "name", c.Name, "arguments", string(c.Arguments)),
	}}, true
}

// unanswered tells whether the world gave no answer.
func unanswered(r tool.Result) bool {
	switch r.Outcome {
	case tool.Failed, tool.Panicked, tool.TimedOut, tool.Canceled, tool.NotStarted:
		return true
	}
	return false
}

// guarded runs a function of the host as a tool is run, so that its panic, its
// silence and its error stay inside.
func guarded(ctx context.Context, limit time.Duration, fn func(context.Context) (tool.Result, error)) tool.Ending {
	t := tool.Tool{Limit: limit, Run: func(ctx context.Context, _ tool.Call) (tool.Result, error) { return fn(ctx) }}
	return t.Do(ctx, tool.Call{})
}

// edited says in front of a result that a person changed the arguments.
func (l *Loop) edited(c *Call, r tool.Result) tool.Result {
	if c.Edited {
		r.Text = fill(l.words().Edited, "arguments", string(c.Arguments)) + r.Text
	}
	return r
}

// handOver lets a worker do a call, if there may be another run within this one.
func (m *loopMode) handOver(c *Call, d *Delegate) (Fact, error) {
	l := m.loop
	if d.Worker == nil {
		return ended(c, tool.Result{Text: "the tool named no worker", Outcome: tool.Failed}), nil
	}
	if !c.Begun && !m.scope.handOver() { // one that goes on has been counted
		return ended(c, tool.Result{Text: l.words().Handovers, Outcome: tool.Refused}), nil
	}
	end := func(res Result, err error) Fact {
		f := ended(c, l.edited(c, l.handUp(res, err)))
		f.Spent = &res.Spent
		return f
	}
	return nil, &Delegate{
		Worker: d.Worker, Prompts: d.Prompts, Limit: d.Limit, headless: l.Headless,
		End:    func(res Result) Fact { return end(res, nil) },
		Failed: func(res Result, err error) Fact { return end(res, err) },
	}
}
