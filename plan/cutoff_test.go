package plan_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// A process has the journal on disk. When it is dead nothing that it does is
// written down any more.
type process struct {
	*journal.Dir
	mu   sync.Mutex
	left int // facts that it writes down until it dies; negative is for ever
}

func newProcess(t *testing.T, dir string, left int) *process {
	t.Helper()
	d, err := journal.Open(dir)
	require.NoError(t, err)
	return &process{Dir: d, left: left}
}

func (p *process) Append(ctx context.Context, id string, at int, entries ...journal.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.left == 0:
		return errDead
	case len(entries) > 0:
		p.left--
	}
	return p.Dir.Append(ctx, id, at, entries...)
}

func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = 0
}

// A till is a world in which money is paid, once for each call's key if all is
// well. Its tool is not repeatable and can't tell what happened.
type till struct {
	mu    sync.Mutex
	begun int
	paid  map[string]int
}

// pay is its tool. The process may die in it, before it has paid or after.
func (w *till) pay(dieBefore, dieAfter func()) tool.Tool {
	return tool.NewWithCall("write", "Pays.", func(_ context.Context, c tool.Call, _ struct {
		Text string `json:"text"`
	}) (string, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.begun++; dieBefore != nil {
			dieBefore()
			return "nobody hears this", nil
		}
		if w.paid == nil {
			w.paid = map[string]int{}
		}
		if w.paid[c.Key]++; dieAfter != nil {
			dieAfter()
		}
		return "paid", nil
	})
}

// truth is what a person finds out who looks into the till.
func (w *till) truth(agent.Question) (agent.Answer, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.paid) > 0 {
		return agent.Words(agent.Happened), true
	}
	return agent.Words(agent.DidNot), true
}

// open opens the run in a process, with all that a program makes anew. Only the
// first one gets a plan.
func (w *till) open(t *testing.T, p *process, pay tool.Tool, tasks ...plan.Task) *agent.Run {
	t.Helper()
	worker := (&crew{}).loop()
	worker.Tools = tool.NewRegistry(pay)
	planner := plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) { return plan.Proposal{Tasks: tasks}, nil })
	x := &plan.Executor{Planner: planner, Worker: worker, Tools: worker.Tools}
	run, err := x.Open(t.Context(), agent.Scope{Journal: p, ID: "run"}, "g")
	require.NoError(t, err)
	return run
}

// cutOff is a plan whose process has died within the call of task a.
func (w *till) cutOff(t *testing.T, dir string, paid bool, tasks ...plan.Task) {
	t.Helper()
	p := newProcess(t, dir, -1)
	pay := w.pay(p.die, nil)
	if paid {
		pay = w.pay(nil, p.die)
	}
	require.ErrorIs(t, agent.Drain(t.Context(), w.open(t, p, pay, tasks...), nil), errDead)
	require.Equal(t, 1, w.begun)
}

// next opens the run in another process, which lives on.
func (w *till) next(t *testing.T, dir string) *agent.Run {
	t.Helper()
	return w.open(t, newProcess(t, dir, -1), w.pay(nil, nil))
}

func payAndMore() []plan.Task { return lines("a: 0s write", "b: 0s", "c: 0s after a") }

// SES-E92, SES-18, PLAN-38, GEN-04: the process dies within a task's call of
// which nobody can tell whether it took place. The plan pauses with a question
// that names task and call, its other tasks go on, and the call is not made
// again until a person says that it did not take place, in a later process.
func TestCallCutOff(t *testing.T) {
	for name, paid := range map[string]bool{"before it paid": false, "after it paid": true} {
		t.Run(name, func(t *testing.T) {
			w, dir := &till{}, t.TempDir()
			w.cutOff(t, dir, paid, payAndMore()...)
			for range 2 { // two processes that have no answer
				run := w.next(t, dir)
				require.NoError(t, agent.Drain(t.Context(), run, nil))
				requireAsked(t, run)
				require.Equal(t, 1, w.begun, "it is not made again")
			}

			run := w.next(t, dir)
			require.ErrorIs(t, run.Answer("1.1", agent.Words(agent.Happened)), agent.ErrNoQuestion)
			require.ErrorIs(t, run.Answer("a/1.1", agent.Approve()), agent.ErrUnfit, "the task sleeps")
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			requireAsked(t, run)
			require.Equal(t, 1, w.begun)

			run = w.next(t, dir)
			answer, _ := w.truth(agent.Question{})
			require.NoError(t, run.Answer("a/1.1", answer))
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			require.Equal(t, agent.Completed, run.Result().Reason)
			require.Equal(t, "a completed, b completed, c completed", statuses(state(t, run)))
			require.Equal(t, map[string]int{"run/a/1.1": 1}, w.paid)
		})
	}
}

func requireAsked(t *testing.T, run *agent.Run) {
	t.Helper()
	res := run.Result()
	require.Equal(t, agent.Waits, res.Reason)
	require.Len(t, res.Questions, 1)
	q := res.Questions[0]
	require.Equal(t, "a/1.1", q.ID)
	require.Equal(t, agent.AboutOutcome, q.About)
	require.Equal(t, "write", q.Name)
	require.Equal(t, []string{agent.Happened, agent.DidNot, agent.StopTheRun}, q.Choices)
	require.Equal(t, "a running, b completed, c pending", statuses(state(t, run)))
}

// SES-E92, GEN-04: the process that has the answer dies, too, after each fact
// in turn. Whoever comes next tells the truth when asked, and it is paid once.
func TestCallCutOffTwice(t *testing.T) {
	for _, paid := range []bool{false, true} {
		for facts := 1; ; facts++ {
			w, dir := &till{}, t.TempDir()
			w.cutOff(t, dir, paid, payAndMore()...)
			run := w.open(t, newProcess(t, dir, facts), w.pay(nil, nil))
			if err := agent.Drain(t.Context(), run, w.truth); err == nil {
				require.Greater(t, facts, 5, "it never died")
				break
			}
			run = w.next(t, dir)
			require.NoError(t, agent.Drain(t.Context(), run, w.truth))
			require.Equal(t, agent.Completed, run.Result().Reason, facts)
			require.Equal(t, "a completed, b completed, c completed", statuses(state(t, run)))
			require.Equal(t, map[string]int{"run/a/1.1": 1}, w.paid, facts)
		}
	}
}

// SES-E92, PLAN-19: so does a task that is a call of a tool, without a model. If
// the call took place its result is lost, so the task has failed, and says so.
func TestToolTaskCutOff(t *testing.T) {
	for answer, status := range map[string]string{agent.Happened: "failed", agent.DidNot: "completed"} {
		t.Run(answer, func(t *testing.T) {
			w, dir := &till{}, t.TempDir()
			tasks := lines("a: pays", "b: 0s")
			tasks[0].Tool, tasks[0].Arguments = "write", []byte(`{"text":"x"}`)
			w.cutOff(t, dir, answer == agent.Happened, tasks...)
			run := w.next(t, dir)
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			require.Equal(t, "a/1.1", run.Result().Questions[0].ID)
			require.Equal(t, 1, w.begun, "it is not made again")

			run = w.next(t, dir)
			require.NoError(t, run.Answer("a/1.1", agent.Words(answer)))
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			s := state(t, run)
			require.Equal(t, "a "+status+", b completed", statuses(s))
			require.Equal(t, 1, w.paid["run/a/1.1"])
			if answer == agent.Happened {
				require.Contains(t, s.Tasks()[0].Why, "A person says that it took place.")
			}
		})
	}
}
