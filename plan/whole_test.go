package plan_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// PLAN-13, PLAN-05: completed results first, in the order of the list, then the
// others with reasons; all of it whole.
func TestSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, s := do(t, &plan.Executor{Planner: drafts([]string{"a: 3s fail", "b: 1s after a", "c: 2s", "d: 1s", "e: 1.5s limit", "f: 1s", "g: 1s"}), Worker: (&crew{}).loop(), Parallel: 7})
		require.Equal(t, agent.Incomplete, res.Reason)
		require.True(t, res.Partial)
		require.Equal(t, s.Summary(), res.Text)
		golden(t, "summary.txt", res.Text+"\n")
		long, _ := do(t, &plan.Executor{Planner: drafts([]string{"a: 0s long"}), Worker: (&crew{}).loop()})
		require.Len(t, []rune(long.Text), 32_001, "whole")
	})
}

// PLAN-13: the answer is what nothing depends on; PLAN-35: only goal and answer
// enter a history.
func TestAnswer(t *testing.T) {
	res, s := do(t, &plan.Executor{Planner: drafts([]string{"a: one", "b: two after a", "c: three after a"}), Worker: (&crew{}).loop()})
	require.Equal(t, "did two\n\ndid three", res.Text)
	require.Equal(t, []llm.Message{llm.UserText("g"), llm.AssistantText("did two\n\ndid three")}, s.History())

	outer := llmtest.Script(llmtest.Call("k", "planner", `{"task":"g"}`), llmtest.Text("done"))
	l := &agent.Loop{Client: outer, Tools: tool.NewRegistry(agent.AsTool(
		&plan.Executor{Planner: drafts([]string{"a: one", "b: two after a", "c: three after b"}), Worker: (&crew{}).loop()}, "planner", "Plans."))}
	_, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	history := outer.Requests()[1].Messages
	require.Len(t, history, 3)
	require.Equal(t, "did three", history[2].Results()[0].Text)
}

// PLAN-18, AGT-06, AGT-08: nothing is Completed until the verifier says so.
func TestVerifier(t *testing.T) {
	verdicts := func(v ...agent.Verdict) plan.Verifier {
		return plan.VerifierFunc(func(_ context.Context, s plan.State) (agent.Verdict, error) {
			done, all := s.Progress()
			if done != all {
				return agent.Verdict{}, errors.New("asked too early")
			}
			if len(v) == 0 {
				return agent.Verdict{}, errors.New("no build tool")
			}
			now := v[0]
			v = v[1:]
			return now, nil
		})
	}
	two := 2
	for name, c := range map[string]struct {
		x      plan.Executor
		want   agent.Reason
		detail string
		briefs int
	}{
		"passes":              {plan.Executor{Verifier: verdicts(agent.Verdict{Pass: true, Why: "builds"})}, agent.Completed, "builds", 1},
		"fails":               {plan.Executor{Verifier: verdicts(agent.Verdict{Why: "no tests"})}, agent.Unverified, "no tests", 1},
		"is broken":           {plan.Executor{Verifier: verdicts()}, agent.Failed, "no build tool", 1},
		"panics":              {plan.Executor{Verifier: plan.VerifierFunc(func(context.Context, plan.State) (agent.Verdict, error) { panic("ouch") })}, agent.Failed, "panic: ouch", 1},
		"feedback, then good": {plan.Executor{Feedback: true, Verifier: verdicts(agent.Verdict{Why: "no tests"}, agent.Verdict{Pass: true})}, agent.Completed, "", 2},
		"feedback, never good": {plan.Executor{Feedback: true, Verifications: &two, Verifier: verdicts(agent.Verdict{Why: "no"}, agent.Verdict{Why: "still no"})},
			agent.Unverified, "still no", 2},
	} {
		t.Run(name, func(t *testing.T) {
			planner := drafts([]string{"a: x"}, []string{"b: mend after a"}, []string{"c: again"})
			c.x.Planner, c.x.Worker = planner, (&crew{}).loop()
			res, s := do(t, &c.x)
			require.Equal(t, c.want, res.Reason)
			require.Equal(t, c.detail, res.Detail)
			require.Len(t, planner.briefs, c.briefs)
			require.NotNil(t, res.Verdict)
			if c.briefs == 2 {
				require.Equal(t, "no", planner.briefs[1].Feedback[:2])
				require.Equal(t, "a completed, b completed", statuses(s))
			}
		})
	}
}

// PLAN-15: one test per end that the scripts do not have.
func TestEnds(t *testing.T) {
	x := &plan.Executor{Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{Reply: "hm"}, &plan.InvalidError{Faults: []plan.Fault{{Kind: plan.NoPlan, Detail: "hm"}}}
	}), Worker: (&crew{}).loop()}
	res, s := do(t, x)
	require.Equal(t, agent.Failed, res.Reason)
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Empty(t, s.Tasks())

	// The planner's client fails: the run can go on, and does.
	store, broken := &journal.Memory{}, true
	x.Planner = plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		if broken {
			return plan.Proposal{Spent: budget.Spent{Retry: llm.Usage{Input: 5}}}, &llm.Error{Kind: llm.ErrUnavailable}
		}
		return plan.Proposal{Tasks: lines("a: x")}, nil
	})
	run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
	require.NoError(t, err)
	require.ErrorIs(t, agent.Drain(t.Context(), run, nil), llm.ErrUnavailable)
	broken = false
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Equal(t, 5+11, run.Result().Spent.Tokens(), "what the failed request has used counts")

	// A proposal that can't be carried out.
	x.Planner = plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		return plan.Proposal{Tasks: append(lines("a: x after b", "b: y after a"), plan.Task{ID: "c", Tool: "burn"})}, nil
	})
	res, _ = do(t, x)
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Contains(t, res.Detail, "a → b → a")
	require.Contains(t, res.Detail, `there is no tool "burn"`)

	// A replan must not reuse an id: each names a log.
	res, s = do(t, &plan.Executor{Planner: drafts([]string{"a: x fail"}, []string{"a: x"}), Worker: (&crew{}).loop()})
	require.Equal(t, agent.Failed, res.Reason)
	require.Equal(t, "a failed", statuses(s))
	require.Contains(t, res.Detail, "an earlier plan of this run has a task of this id")
}

// What is said while a plan runs is a requirement more: what is under way ends,
// and the rest is planned anew. A message for later is heeded at the end, and
// one after the end begins the run again.
func TestSaying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		planner := drafts([]string{"a: 5s", "b: 1s after a"}, []string{"c: 1s after a"}, []string{"d: 1s"}, []string{"e: 1s"})
		run := open(t, &plan.Executor{Planner: planner, Worker: (&crew{}).loop()}, "g", "and fast")
		time.AfterFunc(time.Second, func() {
			require.NoError(t, run.Say("in Go"))
			require.NoError(t, run.Then("with tests"))
		})
		require.Equal(t, "0+a 5-a 5+c 6-c 6+d 7-d completed", trace(t, run, nil))
		require.NoError(t, run.Say("and docs"))
		require.Equal(t, "0+e 1-e completed", trace(t, run, nil))
		more := "\n\nAdditional requirement: "
		goal := "g" + more + "and fast"
		require.Equal(t, []string{goal, goal + more + "in Go", goal + more + "in Go" + more + "with tests", goal + more + "in Go" + more + "with tests" + more + "and docs"}, planner.goals())
		require.Equal(t, "a completed, c completed, d completed, e completed", statuses(state(t, run)))
	})
}

// MEM-02, MEM-03: the memory is asked once for the goal, for the planner alone,
// and shown goal and answer of a completed run.
func TestMemory(t *testing.T) {
	asked, kept := 0, []string{}
	c, planner := &crew{}, drafts([]string{"a: x fail"}, []string{"b: y"})
	x := &plan.Executor{Planner: planner, Worker: c.loop(), Memory: &agent.Memory{
		MaxTokens: 3,
		Recall: func(_ context.Context, goal string) (string, error) {
			asked++
			return goal + " likes tabs, and much more", nil
		},
		Extract: func(_ context.Context, s agent.State) error {
			for _, m := range (&agent.Loop{}).History(s) {
				kept = append(kept, m.Text())
			}
			return nil
		},
	}}
	res, _ := do(t, x)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, 1, asked)
	require.Equal(t, "g likes tab…", planner.briefs[1].Remember)
	require.NotContains(t, c.told("y"), "tabs")
	require.Equal(t, []string{"g", "did y"}, kept)

	x.Memory.MaxTokens, x.Planner = math.MaxInt, drafts([]string{"a: x"})
	_, s := do(t, x)
	require.NotEmpty(t, s.Tasks())
}

// PLAN-38, B164, SES-24: of plan, act, check, the second pauses; another process
// goes on: what is finished is not done again, nothing is sent twice.
func TestPauseInATask(t *testing.T) {
	dir, c := t.TempDir(), &crew{}
	process := func(answer string) agent.Result {
		store, err := journal.Open(dir)
		require.NoError(t, err)
		x := &plan.Executor{Planner: drafts([]string{"plan: x", "act: 0s ask after plan", "check: y after act"}), Worker: c.loop()}
		run, err := x.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "g")
		require.NoError(t, err)
		if answer != "" {
			require.NoError(t, run.Answer("act/1.1", agent.Words(answer)))
		}
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		return run.Result()
	}
	res := process("")
	require.Equal(t, agent.Waits, res.Reason)
	require.Equal(t, "act/1.1", res.Questions[0].ID, "SES-18: it comes up with its path")
	require.Equal(t, agent.Waits, process("").Reason)
	require.Len(t, c.requests, 2)
	res = process("me")
	require.Equal(t, agent.Completed, res.Reason)
	require.Len(t, c.requests, 4)
}

// A task that waits for a person keeps no place: its siblings go on.
func TestPauseKeepsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := open(t, &plan.Executor{Planner: drafts([]string{"a: 1s ask", "b: 1s", "c: 1s", "d: 1s after a"}), Worker: (&crew{}).loop(), Parallel: 1})
		got := trace(t, run, func(e agent.Event) {
			if p, ok := e.(agent.Paused); ok {
				require.NoError(t, run.Answer(p.Questions[0].ID, agent.Words("me")))
			}
		})
		require.Equal(t, "0+a 1+b 2-b 2+c 3-c 3?a/1.1 3-a 3+d 4-d completed", got)
	})
}

// PLAN-32, PLAN-E54, B189: a refused plan goes back with all its faults, twice
// at most; what that costs is counted.
func TestRepair(t *testing.T) {
	bad := `{"tasks":[{"id":"a","description":"x","dependencies":["z"]},{"id":"b","description":7},{"id":"c","description":"w","dependencies":["c"]},{"description":"x"}]}`
	client := llmtest.Script(llmtest.Text(bad).Costing(10, 1), llmtest.Text(two).Costing(20, 2))
	res, s := do(t, &plan.Executor{Planner: plan.NewPlanner(client), Worker: (&crew{}).loop()})
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "task_1 completed, task_2 completed", statuses(s))
	require.Equal(t, 33+22, res.Spent.Tokens())
	requests := client.Requests()
	require.Len(t, requests, 2)
	require.Contains(t, requests[0].System, "You break a goal into tasks")
	require.Nil(t, requests[0].Format)
	told := requests[1].Messages[2]
	require.Equal(t, llm.FromFeedback, told.Origin)
	for _, fault := range []string{`a: it depends on "z"`, "b: the description", "c: the task depends on itself", "tasks[3]: the id"} {
		require.Contains(t, told.Text(), fault)
	}

	client = llmtest.Script(llmtest.Text(bad), llmtest.Text(""), llmtest.Text("no"))
	res, _ = do(t, &plan.Executor{Planner: plan.NewPlanner(client), Worker: (&crew{}).loop()})
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Contains(t, res.Detail, "no JSON object")
	require.Len(t, client.Requests(), 3)

	zero := 0
	client = llmtest.Script(llmtest.Text(bad))
	planner := plan.NewPlanner(client)
	planner.Repairs = &zero
	_, err := planner.Plan(t.Context(), plan.Brief{Goal: "g"})
	require.Equal(t, "bad_description b, bad_id tasks[3], unknown_dependency a, self_dependency c", faults(t, err))
	zero = -1
	_, err = planner.Plan(t.Context(), plan.Brief{Goal: "g"})
	require.Error(t, err)
	_, err = plan.NewPlanner(nil).Plan(t.Context(), plan.Brief{Goal: "g"})
	require.Error(t, err)
}

// Replies that were cut or refused, and streams that fail, are no plans; where
// the dialect offers it the form is asked for, and texts can be replaced.
func TestModelPlanner(t *testing.T) {
	cut, refused := llmtest.Text(one), llmtest.Text(one)
	cut.Reply.Finish, refused.Reply.Finish = llm.FinishLength, llm.FinishRefused
	client := llmtest.Script(cut, refused, llmtest.Text(one))
	client.Speaks = llm.Dialect{Format: true, Model: "m"}
	planner := plan.NewPlanner(client)
	planner.Texts.BadPlan = "No: {faults}"
	planner.Prices = budget.Prices{"m": {Input: 1e6}}
	made, err := planner.Plan(t.Context(), plan.Brief{Goal: "g", Given: 3, Remember: "tabs", Feedback: "no tests", Completed: lines("task_1: x"), Failed: lines("task_2: y")})
	require.NoError(t, err)
	require.Equal(t, "task_4 do a", shape(made.Tasks))
	require.Equal(t, 3, made.Spent.Turns)
	requests := client.Requests()
	require.Equal(t, "plan", requests[0].Format.Name)
	require.Contains(t, string(requests[0].Format.Schema), `"dependencies"`)
	require.Contains(t, requests[0].System, "tabs")
	for _, part := range []string{"g\n\n", "## task_1", "did not work out:\n\n## task_2", "no tests"} {
		require.Contains(t, requests[0].Messages[0].Text(), part)
	}
	require.True(t, strings.HasPrefix(requests[1].Messages[2].Text(), "No: - the reply was cut"))

	failing := llmtest.Fail(&llm.Error{Kind: llm.ErrUnavailable, Usage: llm.Usage{Input: 7}})
	made, err = plan.NewPlanner(failing).Plan(t.Context(), plan.Brief{Goal: "g"})
	require.ErrorIs(t, err, llm.ErrUnavailable)
	require.Equal(t, 7, made.Spent.Retry.Input)
	_, err = plan.NewPlanner(llmtest.Answer{}).Plan(t.Context(), plan.Brief{Goal: "g"})
	require.ErrorIs(t, err, llm.ErrNoReply)
}

// PLAN-33, PLAN-E51: three tasks, a replan with two: task_4 and task_5. A DAG
// made in code keeps its ids.
func TestNumbering(t *testing.T) {
	client := llmtest.Script(reply(`{"id":"a","description":"0s"}`, `{"id":"b","description":"0s fail"}`, `{"id":"c","description":"0s","dependencies":["b"]}`),
		reply(`{"id":"a","description":"1ms","dependencies":["task_1"]}`, `{"id":"b","description":"2ms","dependencies":["a"]}`))
	_, s := do(t, &plan.Executor{Planner: plan.NewPlanner(client), Worker: (&crew{}).loop()})
	require.Equal(t, "task_1 completed, task_4 completed, task_5 completed", statuses(s))
	require.Equal(t, []string{"task_1"}, s.Tasks()[1].Dependencies)

	d, err := plan.NewDAG(lines("build: 0s", "test: 0s after build")...)
	require.NoError(t, err)
	_, s = do(t, &plan.Executor{Planner: plan.Fixed(d), Worker: (&crew{}).loop()})
	require.Equal(t, "build completed, test completed", statuses(s))

	// PLAN-38: a stored DAG is carried on with; what is final is not run again.
	tasks := d.Tasks()
	tasks[0].Outcome, tasks[1].Status = plan.Outcome{Status: plan.Completed, Result: "built before"}, plan.Running
	d, err = plan.NewDAG(tasks...)
	require.NoError(t, err)
	c := &crew{}
	_, s = do(t, &plan.Executor{Planner: plan.Fixed(d), Worker: c.loop()})
	require.Equal(t, "build completed, test completed", statuses(s))
	require.Len(t, c.requests, 1)
	require.Contains(t, c.told("0s"), "built before")
}
