package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// task makes the job of a task: a run within the plan's, which goes on from its
// own log. All that its worker is told is settled here: what a task depends on
// has ended and does not change any more. Scope is the plan's.
func (m *mode) task(id string, scope agent.Scope) *taskJob {
	x, s, run := m.executor, &m.state, scope.ID+"/"+id
	i := s.at[id]
	j := &taskJob{task: s.tasks[i]}
	t := &j.task
	t.Outcome = Outcome{}
	goal, inputs := s.Goal(), s.inputs(i)
	if t.Tool != "" {
		t.Arguments = fillIn(t.Arguments, func(id string) (string, bool) { return s.result(id) })
	}
	j.Job = agent.Job{Key: id, Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		w, err := x.worker(*t)
		if err != nil {
			return TaskEnded{id, Outcome{Status: Failed, Why: err.Error()}}, nil
		}
		prompt := t.says()
		if t.Tool == "" {
			told, err := m.words.told(ctx, w, run, inputs)
			if err != nil {
				return nil, err
			}
			prompt = m.words.prompt(goal, t, inputs, told)
		}
		return nil, m.delegate(w, prompt, id, scope.Pool)
	}}
	return j
}

// inputs returns what task i depends on directly.
func (s *State) inputs(i int32) []Task {
	inputs := make([]Task, len(s.up[i]))
	for k, j := range s.up[i] {
		inputs[k] = s.tasks[j]
	}
	return inputs
}

// A taskJob keeps what the task's worker is told. The task's place is settled
// when it starts, and not changed any more then.
type taskJob struct {
	agent.Job
	task Task
}

func (s *State) result(id string) (string, bool) {
	i, ok := s.at[id]
	if !ok {
		return "", false
	}
	return s.tasks[i].Result, true
}

// delegate hands a task to its worker.
func (m *mode) delegate(w agent.Worker, prompt, id string, pool *budget.Pool) *agent.Delegate {
	x := m.executor
	d := &agent.Delegate{
		Worker: gated{w, m.gate}, Prompts: []string{prompt}, Limit: x.TaskLimit,
		End: func(r agent.Result) agent.Fact { return TaskEnded{id, x.outcome(r, pool)} },
	}
	if x.ErrorsFail {
		d.Failed = func(r agent.Result, err error) agent.Fact {
			limit, _ := errors.AsType[*budget.ExceededError](err)
			o := Outcome{Status: Failed, Result: r.Text, Why: "error: " + err.Error(), Limit: limit, Spent: r.Spent}
			o.share(pool)
			return TaskEnded{id, o}
		}
	}
	return d
}

// gated opens runs behind the plan's gate.
type gated struct {
	agent.Worker
	gate agent.Gate
}

// Open implements [agent.Worker].
func (g gated) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if g.gate != nil {
		scope.Gate = g.gate
	}
	return g.Worker.Open(ctx, scope, prompts...)
}

// outcome is what a run that drew from the pool comes to as a task.
func (x *Executor) outcome(r agent.Result, pool *budget.Pool) Outcome {
	o := Outcome{Status: statusOf(r.Reason), Result: r.Text, Verdict: r.Verdict, Limit: r.Limit, Spent: r.Spent}
	o.share(pool)
	if x.AcceptUnverified && r.Reason == agent.Unverified {
		o.Status = Completed
	}
	if o.Status == Completed {
		o.Cut = r.Partial
		return o
	}
	if r.Reason == agent.Refused {
		r.Detail = cmp.Or(r.Detail, firstLine(r.Text, maxReason))
	}
	o.Accepted = o.Status == Partial && x.AcceptPartial
	met := ""
	if r.Reason == agent.OverBudget || r.Reason == agent.TimedOut { // else the detail tells of the limit
		met = x.words().met(r.Limit)
	}
	o.Why = joined(": ", string(r.Reason), string(r.Cause), r.Detail, met)
	if o.Result == "" {
		o.Result = strings.Join(r.Findings, "\n")
	}
	return o
}

// share notes whether it is the pool that has nothing left. What the pool says
// now is asked: a limit does not tell whose it is.
func (o *Outcome) share(pool *budget.Pool) {
	if o.Limit == nil {
		return
	}
	settle, err := pool.Reserve(budget.Spent{})
	if err == nil {
		settle(budget.Spent{})
		return
	}
	if limit, ok := errors.AsType[*budget.ExceededError](err); ok {
		o.Limit, o.Shared = limit, true
	}
}

// firstLine is the first line of a text, bounded.
func firstLine(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return bounded(line, most)
}

func bounded(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

const maxReason = 300 // characters

// statusOf is the status of a task whose run has ended for that reason.
func statusOf(r agent.Reason) Status {
	switch r {
	case agent.Completed:
		return Completed
	case agent.OverBudget, agent.TimedOut, agent.Stalled:
		return Partial
	case agent.Canceled:
		return Canceled
	}
	return Failed
}

// worker returns who does a task.
func (x *Executor) worker(t Task) (agent.Worker, error) {
	if t.Tool != "" {
		return x.caller(t), nil
	}
	w := x.Worker
	if x.WorkerFor != nil {
		w = x.WorkerFor(t)
	}
	if w == nil {
		return nil, fmt.Errorf("there is no worker for this task")
	}
	if len(t.Tools) == 0 {
		return w, nil
	}
	return Narrow(w, t.Tools)
}

// Narrow returns w held to these of its tools. It must be a [Narrower] or an
// [agent.Loop].
func Narrow(w agent.Worker, tools []string) (agent.Worker, error) {
	switch w := w.(type) {
	case Narrower:
		return w.Narrow(tools), nil
	case *agent.Loop:
		return narrow(w, tools), nil
	}
	return nil, fmt.Errorf("its tools are narrowed, and a %T can't be held to that", w)
}

// A Narrower is a worker that can be held to some of its tools, as a task of a
// plan may want. An [agent.Loop] always can.
type Narrower interface {
	Narrow(tools []string) agent.Worker
}

// narrow returns a loop that refuses all tools but these and read_result, by
// which results that were put aside are read back.
func narrow(l *agent.Loop, tools []string) *agent.Loop {
	narrowed := *l
	narrowed.Policy = func(t tool.Tool, c tool.Call) tool.Verdict {
		if t.Name != compress.ReadResult && !slices.Contains(tools, t.Name) {
			return tool.Refuse("this task may only use " + strings.Join(tools, ", "))
		}
		if l.Policy == nil {
			return tool.Allow()
		}
		return l.Policy(t, c)
	}
	return &narrowed
}

// caller returns the loop of a task that is one call of a tool. What a loop
// does for calls holds for it: policy, pauses, limits, and what follows a crash.
// In place of a model it asks the task itself.
func (x *Executor) caller(t Task) *agent.Loop {
	return &agent.Loop{
		Name: t.Tool, Client: callOf{t, x.words().NoResult}, Tools: x.Tools, Policy: x.Policy, Headless: x.Headless,
		Budget:   budget.Budget{Stall: budget.Stall{Off: true}},
		NoWrapUp: true, NoNudge: true, TurnLimit: tool.Unlimited,
	}
}

// callOf is the client of a task that is one call: it asks for the call, and
// then answers with what the call came to.
type callOf struct {
	task     Task
	noResult string // stands for an empty one
}

// Stream implements [llm.Client].
func (c callOf) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(c.reply(req.Messages), nil) }
}

func (c callOf) reply(history []llm.Message) llm.Reply {
	r := llm.Reply{Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel}, Finish: llm.FinishCalls}
	for _, m := range slices.Backward(history) {
		results := m.Results()
		if len(results) == 0 {
			continue
		}
		if r.Finish = llm.FinishStop; results[0].Failed {
			r.Finish = llm.FinishRefused // the run is Refused, so the task has failed
		}
		text := results[0].Text
		if strings.TrimSpace(text) == "" {
			text = c.noResult
		}
		r.Message.Parts = llm.Parts{llm.Text(text)}
		return r
	}
	r.Message.Parts = llm.Parts{llm.ToolCall{ID: "call", Name: c.task.Tool, Arguments: string(c.task.Arguments)}}
	return r
}
