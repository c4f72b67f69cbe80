package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

var errDead = errors.New("the process is dead")

// A mortal journal belongs to a process that dies after some facts: it keeps
// nothing then.
type mortal struct {
	*journal.Memory
	mu   sync.Mutex
	left int // facts; negative is for ever
}

func (m *mortal) Append(ctx context.Context, id string, at int, entries ...journal.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(entries) == 0 {
		return m.Memory.Append(ctx, id, at)
	}
	if m.left == 0 {
		return errDead
	}
	m.left--
	return m.Memory.Append(ctx, id, at, entries...)
}

// A village is a world in which tasks have side effects. What a task does is
// settled by the seed and its description, never by how often it is tried.
type village struct {
	seed uint64
	most int
	mu   sync.Mutex
	done map[string]int // side effects, by key
}

func newVillage(seed uint64, most int) *village {
	return &village{seed: seed, most: most, done: map[string]int{}}
}

func (v *village) dice(place string) *rand.Rand {
	h := v.seed
	for _, c := range place {
		h = h*1099511628211 + uint64(c)
	}
	return rand.New(rand.NewPCG(v.seed, h))
}

// worker makes one side effect a task, and fails, asks or answers then.
func (v *village) worker() *agent.Loop {
	save := tool.Tool{
		Spec: llm.Spec{Name: "save"},
		Run: func(ctx context.Context, call tool.Call) (tool.Result, error) {
			select {
			case <-time.After(time.Duration(v.dice(call.Key).IntN(20)) * time.Second):
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			v.done[call.Key]++
			return tool.Text("saved"), nil
		},
		Reconcile: func(_ context.Context, call tool.Call) (tool.Reconciled, error) {
			v.mu.Lock()
			defer v.mu.Unlock()
			return tool.Reconciled{Happened: v.done[call.Key] > 0, Result: tool.Text("saved")}, nil
		},
	}
	ask := tool.Tool{Spec: llm.Spec{Name: "ask"}, Access: tool.ReadOnly, Run: func(_ context.Context, call tool.Call) (tool.Result, error) {
		if call.Answer == "" {
			return tool.Result{}, &tool.Pause{Question: "who?"}
		}
		return tool.Text(call.Answer), nil
	}}
	return &agent.Loop{Tools: tool.NewRegistry(save, ask), Client: llmtest.Func(func(req llm.Request) llmtest.Answer {
		what := task(req)
		kind := v.dice(what).IntN(12)
		switch {
		case len(req.Messages) == 1:
			return llmtest.Call("s", "save", "{}")
		case kind == 0 && len(req.Messages) == 3:
			return llmtest.Call("a", "ask", "{}")
		case kind < 3:
			a := llmtest.Text("can't " + what)
			a.Reply.Finish = llm.FinishRefused
			return a
		}
		return llmtest.Text("did " + what)
	})}
}

// planner drafts random graphs, under ids that go on.
func (v *village) planner() plan.Planner {
	return plan.PlannerFunc(func(_ context.Context, b plan.Brief) (plan.Proposal, error) {
		dice := v.dice(fmt.Sprint("plan", b.Given))
		tasks := randomTasks(dice, 1+dice.IntN(v.most), 3)
		for i := range tasks {
			t := &tasks[i]
			t.ID = fmt.Sprint("t", b.Given+i)
			t.Description = fmt.Sprint("do ", b.Given+i)
			for k, id := range t.Dependencies {
				var n int
				fmt.Sscanf(id, "t%d", &n)
				t.Dependencies[k] = fmt.Sprint("t", b.Given+n)
			}
			if len(b.Completed) > 0 && dice.IntN(4) == 0 {
				t.Dependencies = append(t.Dependencies, b.Completed[dice.IntN(len(b.Completed))].ID)
			}
		}
		return plan.Proposal{Tasks: tasks}, nil
	})
}

func (v *village) executor() *plan.Executor {
	dice := v.dice("executor")
	return &plan.Executor{
		Planner: v.planner(), Worker: v.worker(), Review: dice.IntN(3) == 0, Barrier: dice.IntN(4) == 0, Parallel: 1 + dice.IntN(6),
		Gate: dice.IntN(3) == 0, OnFailure: []plan.FailureRule{plan.ReplanBehind, plan.ReplanBehind, plan.ReplanAlways, plan.GoOn}[dice.IntN(4)],
	}
}

// life opens the run and works until it ends, or until the process dies, leaves
// or is interrupted.
func (v *village) life(t *testing.T, store *mortal, dice *rand.Rand) (agent.Result, error) {
	run, err := v.executor().Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
	if err != nil {
		return agent.Result{}, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if dice != nil && dice.IntN(3) == 0 {
		defer time.AfterFunc(time.Duration(dice.IntN(60))*time.Second, cancel).Stop()
	}
	for event, err := range run.Events(ctx) {
		if err != nil {
			return run.Result(), err
		}
		if p, ok := event.(agent.Paused); ok {
			for _, q := range p.Questions {
				a := agent.Words("me")
				if q.About == agent.AboutPlan {
					a = agent.Approve()
				}
				if err := run.Answer(q.ID, a); err != nil {
					require.ErrorIs(t, err, errDead)
					return run.Result(), err
				}
			}
		}
		if dice != nil && dice.IntN(100) == 0 {
			return run.Result(), errDead // leaves
		}
	}
	return run.Result(), nil
}

// check says what must hold at the end, of the log alone.
func (v *village) check(t *testing.T, store *mortal) plan.State {
	store.left = -1
	run, err := v.executor().Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
	require.NoError(t, err)
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	needs, status := map[string][]string{}, map[string]plan.Status{}
	for i, e := range log {
		switch f := e.Fact.(type) {
		case plan.Drafted:
			for _, task := range f.Tasks {
				require.NotContains(t, needs, task.ID)
				needs[task.ID] = task.Dependencies
			}
		case plan.TaskStarted:
			require.Empty(t, status[f.ID], "%s starts once", f.ID)
			status[f.ID] = plan.Running
			for _, id := range needs[f.ID] {
				require.Equal(t, plan.Completed, status[id], "%s starts before %s is completed", f.ID, id)
			}
		case plan.TaskEnded:
			require.False(t, status[f.ID].Final(), "%s ends once", f.ID)
			require.Equal(t, f.Status == plan.Skipped, status[f.ID] == plan.Pending, "who is skipped has not started")
			require.Equal(t, f.Status == plan.Completed, f.Why == "")
			status[f.ID] = f.Status
		case agent.Stopped:
			require.Equal(t, len(log)-1, i)
		}
	}
	s := plan.Fold(log...)
	for _, task := range s.Tasks() {
		require.True(t, task.Status.Final(), "%s is %s", task.ID, task.Status)
		require.Equal(t, status[task.ID], task.Status)
	}
	started := 0
	for id, how := range status {
		if how != plan.Skipped {
			started++
			require.Equal(t, 1, v.done["run/"+id+"/1.1"], "the side effect of %s", id)
		}
	}
	require.Len(t, v.done, started)
	var step plan.State
	for _, e := range log {
		step = step.With(e.Fact)
	}
	require.Equal(t, statuses(s), statuses(step), "one by one or at once: the fold is the state")
	return s
}

// PLAN-38, PLAN-15, GEN-04: random plans through random failures, pauses,
// replans, crashes, leaves and interruptions. What must hold is in check.
func TestSimulation(t *testing.T) {
	tasks, lives := 0, 0
	for seed := range uint64(120) {
		synctest.Test(t, func(t *testing.T) {
			most := 12
			if seed%20 == 0 {
				most = 200
			}
			v, store := newVillage(seed, most), &mortal{Memory: &journal.Memory{}}
			dice := rand.New(rand.NewPCG(seed, 9))
			for n := 1; ; n++ {
				require.Less(t, n, 3000)
				store.left = 1 + dice.IntN(40)
				res, err := v.life(t, store, dice)
				if err == nil && res.Ended() {
					break
				}
				if err != nil && !errors.Is(err, errDead) && !errors.Is(err, context.Canceled) && !errors.Is(err, agent.ErrEnded) {
					require.NoError(t, err)
				}
				if errors.Is(err, agent.ErrEnded) {
					break
				}
				lives++
			}
			tasks += len(v.check(t, store).Tasks())
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(tasks, "tasks,", lives, "lives cut short")
	require.Greater(t, lives, 100)
}

// GEN-04, PLAN-38: the process dies after each fact in turn, of the plan and of
// its tasks, and the run reaches the same end.
func TestCrashAfterEveryFact(t *testing.T) {
	for _, seed := range []uint64{3, 5, 8} {
		for facts := 1; ; facts++ {
			ended := false
			synctest.Test(t, func(t *testing.T) {
				want := newVillage(seed, 8)
				straight := &mortal{Memory: &journal.Memory{}, left: -1}
				_, err := want.life(t, straight, nil)
				require.NoError(t, err)
				v, store := newVillage(seed, 8), &mortal{Memory: &journal.Memory{}, left: facts}
				_, err = v.life(t, store, nil)
				ended = err == nil
				if !ended {
					require.ErrorIs(t, err, errDead)
					store.left = -1
					_, err = v.life(t, store, nil)
					require.NoError(t, err)
				}
				require.Equal(t, statuses(want.check(t, straight)), statuses(v.check(t, store)))
			})
			if ended {
				require.Greater(t, facts, 10)
				break
			}
		}
	}
}

// The facts of a plan survive JSON.
func TestFactsSurviveJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVillage(4, 12)
		run := open(t, v.executor())
		require.NoError(t, agent.Drain(t.Context(), run, func(q agent.Question) (agent.Answer, bool) {
			if q.About == agent.AboutPlan {
				return agent.Approve(), true
			}
			return agent.Words("me"), true
		}))
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		dir := t.TempDir()
		store, err := journal.Open(dir)
		require.NoError(t, err)
		for i, e := range log {
			require.NoError(t, store.Append(t.Context(), "copy", i, journal.Entry{At: e.At, Active: e.Active, Kind: e.Fact.Kind(), Fact: e.Fact}))
		}
		copied, err := v.executor().Open(t.Context(), agent.Scope{Journal: store, ID: "copy"}, "g")
		require.NoError(t, err)
		require.Equal(t, run.Result(), copied.Result())
		again, err := copied.Log(t.Context())
		require.NoError(t, err)
		a, err := json.Marshal(plan.Fold(log...).DAG())
		require.NoError(t, err)
		b, err := json.Marshal(plan.Fold(again...).DAG())
		require.NoError(t, err)
		require.JSONEq(t, string(a), string(b))
		require.True(t, slices.ContainsFunc(log, func(e agent.Entry) bool { return strings.HasPrefix(e.Fact.Kind(), "task") }))
	})
}
