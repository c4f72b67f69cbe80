package plan_test

import (
	"context"
	"encoding/json"
	"errors"
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

// A shop is tools that tasks may name. get takes a second and answers what it
// was asked, fail fails, put is a side effect.
type shop struct {
	mu  sync.Mutex
	put []string
}

func (s *shop) tools() *tool.Registry {
	type in struct {
		Text string `json:"text,omitempty"`
		List []any  `json:"list,omitempty"`
	}
	return tool.NewRegistry(
		tool.New("get", "Gets.", func(ctx context.Context, in in) (string, error) {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return "", ctx.Err()
			}
			if in.List != nil {
				list, err := json.Marshal(in.List)
				return string(list), err
			}
			return "<" + in.Text + ">", nil
		}, tool.ReadOnly),
		tool.New("fail", "Fails.", func(context.Context, struct{}) (string, error) { return "", errors.New("out of stock") }, tool.ReadOnly),
		tool.New("put", "Puts.", func(_ context.Context, in in) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.put = append(s.put, in.Text)
			return "put", nil
		}))
}

func reply(tasks ...string) llmtest.Answer {
	return llmtest.Text(`{"tasks":[` + strings.Join(tasks, ",") + `]}`)
}

// PLAN-19, PLAN-40, PLAN-E63: tasks that are calls run without a model; n of
// them with an answer at the end make two requests. References are replaced in
// one pass, and what a result says is no reference.
func TestToolTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := llmtest.Strict(llmtest.Script(
			reply(`{"id":"1","tool":"get","arguments":{"text":"#E5 is not me${"}}`,
				`{"id":"2","tool":"get","arguments":{"text":"b"}}`,
				`{"id":"x","tool":"get","arguments":{"text":"#E1+${2}"}}`,
				`{"id":"l","tool":"get","arguments":{"list":[1.50,["#E2"],{"k":"${x}"}]}}`),
			reply(`{"id":"1","tool":"get","arguments":{"text":"the mark is #F1 or $ {2}"}}`,
				`{"id":"2","tool":"get","arguments":{"text":"b"}}`,
				`{"id":"x","tool":"get","arguments":{"text":"#E1+${2}"}}`,
				`{"id":"l","tool":"get","arguments":{"list":[1.50,["#E2"],{"k":"${x}"}]}}`),
			llmtest.Text("all in all")))
		s := &shop{}
		x := &plan.Executor{Planner: plan.NewPlanner(client), Tools: s.tools(), Solve: &agent.Loop{Client: client}}
		run := open(t, x)
		require.Equal(t, "0+task_1 0+task_2 1-task_ 1-task_ 1+task_3 2-task_3 2+task_4 3-task_4 completed",
			strings.NewReplacer("1-task_1", "1-task_", "1-task_2", "1-task_").Replace(trace(t, run, nil)), "independent tasks overlap")
		require.Equal(t, "all in all", run.Result().Text)
		tasks := state(t, run).Tasks()
		require.Equal(t, "<<the mark is #F1 or $ {2}>+<b>>", tasks[2].Result)
		require.JSONEq(t, `[1.5,["<b>"],{"k":"<<the mark is #F1 or $ {2}>+<b>>"}]`, tasks[3].Result)
		require.Equal(t, []string{"task_1", "task_2"}, tasks[2].Dependencies)
	})
}

// PLAN-E63: #E1 and #E10 are two, and a result that holds #E1 is left alone.
func TestReferencesInResults(t *testing.T) {
	var tasks []plan.Task
	for i := range 10 {
		tasks = append(tasks, plan.Task{ID: string(rune('a' + i)), Tool: "put", Arguments: json.RawMessage(`{"text":"x"}`)})
	}
	tasks[0] = plan.Task{ID: "a", Tool: "echo", Arguments: json.RawMessage(`{"text":"one"}`)}
	tasks[9] = plan.Task{ID: "j", Tool: "echo", Arguments: json.RawMessage(`{"text":"ten #E1"}`), Dependencies: []string{}}
	tasks = append(tasks, plan.Task{ID: "k", Tool: "echo", Arguments: json.RawMessage(`{"text":"#E10|#E1|${j}"}`)})
	tasks[9].Arguments = json.RawMessage(`{"text":"ten"}`)
	echo := tool.New("echo", "Echoes.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		if in.Text == "ten" {
			return "ten #E1 ${a}", nil
		}
		return in.Text, nil
	}, tool.ReadOnly)
	registry := (&shop{}).tools()
	require.NoError(t, registry.Add(echo))
	d, err := plan.NewDAG(tasks...)
	require.NoError(t, err)
	require.Equal(t, []string{"j", "a"}, d.Tasks()[10].Dependencies)
	res, s := do(t, &plan.Executor{Planner: plan.Fixed(d), Tools: registry})
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "ten #E1 ${a}|one|ten #E1 ${a}", s.Tasks()[10].Result)
}

// PLAN-19: a task that refers to a failed one is skipped with the cause, and
// the answer at the end is told what is missing. Tools that fail fail the task.
func TestToolTaskFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		solver := llmtest.Script(llmtest.Text("as far as it goes"))
		planner := llmtest.Script(reply(`{"id":1,"tool":"fail"}`, `{"id":2,"tool":"get","arguments":{"text":"#E1"}}`, `{"id":3,"tool":"get"}`, `{"id":4,"tool":"put","arguments":{"text":"x"}}`))
		x := &plan.Executor{Planner: plan.NewPlanner(planner), Tools: (&shop{}).tools(), Solve: &agent.Loop{Client: solver}}
		res, s := do(t, x)
		require.Equal(t, agent.Incomplete, res.Reason)
		require.Equal(t, "as far as it goes", res.Text)
		require.Equal(t, "task_1 failed, task_2 skipped, task_3 completed, task_4 completed", statuses(s))
		require.Contains(t, s.Tasks()[0].Why, "out of stock")
		require.Equal(t, "task_1", s.Tasks()[1].Cause)
		told := solver.Requests()[0].Messages[0].Text()
		require.Contains(t, told, "These tasks gave no result:\n## task_1 (failed)")
		require.Contains(t, told, "because task_1 was failed")
	})
}

// PLAN-19: the policy holds for these calls, and their questions come up with
// the task's path.
func TestToolTaskAsks(t *testing.T) {
	s := &shop{}
	d, err := plan.NewDAG(plan.Task{ID: "a", Tool: "put", Arguments: json.RawMessage(`{"text":"x"}`)}, plan.Task{ID: "b", Tool: "put", Arguments: json.RawMessage(`{"text":"y"}`)})
	require.NoError(t, err)
	run := open(t, &plan.Executor{Planner: plan.Fixed(d), Tools: s.tools(), Policy: agent.AskForSideEffects})
	require.NoError(t, agent.Drain(t.Context(), run, func(q agent.Question) (agent.Answer, bool) {
		if strings.HasPrefix(q.ID, "a/") {
			return agent.Approve(), true
		}
		return agent.Deny("not now"), true
	}))
	require.Equal(t, []string{"x"}, s.put)
	require.Equal(t, "a completed, b failed", statuses(state(t, run)))
	require.Contains(t, state(t, run).Tasks()[1].Why, "not now")
}

// early is a plan that is streamed a piece a second.
func early(text string) llm.Client {
	a := llmtest.Text(text)
	a.Delay = time.Second
	a.Chunks = nil
	for i := 0; i < len(text); i += 30 {
		a.Chunks = append(a.Chunks, llm.TextDelta(text[i:min(i+30, len(text))]))
	}
	return llmtest.Script(a)
}

// PLAN-19, PLAN-E64: with early start the first task runs before the planner's
// stream ends, under the id that it has in the plan.
func TestEarlyStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := reply(`{"id":"1","tool":"get","arguments":{"text":"a"}}`, `{"id":"2","tool":"get","arguments":{"text":"#E1"}}`, `{"id":"3","tool":"get","arguments":{"text":"${2}"}}`).Reply.Message.Text()
		x := &plan.Executor{Planner: plan.NewPlanner(early("Plan: " + text)), Tools: (&shop{}).tools(), Early: true}
		run := open(t, x)
		drafted := 0.0
		start := time.Now()
		got := trace(t, run, func(e agent.Event) {
			if _, ok := e.(plan.Drafted); ok {
				drafted = time.Since(start).Seconds()
			}
		})
		require.Equal(t, "3+task_1 4-task_1 4+task_2 5-task_2 6+task_3 7-task_3 completed", got)
		require.Greater(t, drafted, 4.0)
		require.Equal(t, "<<<a>>>", run.Result().Text)
		require.Equal(t, "task_1 completed, task_2 completed, task_3 completed", statuses(state(t, run)))
	})
}

// PLAN-E64: if the plan is then refused, tasks that were started are canceled.
func TestEarlyStartRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero := 0
		planner := plan.NewPlanner(early(`{"tasks":[{"id":"1","tool":"get","arguments":{"text":"a"}},{"id":"2","tool":"get","arguments":{"text":"#E7"}}]}`))
		planner.Repairs = &zero
		run := open(t, &plan.Executor{Planner: planner, Tools: (&shop{}).tools(), Early: true})
		require.Contains(t, trace(t, run, nil), "failed")
		s := state(t, run)
		require.True(t, s.Tasks()[0].Status.Final())

		slow := plan.NewPlanner(early(`{"tasks":[{"id":"1","description":"100s"},{"id":"1","description":"x"}]}`))
		slow.Repairs = &zero
		run = open(t, &plan.Executor{Planner: slow, Worker: (&crew{}).loop(), Early: true})
		require.Equal(t, "2+task_1 4-task_1(canceled) failed:planning_failed", trace(t, run, nil))
		require.Contains(t, run.Result().Detail, "several tasks have this id")
	})
}

// PLAN-E64, GEN-04: a process that dies while the plan is being written and its
// first tasks run: they are found again, and none is done twice.
func TestEarlyStartDies(t *testing.T) {
	for facts := 1; ; facts++ {
		ended := false
		synctest.Test(t, func(t *testing.T) {
			s, store := &shop{}, &mortal{Memory: &journal.Memory{}, left: facts}
			life := func() error {
				planner := early(`{"tasks":[{"id":"1","tool":"get","arguments":{"text":"a"}},{"id":"2","tool":"put","arguments":{"text":"#E1"}},{"id":"3","tool":"get","arguments":{"text":"b"}}]}`)
				x := &plan.Executor{Planner: plan.NewPlanner(planner), Tools: s.tools(), Headless: true, Early: true}
				run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
				require.NoError(t, err)
				if err = agent.Drain(t.Context(), run, nil); err == nil {
					require.True(t, run.Result().Ended())
					require.LessOrEqual(t, len(s.put), 1)
					require.Len(t, state(t, run).Tasks(), 3)
				}
				return err
			}
			if err := life(); err != nil {
				require.ErrorIs(t, err, errDead)
				store.left = -1
				require.NoError(t, life())
				return
			}
			ended = true
		})
		if ended {
			require.Greater(t, facts, 10)
			return
		}
	}
}

// PLAN-E64: a plan that is mended may be another one: what was started under
// the ids of the first is canceled, and keeps its log to itself.
func TestEarlyStartMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := llmtest.Script(
			early(`{"tasks":[{"id":"1","description":"100s"},{"id":"2","description":"1s"},{"id":"2","description":"x"}]}`),
			early(`{"tasks":[{"id":"1","description":"2s"},{"id":"2","description":"1s"},{"id":"3","description":"3s","dependencies":["1"]}]}`))
		x := &plan.Executor{Planner: plan.NewPlanner(client), Worker: (&crew{}).loop(), Early: true}
		run := open(t, x)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)
		s := state(t, run)
		require.Equal(t, "task_1_2 completed, task_2 completed, task_3 completed", statuses(s))
		require.Equal(t, []string{"task_1_2"}, s.Tasks()[2].Dependencies)
		require.Equal(t, plan.Canceled, s.Replaced()[0].Status)
		require.Equal(t, "task_1", s.Replaced()[0].ID)
		require.Less(t, run.Result().Spent.Time, 50*time.Second)
	})
}
