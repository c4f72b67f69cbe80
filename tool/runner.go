package tool

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/triad-go/triad/llm"
)

// Bounds of the calls of one turn.
const (
	DefaultParallel  = 4                // calls that run at once
	DefaultTurnLimit = 90 * time.Second // after which no further call is started
	MaxCalls         = 256              // of one reply that are run
)

// A Runner runs the calls of replies for a program that has its own loop; an
// agent.Loop brings its own. Its fields are set before its first use. It may be
// used by many goroutines at once.
type Runner struct {
	// Tools are asked whether an advertised tool is still there.
	Tools *Registry

	// Policy decides about each call. What it asks is refused, since a Runner
	// has nobody to ask; so is a [Pause].
	Policy Policy

	// Parallel is how many calls run at once; 0 is [DefaultParallel]. It can't
	// be negative.
	Parallel int

	// TurnLimit is how long the calls of a turn may have been running when the
	// last one of them is started; 0 is [DefaultTurnLimit], [Unlimited] none. It
	// does not hold for a turn with a call of a tool that is itself Unlimited.
	TurnLimit time.Duration

	// AnyOrder runs all calls of a turn beside each other, whatever they do.
	AnyOrder bool

	// NoBlock lets calls start although one that they conflict with was given
	// up and may still be running; see [Stragglers].
	NoBlock bool

	// Name begins the [Call.Key] of each call: "name/2.1" is the first call of
	// the second turn.
	Name string

	turns      atomic.Int64
	stragglers Stragglers
}

// Run runs the calls of one reply, as [Order] lets them, and returns one result
// for each, in their order: calls belong to results by their place, and may
// share an id. List is what the request advertised; nil is what [Runner.Tools]
// holds now.
//
// A call that fails, hangs or is refused is no error of Run, nor is the end of
// ctx: all of them are results. An error says that the Runner is set up wrongly.
func (r *Runner) Run(ctx context.Context, list *List, calls []llm.ToolCall) ([]Result, error) {
	if err := r.fault(); err != nil {
		return nil, err
	}
	if list == nil {
		list = r.Tools.List()
	}
	t := turn{Runner: r, list: list, number: int(r.turns.Add(1)), results: make([]Result, len(calls))}
	if len(calls) > MaxCalls {
		for i := range calls[MaxCalls:] {
			t.results[MaxCalls+i] = list.TooMany()
		}
		calls = calls[:MaxCalls]
	}
	t.check(calls)
	t.run(ctx)
	return t.results, nil
}

func (r *Runner) fault() error {
	switch {
	case r.Parallel < 0:
		return fmt.Errorf("tool: running calls: Parallel is %d, want 1 or more, or 0 for %d", r.Parallel, DefaultParallel)
	case r.TurnLimit < 0 && r.TurnLimit != Unlimited:
		return fmt.Errorf("tool: running calls: TurnLimit is %v, want 0 or more, or Unlimited", r.TurnLimit)
	}
	return r.Tools.Err()
}

// A turn is the calls of one reply on their way.
type turn struct {
	*Runner
	list    *List
	number  int
	tools   []Tool
	calls   []Call
	uses    []Use
	state   []callState
	results []Result
	limit   time.Duration
}

type callState uint8

const (
	waiting callState = iota
	running
	ended
)

// check takes the calls through the gates. Those that are stopped have ended.
func (t *turn) check(calls []llm.ToolCall) {
	n := len(calls)
	t.tools, t.calls, t.uses, t.state = make([]Tool, n), make([]Call, n), make([]Use, n), make([]callState, n)
	if t.limit = t.TurnLimit; t.limit == 0 {
		t.limit = DefaultTurnLimit
	}
	for i, call := range calls {
		check := t.list.Check(call, Headless(t.Policy))
		if check.Stopped() {
			t.end(i, check.Result())
		}
		key := t.Name + "/" + strconv.Itoa(t.number) + "." + strconv.Itoa(i+1)
		t.calls[i] = Call{ID: call.ID, Name: call.Name, Arguments: check.Arguments, Key: key}
		t.tools[i], _ = t.list.Find(call.Name)
		t.uses[i] = check.Use
		if t.tools[i].Limit == Unlimited {
			t.limit = Unlimited
		}
	}
}

func (t *turn) end(i int, result Result) { t.results[i], t.state[i] = result, ended }

// run runs the calls until all have ended. Its goroutines end within it.
func (t *turn) run(ctx context.Context) {
	type landing struct {
		call   int
		ending Ending
	}
	parallel := t.Parallel
	if parallel == 0 {
		parallel = DefaultParallel
	}
	places := semaphore.NewWeighted(int64(parallel))
	landed := make(chan landing)
	began := time.Now()
	order := Order(t.uses)
	if t.AnyOrder {
		order = Order(slices.Repeat([]Use{nothing}, len(t.uses)))
	}
	over := func(i int) bool { return t.state[i] == ended }
	for {
		under, passed := 0, false
		for i := range order.Ready(over) {
			if t.state[i] == waiting {
				if result, ok := t.hinders(ctx, i, time.Since(began)); ok {
					t.end(i, result)
					passed = true
					continue
				}
				if !places.TryAcquire(1) {
					continue
				}
				t.state[i] = running
				go func() { landed <- landing{i, t.tools[i].Do(ctx, t.calls[i])} }()
			}
			under++
		}
		switch {
		case passed:
			continue // what waited for it may start
		case under == 0:
			return
		}
		l := <-landed
		places.Release(1)
		t.land(l.call, l.ending)
	}
}

// hinders returns the result of a call that must not start any more.
func (t *turn) hinders(ctx context.Context, i int, since time.Duration) (Result, bool) {
	call := t.calls[i]
	if t.Tools != nil {
		if _, ok := t.Tools.List().Find(call.Name); !ok {
			return t.list.Removed(call.Name), true
		}
	}
	if ctx.Err() != nil {
		return t.list.Stopped(), true
	}
	if t.limit != Unlimited && since >= t.limit {
		return t.list.TurnOver(t.limit), true
	}
	if running, ok := t.stragglers.Block(t.number, call.Name, t.uses[i]); ok && !t.NoBlock {
		return t.list.Blocked(call.Name, running), true
	}
	return Result{}, false
}

func (t *turn) land(i int, ending Ending) {
	t.stragglers.Add(t.number, t.calls[i], t.uses[i], ending.Late)
	if ending.Signal == nil {
		t.end(i, ending.Result)
		return
	}
	question := ending.Signal.Error()
	if pause, ok := ending.Signal.(*Pause); ok {
		question = pause.Question
	}
	t.end(i, Result{Text: fill(t.list.words().Unanswered, "question", question), Outcome: Failed})
}
