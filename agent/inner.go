package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A Delegate is the error of a job, or of a tool, that wants its work done by a
// worker as a run within the run: with its own log below the parent's, its
// questions and events passed up. Doing it again opens the same run.
type Delegate struct {
	Worker  Worker
	Prompts []string

	// Limit bounds the active time of the run; 0 does not. One that has not ended
	// by then is left as it is, and End is told of a run that TimedOut.
	Limit time.Duration

	// Counted is what the run's earlier ends have told of in the parent's log, if
	// the run goes on after them: a shared budget counts it once.
	Counted budget.Spent

	// End makes the job's fact of what the run came to, and Failed of an error
	// that kept it from going on; a nil Failed makes that the parent's error. A
	// tool leaves both nil.
	End    func(Result) Fact
	Failed func(Result, error) Fact

	headless bool // the run within can't ask either
}

// Error implements error.
func (*Delegate) Error() string { return "agent: to be done by a worker" }

// Signal implements [tool.Signal].
func (*Delegate) Signal() {}

// waiting is the error of a job whose inner run waits for answers.
type waiting struct{ run *Run }

func (*waiting) Error() string { return "agent: waiting for answers" }

// delegate does a job by a run within this one.
func (d *ride) delegate(ctx context.Context, key string, del *Delegate, p Port) (Fact, error) {
	scope := d.scope.within(key)
	scope.Headless = scope.Headless || del.headless
	d.anew(key)
	in, err := del.Worker.Open(ctx, scope, del.Prompts...)
	if err == nil && in == nil {
		err = fmt.Errorf("agent: opening %s/%s: the worker gave no run and no error", d.scope.ID, key)
	}
	if err == nil {
		in.lend(d.through())
		in.join(del.Counted)
		in.inherit(d.kid(key))
		err = d.enter(key, in)
	}
	if in == nil {
		return d.failed(ctx, del, Result{}, err)
	}
	over := false
	if err == nil && in.wants() {
		err = in.follow(ctx, func(e Event, _ error) bool { return p.Tell(within(key, e)) }, false, del.Limit)
		over = errors.Is(err, errLimit)
	}
	d.leave(key, in)
	switch res := in.Result(); {
	case res.Ended():
		return del.End(res), nil
	case over && ctx.Err() == nil:
		res.Reason, res.Questions = TimedOut, nil
		res.Limit = &budget.ExceededError{Limit: budget.Time, Used: in.worked().Seconds(), Max: del.Limit.Seconds()}
		return del.End(res), nil
	case err != nil:
		return d.failed(ctx, del, res, err)
	case res.Reason == Waits || ctx.Err() == nil: // or it was answered this moment
		return nil, &waiting{in}
	}
	return nil, errLeft // the reader has left
}

// errAnew is of a handle in whose place another one is opened.
var errAnew = errors.New("agent: the run is being opened anew")

// anew keeps what comes for a run within from here on for the handle that is
// about to be opened: one that reads a log must not be overtaken by another.
func (d *ride) anew(key string) {
	d.mu.Lock()
	old := d.kids[key]
	delete(d.woken, key)
	d.mu.Unlock()
	if old != nil {
		old.retire()
	}
}

// retire keeps a handle, and those of the runs within, from adding to the log.
func (r *Run) retire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad = cmp.Or(r.bad, errAnew)
	for _, in := range r.kids {
		in.retire()
	}
}

// kid returns the run within as it was last under way here, or nil.
func (d *ride) kid(key string) *Run {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kids[key]
}

// inherit takes over from an earlier handle of the same run, if that knew the
// log as it is, which jobs never began.
func (r *Run) inherit(old *Run) {
	if old == nil || old == r {
		return
	}
	old.mu.Lock()
	defer old.mu.Unlock()
	if old.at == r.at {
		r.idle = old.idle
	}
}

// through is what this run appends through.
func (d *ride) through() journal.Journal {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store
}

// wants tells whether there is something to do for the run.
func (r *Run) wants() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.ended || len(r.inbox) > 0
}

func (r *Run) worked() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active
}

// failed makes of an error what the delegate wants made of it. One after a
// cancel, and a stale answer, are no fault of the run within.
func (d *ride) failed(ctx context.Context, del *Delegate, res Result, err error) (Fact, error) {
	if del.Failed == nil || ctx.Err() != nil || errors.Is(err, ErrStale) || errors.Is(err, ErrNoQuestion) {
		return nil, err
	}
	return del.Failed(res, err), nil
}

// within wraps an event of the run that key names.
func within(key string, e Event) Inner {
	if in, ok := e.(Inner); ok {
		return Inner{key + "/" + in.Path, in.Event}
	}
	return Inner{key, e}
}

// AsTool returns a tool that hands its task, the one argument "task", to w, in a
// run of its own with its own log, budget and questions. It has no time limit of its own. What is
// handed up is the run's last text; one that did not complete is a failed call,
// with the cause and what was found so far, and one that a limit cut short is
// marked so.
func AsTool(w Worker, name, description string) tool.Tool {
	return tool.Tool{
		Spec:       llm.Spec{Name: name, Description: description, Schema: taskSchema},
		Limit:      tool.Unlimited,
		Repeatable: true, // the run behind it goes on from its own log
		Run: func(_ context.Context, call tool.Call) (tool.Result, error) {
			var in struct{ Task string }
			if err := json.Unmarshal(call.Arguments, &in); err != nil {
				return tool.Result{}, err
			}
			if blank(in.Task) {
				return tool.Result{}, errors.New("task: must say what is to be done")
			}
			return tool.Result{}, &Delegate{Worker: w, Prompts: []string{in.Task}}
		},
	}
}

var taskSchema = json.RawMessage(`{"type":"object","properties":{"task":{"type":"string",` +
	`"description":"What is to be done, with all that the other agent must know; it sees nothing else."}},` +
	`"required":["task"],"additionalProperties":false}`)

const maxFindings = 8000 // characters of what a run within hands up when it fails

// handUp makes a call's result of what the run behind it came to.
func (l *Loop) handUp(res Result, err error) tool.Result {
	words := l.words()
	if err == nil && res.Reason == Completed {
		return tool.Result{Text: res.Text}
	}
	detail := string(res.Cause)
	if res.Detail != "" {
		detail = strings.TrimSpace(detail + " " + res.Detail)
	}
	reason := string(res.Reason)
	if err != nil {
		reason, detail = "error", err.Error()
	}
	text := fill(words.Inner, "reason", reason, "detail", detail)
	if res.Limit != nil {
		text += " (" + res.Limit.Error() + ")"
	}
	if found := findings(res); found != "" {
		text += fill(words.Findings, "text", found)
	}
	return tool.Result{Text: text, Outcome: tool.Failed}
}

// findings is what a run had so far, bounded, the newest kept.
func findings(res Result) string {
	parts := append([]string{}, res.Findings...)
	if res.Text != "" {
		parts = append(parts, res.Text)
	}
	text := []rune(strings.Join(parts, "\n"))
	if len(text) > maxFindings {
		text = append([]rune("…"), text[len(text)-maxFindings:]...)
	}
	return string(text)
}
