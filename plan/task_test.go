package plan_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

func do(t *testing.T, x agent.Worker) (agent.Result, plan.State) {
	t.Helper()
	run := open(t, x)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	return run.Result(), state(t, run)
}

// PLAN-08, PLAN-E58, PLAN-07, PLAN-21, PLAN-24: a task sees the goal, its own
// text, and the results of its direct dependencies with their status, nothing else.
func TestWhatATaskSees(t *testing.T) {
	c := &crew{}
	_, _ = do(t, &plan.Executor{Planner: drafts([]string{"a: first", "b: second after a", "c: third after b", "l: 0s long", "m: after it after l", "p: part limit", "q: use it after p"}), Worker: c.loop(), AcceptPartial: true})
	require.Equal(t, `The goal of the whole, of which you do one part:
g

Your task:
third

The result of b (completed):
did second

Do your task and no more. Your last message is its result: it must hold all that others need of it.`, c.told("third"))
	require.NotContains(t, c.told("third"), "first")
	require.NotContains(t, c.told("first"), "The result of")
	require.Contains(t, c.told("use it"), "The result of p (partial)")
	long := c.told("after it")
	require.Contains(t, long, strings.Repeat("é", 2000)+"\n[… 29201 characters left out …]\n"+strings.Repeat("é", 800)+"\n")
	require.NotContains(t, long, strings.Repeat("é", 2001))
	for _, r := range c.requests {
		require.Equal(t, llm.FromUser, r.Messages[0].Origin)
	}
}

// PLAN-36: a task that narrows its tools can't call others; read_result it can.
func TestNarrowedTools(t *testing.T) {
	planner := plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{Tasks: []plan.Task{{ID: "a", Description: "0s write", Tools: []string{"look"}}, {ID: "b", Description: "0s write"}}}, nil
	})
	l := (&crew{}).loop()
	require.NoError(t, l.Tools.Add(tool.New("read_result", "Reads.", func(context.Context, struct{}) (string, error) { return "", nil }, tool.ReadOnly)))
	synctest.Test(t, func(t *testing.T) {
		run := open(t, &plan.Executor{Planner: planner, Worker: l})
		checks := map[string]agent.Check{}
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if in, ok := event.(agent.Inner); ok {
				if r, ok := in.Event.(agent.Replied); ok && len(r.Checks) > 0 {
					checks[in.Path] = r.Checks[0]
				}
			}
		}
		require.Equal(t, tool.Refused, checks["a"].Outcome)
		require.Contains(t, checks["a"].Text, "only use look")
		require.Equal(t, tool.OK, checks["b"].Outcome)
	})
	narrow := plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{Tasks: []plan.Task{{ID: "a", Description: "x", Tools: []string{"look"}}}}, nil
	})
	zero := 0
	_, s := do(t, &plan.Executor{Planner: narrow, Replans: &zero, Worker: agent.WorkerFunc(l.Open)})
	require.Contains(t, s.Tasks()[0].Why, "can't be held")
}

// PLAN-E59: with the gate on, side effects of different tasks never overlap;
// off, they do.
func TestGate(t *testing.T) {
	for gate, took := range map[bool]float64{true: 3, false: 1} {
		synctest.Test(t, func(t *testing.T) {
			run := open(t, &plan.Executor{Planner: drafts([]string{"a: 0s write", "b: 0s write", "c: 0s write"}), Worker: (&crew{}).loop(), Gate: gate})
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			require.Equal(t, agent.Completed, run.Result().Reason)
			require.Equal(t, took, run.Result().Spent.Time.Seconds())
		})
	}
}

// PLAN-34, PLAN-E56: one end of a run, one status.
func TestStatusOfEnds(t *testing.T) {
	ends := map[agent.Reason]plan.Status{
		agent.Completed: plan.Completed, agent.OverBudget: plan.Partial, agent.TimedOut: plan.Partial, agent.Stalled: plan.Partial,
		agent.Canceled: plan.Canceled, agent.Refused: plan.Failed, agent.Unverified: plan.Failed, agent.Incomplete: plan.Failed, agent.Failed: plan.Failed,
	}
	zero := 0
	for reason, want := range ends {
		x := &plan.Executor{Planner: drafts([]string{"a: x", "b: y after a"}), Replans: &zero, Worker: ending{agent.Stopped{Reason: reason, Detail: "so"}}}
		_, s := do(t, x)
		require.Equal(t, want, s.Tasks()[0].Status, reason)
		if want != plan.Completed {
			require.Equal(t, string(reason)+": so", s.Tasks()[0].Why)
			require.Equal(t, plan.Skipped, s.Tasks()[1].Status)
		}
	}
}

// ending is a worker whose runs end so at once.
type ending struct{ stop agent.Stopped }

func (e ending) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	return agent.NewRun(ctx, &endingMode{stop: e.stop}, scope, prompts...)
}

type endingMode struct {
	stop  agent.Stopped
	ended bool
}

func (*endingMode) Kinds(string) agent.Decoder { return nil }
func (m *endingMode) Fold(e agent.Entry) {
	if _, ok := e.Fact.(agent.Stopped); ok {
		m.ended = true
	}
}
func (m *endingMode) Work(agent.Scope) agent.Work { return agent.Work{Stop: &m.stop} }
func (m *endingMode) Result() agent.Result {
	if !m.ended {
		return agent.Result{}
	}
	return agent.Result{Reason: m.stop.Reason, Detail: m.stop.Detail}
}

// PLAN-34, PLAN-E56: a client's error in one task of three: the others end and
// are kept, the error is yielded, and resuming runs the one.
func TestClientErrorInATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, store := &crew{}, &journal.Memory{}
		x := &plan.Executor{Planner: drafts([]string{"a: 1s broken", "b: 5s", "c: 9s", "d: 1s", "e: 1s"}), Worker: c.loop(), Parallel: 3}
		run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
		require.NoError(t, err)
		err = agent.Drain(t.Context(), run, nil)
		require.ErrorIs(t, err, llm.ErrUnavailable)
		require.Equal(t, agent.Going, run.Result().Reason)
		require.Equal(t, "a running, b completed, c completed, d pending, e pending", statuses(state(t, run)))
		c.mended = true
		made := len(c.requests)
		run, err = x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)
		require.Len(t, c.requests, made+3, "a again, and d and e")

		x.ErrorsFail, c.mended, x.Planner = true, false, drafts([]string{"a: 1s broken", "b: 5s", "c: 9s"})
		res, s := do(t, x)
		require.Equal(t, agent.Incomplete, res.Reason)
		require.Equal(t, "a failed, b completed, c completed", statuses(s))
		require.Contains(t, s.Tasks()[0].Why, "the server is down")
	})
}

// PLAN-14: a task is not retried. PLAN-10: what the planner is told.
func TestReplanBrief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crew{}
		planner := drafts([]string{"a: 1s", "b: 2s fail", "c: 1s after b", "d: 1s after b"}, []string{"e: 1s after a"})
		res, s := do(t, &plan.Executor{Planner: planner, Worker: c.loop()})
		require.Equal(t, agent.Completed, res.Reason)
		require.Len(t, c.requests, 3)
		require.Equal(t, "a completed, e completed", statuses(s))
		b := planner.briefs[1]
		require.Equal(t, "g", b.Goal, "never nested")
		require.Equal(t, "did 1s", b.Completed[0].Result)
		require.Len(t, b.Failed, 1)
		require.Equal(t, "refused: did 2s fail", b.Failed[0].Why)
		require.Equal(t, 4, b.Given)
		require.Contains(t, c.told("1s"), "")
		var replaced []string
		for _, task := range s.Replaced() {
			replaced = append(replaced, task.ID+" "+task.Status.String())
		}
		require.Equal(t, []string{"b failed", "c pending", "d pending"}, replaced)
	})
}

// PLAN-30: tasks kept from before count. 4 kept of 10, then a failure: behind.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		planner := drafts(
			[]string{"a: 1s", "b: 1s", "c: 1s", "d: 1s", "x: 2s fail", "e: 1s after x", "f: 1s after x", "g: 1s after x", "h: 1s after x"},
			[]string{"i: 1s fail", "j: 1s", "k: 1s after i", "l: 1s after i", "m: 1s after i", "n: 1s after i"},
			[]string{"o: 1s"})
		run := open(t, &plan.Executor{Planner: planner, Worker: (&crew{}).loop(), Parallel: 5})
		var seen []string
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if e, ok := event.(plan.TaskEnded); ok && (e.ID == "x" || e.ID == "j") {
				done, all := state(t, run).Progress()
				seen = append(seen, e.ID+" "+string(rune('0'+done))+" of "+string(rune('0'+all)))
			}
		}
		require.Equal(t, []string{"x 4 of 9", "j 5 of :"}, seen, "the second is 5 of 10 (a colon follows 9)")
		require.Len(t, planner.briefs, 2, "5 of 10 is enough")
	})
}

// PLAN-E60, AGT-29: a person's stop reaches all running tasks, and no replan follows;
// after an interruption all of them go on.
func TestStopAndInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		planner := drafts([]string{"a: 5s", "b: 5s", "c: 5s", "d: 1s after a"})
		x := &plan.Executor{Planner: planner, Worker: (&crew{}).loop()}
		run := open(t, x)
		time.AfterFunc(time.Second, func() { require.NoError(t, run.Stop("enough")) })
		got := trace(t, run, nil)
		require.Equal(t, "0+a 0+b 0+c", got[:11])
		require.Contains(t, got, "1-d(skipped) canceled")
		require.Equal(t, "a canceled, b canceled, c canceled, d skipped", statuses(state(t, run)))
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.Equal(t, "enough", run.Result().Detail)
		require.Len(t, planner.briefs, 1)

		x.Planner = drafts([]string{"a: 5s", "b: 5s", "c: 5s", "d: 1s after a"})
		store := &journal.Memory{}
		scope := agent.Scope{Journal: store, ID: "run"}
		run, err := x.Open(t.Context(), scope, "g")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, agent.Drain(ctx, run, nil), context.DeadlineExceeded)
		require.Equal(t, "a running, b running, c running, d pending", statuses(state(t, run)))
		run, err = x.Open(t.Context(), scope, "g")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "a completed, b completed, c completed, d completed", statuses(state(t, run)))
	})
}

// A task's time limit frees its place, and the task is partial. TEAM-E69.
func TestTaskLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &plan.Executor{Planner: drafts([]string{"a: 100s", "b: 1s", "c: 1s", "d: 1s"}), Worker: (&crew{}).loop(), Parallel: 1, TaskLimit: 10 * time.Second, OnFailure: plan.GoOn}
		run := open(t, x)
		require.Equal(t, "0+a 10-a(partial) 10+b 11-b 11+c 12-c 12+d 13-d incomplete", trace(t, run, nil))
		require.Equal(t, "timed_out: time: 10 of 10", state(t, run).Tasks()[0].Why)
	})
}

// BUD-07: tasks draw from the pool of the plan, each amount counts once, and the
// planner's requests are among them. PLAN-15: what is left is skipped.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &budget.Pool{}
		x := &plan.Executor{Planner: drafts([]string{"a: 1s", "b: 1s after a", "c: 1s after b"}), Worker: (&crew{}).loop()}
		run, err := x.Open(t.Context(), agent.Scope{Pool: pool}, "g")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, 110+3*11, run.Result().Spent.Tokens())
		require.Equal(t, 110+3*11, pool.Spent().Tokens())

		pool = &budget.Pool{Budget: budget.Budget{Tokens: budget.Max(115)}}
		x.Planner = drafts([]string{"a: 1s", "b: 1s after a", "c: 1s after b"}, []string{"d: 1s"})
		run, err = x.Open(t.Context(), agent.Scope{Pool: pool}, "g")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Incomplete, run.Result().Reason)
		require.Equal(t, "a completed, b partial, c skipped", statuses(state(t, run)))
		require.Contains(t, run.Result().Detail, "tokens")
	})
}

// AGT-41: faults of the recipe are found before any request.
func TestValidate(t *testing.T) {
	minus := -1
	x := &plan.Executor{Parallel: -1, Replans: &minus, Verifications: &minus, TaskLimit: -1, OnFailure: "odd", Early: true, Review: true, Tools: tool.NewRegistry(tool.Tool{})}
	_, err := x.Open(t.Context(), agent.Scope{}, "g")
	for _, field := range []string{"Planner", "Tools", "Parallel", "Replans", "Verifications", "TaskLimit", "OnFailure", "Early"} {
		require.ErrorContains(t, err, "agent: "+field+": ", "PLAN-06, GEN-07")
	}
	var config *agent.ConfigError
	require.True(t, errors.As(err, &config))
	require.ErrorContains(t, (&plan.Executor{Planner: drafts()}).Validate(), "Worker")
	r := &plan.Research{Rounds: -1, Parallel: -1, TaskLimit: -1}
	_, err = r.Open(t.Context(), agent.Scope{}, "g")
	for _, field := range []string{"Client", "Worker", "Rounds", "Parallel", "TaskLimit"} {
		require.ErrorContains(t, err, "agent: "+field+": ")
	}
}
