package plan_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/plan"
)

// Each script is run in fake time; the trace tells when tasks began and ended.
func TestScripts(t *testing.T) {
	zero, one := 0, 1
	for _, c := range []struct {
		name     string
		executor plan.Executor
		drafts   [][]string
		want     string
		statuses string
	}{
		{"PLAN-04: a task starts when its own dependencies are completed", plan.Executor{},
			[][]string{{"a: 10s", "b: 100s", "c: 5s after a"}},
			"0+a 0+b 10-a 10+c 15-c 100-b completed", "a completed, b completed, c completed"},
		{"PLAN-04: in barrier mode a round ends first", plan.Executor{Barrier: true},
			[][]string{{"a: 10s", "b: 100s", "c: 5s after a"}},
			"0+a 0+b 10-a 100-b 100+c 105-c completed", "a completed, b completed, c completed"},
		{"PLAN-06: four at once", plan.Executor{},
			[][]string{{"a: 1s", "b: 2s", "c: 3s", "d: 4s", "e: 1.5s", "f: 1.5s"}},
			"0+a 0+b 0+c 0+d 1-a 1+e 2-b 2+f 2.5-e 3-c 3.5-f 4-d completed", ""},
		{"PLAN-20: three independent tasks take as long as one", plan.Executor{},
			[][]string{{"a: 100s", "b: 100s", "c: 100s"}}, "", ""},
		{"B195: a chain one at a time", plan.Executor{Parallel: 1},
			[][]string{{"a: 1s", "b: 1s after a", "c: 1s after b"}},
			"0+a 1-a 1+b 2-b 2+c 3-c completed", ""},
		{"PLAN-12, B190, PLAN-15: enough is done, dependents are skipped, others go on", plan.Executor{},
			[][]string{{"a: 2s fail", "b: 1s after a", "c: 1s after b", "d: 1s", "e: 1.5s", "f: 3s"}},
			"0+a 0+d 0+e 0+f 1-d 1.5-e 2-a(failed) 3-f 3-b(skipped) 3-c(skipped) incomplete",
			"a failed, b skipped, c skipped, d completed, e completed, f completed"},
		{"PLAN-12: exactly half is enough", plan.Executor{},
			[][]string{{"a: 2s fail", "b: 1s"}}, "0+a 0+b 1-b 2-a(failed) incomplete", "a failed, b completed"},
		{"PLAN-39: nothing starts after a failure until the running ones have ended", plan.Executor{},
			[][]string{{"a: 1s fail", "b: 5s", "c: 2s", "d: 3s", "e: 1s"}},
			"0+a 0+b 0+c 0+d 1-a(failed) 2-c 3-d 5-b 5+e 6-e incomplete", ""},
		{"PLAN-39, PLAN-E52: two failures, one replan", plan.Executor{},
			[][]string{{"a: 1s fail", "b: 2s fail", "c: 1s after a"}, {"x: 1s"}},
			"0+a 0+b 1-a(failed) 2-b(failed) 2+x 3-x completed", "x completed"},
		{"PLAN-10: at most two replans, and PLAN-11: then nothing new", plan.Executor{},
			[][]string{{"a: 1s fail", "b: 1s after a"}, {"c: 1s fail", "d: 1s after c"}, {"e: 1s fail", "f: 1s after e"}},
			"0+a 1-a(failed) 1+c 2-c(failed) 2+e 3-e(failed) 3-f(skipped) failed:no_task_done", "e failed, f skipped"},
		{"PLAN-10: one replan", plan.Executor{Replans: &one},
			[][]string{{"a: 1s fail"}, {"c: 1s fail"}},
			"0+a 1-a(failed) 1+c 2-c(failed) failed:no_task_done", "c failed"},
		{"PLAN-10, PLAN-11: no replans, what ran is kept", plan.Executor{Replans: &zero, Parallel: 2},
			[][]string{{"a: 1s fail", "b: 2s", "c: 1s", "d: 1s after a"}},
			"0+a 0+b 1-a(failed) 2-b 2-c(skipped) 2-d(skipped) incomplete", "a failed, b completed, c skipped, d skipped"},
		{"PLAN-E53: the only task fails", plan.Executor{},
			[][]string{{"a: 1s fail"}, {"b: 1s"}}, "0+a 1-a(failed) 1+b 2-b completed", "b completed"},
		{"PLAN-E53: the last of many fails", plan.Executor{},
			[][]string{{"a: 1s", "b: 2s", "c: 1s fail after a b"}},
			"0+a 0+b 1-a 2-b 2+c 3-c(failed) incomplete", ""},
		{"PLAN-E50: planning anew fails, what was completed is kept", plan.Executor{},
			[][]string{{"a: 1s", "b: 2s fail", "c: 1s after b"}},
			"0+a 0+b 1-a 2-b(failed) 2-c(skipped) incomplete", "a completed, b failed, c skipped"},
		{"PLAN-34, PLAN-E55: a partial result counts as a failure", plan.Executor{},
			[][]string{{"a: 1s limit", "b: 1s after a", "c: 2s", "d: 3s"}},
			"0+a 0+c 0+d 1-a(partial) 2-c 3-d 3-b(skipped) incomplete", "a partial, b skipped, c completed, d completed"},
		{"PLAN-E55: or is accepted", plan.Executor{AcceptPartial: true},
			[][]string{{"a: 1s limit", "b: 1s after a", "c: 2.5s", "d: 3s"}},
			"0+a 0+c 0+d 1-a(partial) 1+b 2-b 2.5-c 3-d incomplete", "a partial, b completed, c completed, d completed"},
		{"PLAN-17: a task list", plan.Executor{OnFailure: plan.ReplanAlways, Parallel: 1},
			[][]string{{"a: 1s", "b: 1s fail", "c: 1s"}, {"d: 1s", "e: 1s", "f: 1s"}},
			"0+a 1-a 1+b 2-b(failed) 2+d 3-d 3+e 4-e 4+f 5-f completed", "a completed, d completed, e completed, f completed"},
		{"PLAN-17: always failing", plan.Executor{OnFailure: plan.ReplanAlways, Parallel: 1},
			[][]string{{"a: 1s", "b: 1s fail", "c: 1s"}, {"d: 1s fail"}, {"e: 1s fail", "f: 1s"}},
			"0+a 1-a 1+b 2-b(failed) 2+d 3-d(failed) 3+e 4-e(failed) 4-f(skipped) failed:blocked", "a completed, e failed, f skipped"},
		{"PLAN-39: without plans anew others go on at once", plan.Executor{OnFailure: plan.GoOn, Parallel: 2},
			[][]string{{"a: 1s fail", "b: 5s", "c: 1s", "d: 1s after a"}},
			"0+a 0+b 1-a(failed) 1-d(skipped) 1+c 2-c 5-b incomplete", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := c.executor
				x.Planner, x.Worker = drafts(c.drafts...), (&crew{}).loop()
				run := open(t, &x)
				got := trace(t, run, nil)
				if c.want == "" {
					require.Equal(t, 100.0, run.Result().Spent.Time.Seconds())
					return
				}
				require.Equal(t, c.want, got)
				s := state(t, run)
				if c.statuses != "" {
					require.Equal(t, c.statuses, statuses(s))
				}
				for _, task := range s.Tasks() {
					require.True(t, task.Status.Final(), "PLAN-15: %s is %s", task.ID, task.Status)
					require.Equal(t, task.Status == plan.Completed, task.Why == "", "it says why")
				}
				require.Equal(t, run.Result().Reason == agent.Incomplete, run.Result().Partial && run.Result().Reason != agent.Failed)
			})
		})
	}
}

// A plan works on text: an image is refused at once, and the run goes on without it.
func TestNoImages(t *testing.T) {
	run := open(t, &plan.Executor{Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop()})
	require.ErrorIs(t, run.SayParts(llm.Text("see"), llm.Image{MediaType: "image/png", Data: []byte("png")}), agent.ErrNoImages)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		if said, ok := e.Fact.(agent.Said); ok {
			require.NotContains(t, said.Text, "see")
		}
	}
}
