package team_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
)

const approve = `{"approved":true}`

// TEAM-06, TEAM-E72: a task sees the whole results of what it depends on and of
// nothing else, and the results are there whole.
func TestDependencies(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	c := script("step_1 work 0s: first\nstep_2 work 0s: second\nstep_3 work 0s: " + long +
		"\nstep_1 review: " + approve + "\nstep_2 review: " + approve + "\nstep_3 review: " + approve)
	run := open(t, c.team("step_1", "step_2 after step_1", "step_3 after step_2"))
	res := drain(t, run)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, long, res.Text)
	require.Equal(t, long, tasks(t, run)[2].Result)
	for _, role := range []string{"work", "review"} {
		text := c.of(role, "step_3")[0].text()
		require.Contains(t, text, "second")
		require.NotContains(t, text, "first")
	}
	require.Contains(t, c.of("review", "step_3")[0].text(), long)
}

// TEAM-08, TEAM-E70: the reviewer is told the task, what it builds on, the
// result, and the calls with their outcomes, bounded.
func TestReviewRequest(t *testing.T) {
	c := script("step_1 work 0s: base\nstep_1 review: " + approve + "\nstep_2 work 0s: call\nstep_2 work 0s: built\nstep_2 review: " + approve)
	require.Equal(t, agent.Completed, drain(t, open(t, c.team("step_1", "step_2 after step_1"))).Reason)
	text := c.of("review", "step_2")[0].text()
	for _, part := range []string{"do step_2", "the goal", "The result of step_1 (completed):\nbase", "<result>\nbuilt\n</result>", `- note {"text":"x"}: ok: noted`} {
		require.Contains(t, text, part)
	}
	require.Contains(t, c.of("review", "step_1")[0].text(), "(none)")

	// Many calls: the latest fifty, in short lines.
	l := strings.Repeat("step_1 work 0s: limit\n", 70) + "step_1 review: " + approve
	c = script(l)
	o := c.team("step_1")
	for _, w := range o.Workers {
		w.(*agent.Loop).Budget.Turns = nil
		w.(*agent.Loop).Budget.Stall.Off = true
		turns := 60
		w.(*agent.Loop).Budget.Turns = &turns
	}
	drain(t, open(t, o))
	text = c.of("review", "step_1")[0].text()
	require.Equal(t, 50, strings.Count(text, "- note "))
	require.Contains(t, text, "calls are left out)")
	require.Less(t, len(text), 30_000)
}

// TEAM-10, TEAM-17: the reason goes to the same worker, in its own history; the
// reviewer's is fresh. Issues, else suggestions, else summary, else a fixed text.
func TestRedo(t *testing.T) {
	for verdict, want := range map[string]string{
		`{"approved":false,"issues":["a","b"],"suggestions":["c"],"summary":"d"}`: "- a\n- b",
		`{"approved":false,"issues":[],"suggestions":["c"],"summary":"d"}`:        "again:\nc",
		`{"approved":false,"summary":"d"}`:                                        "again:\nd",
		`{"approved":false,"issues":[" "]}`:                                       "The reviewer gave no reason.",
	} {
		c := script("step_1 work 0s: v1\nstep_1 work 0s: v2\nstep_1 review: " + verdict + "\nstep_1 review: " + approve)
		run := open(t, c.team("step_1"))
		res := drain(t, run)
		require.Equal(t, "v2", res.Text)
		works, reviews := c.of("work", ""), c.of("review", "")
		require.Len(t, works, 2)
		require.Len(t, reviews, 2)
		require.Len(t, works[1].Messages, 3, "it goes on in its own history")
		require.Contains(t, works[1].Messages[2].Text(), want)
		require.Len(t, reviews[1].Messages, 1)
		require.Contains(t, reviews[1].text(), "An earlier result was rejected")
		// All is counted once: the plan 110, two work and two review requests of 11.
		require.Equal(t, 110+4*11, res.Spent.Tokens())
		require.Equal(t, 22, res.Spent.Review.Total())
	}
}

// TEAM-E66, B198: what can't be read is asked again, with the fault; the worker
// is not called for it. A verdict that was cut is none, whatever it says.
func TestAskedAgain(t *testing.T) {
	for first, want := range map[string]string{
		"not approved":             "not one complete JSON object",
		`{"approved":"true"}`:      "must be the boolean",
		`cut {"approved":true}`:    "output_limit",
		`refuse {"approved":true}`: "refused",
	} {
		c := script("step_1 work 0s: v1\nstep_1 review: " + first + "\nstep_1 review: " + approve)
		require.Equal(t, agent.Completed, drain(t, open(t, c.team("step_1"))).Reason, first)
		require.Len(t, c.of("work", ""), 1)
		require.Len(t, c.of("review", ""), 2)
		require.Contains(t, c.of("review", "")[1].text(), "Your reply can't be read:")
		require.Contains(t, c.of("review", "")[1].text(), want)
	}
	c := script("step_1 work 0s: v1\nstep_1 review: cut {\"approved\":true}")
	run := open(t, c.team("step_1"))
	require.Equal(t, agent.Unverified, drain(t, run).Reason)
	require.Equal(t, "unreviewed", statuses(t, run))
}

// TEAM-E68: a result that a limit cut short is reviewed, and reviewer,
// dependents and the run's result are told that it is partial.
func TestPartial(t *testing.T) {
	c := script("step_1 work 0s: limit\nstep_1 review: " + approve + "\nstep_2 work 0s: two\nstep_2 review: " + approve)
	run := open(t, c.team("step_1", "step_2 after step_1"))
	res := drain(t, run)
	require.Equal(t, agent.Completed, res.Reason)
	require.True(t, res.Partial)
	require.Equal(t, "2 approved, 1 of them partial", res.Detail)
	require.Contains(t, c.of("review", "step_1")[0].text(), "partial: the work was cut short by a limit, over_budget: turns: 2 of 2")
	require.Contains(t, c.of("work", "step_2")[0].text(), "The result of step_1 (completed, partial: a limit cut it short)")
	first := tasks(t, run)[0]
	require.True(t, first.Cut)
	require.Equal(t, team.Approved, team.StatusOf(first))
}

// Dependents are told what was not accepted, or not reviewed. TEAM-12, TEAM-13.
func TestDependentsAreTold(t *testing.T) {
	c := script("step_1 work 0s: one\nstep_1 review: {\"approved\":false,\"issues\":[\"too short\"]}\nstep_2 work 0s: two\nstep_2 review: error\nstep_3 work 0s: three\nstep_3 review: " + approve)
	drain(t, open(t, c.team("step_1", "step_2", "step_3 after step_1 step_2")))
	text := c.of("work", "step_3")[0].text()
	require.Contains(t, text, "step_1 (completed, but not accepted: too short)")
	require.Contains(t, text, "step_2 (completed, but nobody could check it)")
}

// TEAM-E71: each end, and a count of the statuses in it.
func TestEnds(t *testing.T) {
	reject := `{"approved":false,"issues":["no"]}`
	for _, c := range []struct {
		script, steps, want, detail string
	}{
		{"step_1 work 0s: a\nstep_1 review: " + approve, "step_1", "completed", "1 approved"},
		{"step_1 work 0s: a\nstep_1 review: " + reject, "step_1", "unverified", "1 not_accepted; step_1: no"},
		{"step_1 work 0s: a\nstep_1 review: error", "step_1", "unverified", "1 unreviewed; step_1: nobody could review it"},
		{"step_1 work 0s: refuse", "step_1", "failed", "1 failed"},
		{"step_1 work 0s: refuse\nstep_2 work 0s: b\nstep_2 review: " + reject, "step_1,step_2", "incomplete", "1 not_accepted, 1 failed"},
		{"step_1 work 0s: refuse\nstep_2 work 0s: b\nstep_2 review: " + approve, "step_1,step_2,step_3 after step_1", "incomplete", "1 approved, 1 failed, 1 skipped"},
	} {
		run := open(t, script(c.script).team(strings.Split(c.steps, ",")...))
		res := drain(t, run)
		require.Equal(t, c.want, string(res.Reason), c.script)
		require.True(t, strings.HasPrefix(res.Detail, c.detail), "%s: %s", c.script, res.Detail)
		require.Equal(t, res.Detail[:len(team.Count(tasks(t, run)).String())], team.Count(tasks(t, run)).String())
	}
}

// TEAM-14: a task costs two requests at least and six at most, and one more for
// each review that is asked again; nothing but a JSON true is ever Approved.
func TestCost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		reviews := rapid.SliceOfN(rapid.SampledFrom([]string{approve, `{"approved":false}`, "prose", "error"}), 1, 6).Draw(rt, "reviews")
		text := "step_1 work 0s: v\n"
		for _, r := range reviews {
			text += "step_1 review: " + r + "\n"
		}
		c := script(text)
		run := open(t, c.team("step_1"))
		drain(t, run)
		works, asked := len(c.of("work", "")), len(c.of("review", ""))
		again := 0
		for i := range asked {
			if r := reviews[min(i, len(reviews)-1)]; r == "prose" || r == "error" {
				again++
			}
		}
		cost := works + asked
		require.GreaterOrEqual(rt, cost, 2)
		require.LessOrEqual(rt, cost-again, 6)
		require.LessOrEqual(rt, works, 3)
		require.LessOrEqual(rt, asked, 6)
		last := reviews[min(asked-1, len(reviews)-1)]
		require.Equal(rt, last == approve, statuses(t, run) == "approved")
	})
}

// TEAM-E69: ready tasks are taken in order, and one that hangs meets its limit
// and frees its worker.
func TestTaskLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := "step_2 work: hang\n"
		for _, s := range []string{"1", "3", "4", "5", "6"} {
			text += "step_" + s + " work: done\nstep_" + s + " review: " + approve + "\n"
		}
		o := script(text).team("step_1", "step_2", "step_3", "step_4", "step_5", "step_6")
		o.TaskLimit = 10 * time.Second
		run := open(t, o)
		var order []string
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if f, ok := event.(plan.TaskStarted); ok {
				order = append(order, f.ID)
			}
		}
		require.Equal(t, "step_1 step_2 step_3 step_4 step_5 step_6", strings.Join(order, " "))
		require.Equal(t, "approved failed approved approved approved approved", statuses(t, run))
		require.Equal(t, 10*time.Second, run.Result().Spent.Time)
	})
}

// TEAM-05, TEAM-04: independent tasks run on both workers at once.
func TestParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := ""
		for _, s := range []string{"1", "2", "3", "4"} {
			text += "step_" + s + " work 100s: done\nstep_" + s + " review: " + approve + "\n"
		}
		run := open(t, script(text).team("step_1", "step_2", "step_3", "step_4"))
		require.Equal(t, agent.Completed, drain(t, run).Reason)
		require.Equal(t, 200*time.Second, run.Result().Spent.Time)
	})
}

// TEAM-18: a person's stop inside the retry loop makes no further request, at
// every fact of it.
func TestStopInRetries(t *testing.T) {
	for n := 1; n < 14; n++ {
		synctest.Test(t, func(t *testing.T) {
			c := script("step_1 work: v\nstep_1 review: {\"approved\":false}")
			run := open(t, c.team("step_1", "step_2 after step_1"))
			left, asked := n, -1
			for event, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				in, inner := event.(agent.Inner)
				if !inner || strings.Contains(in.Path, "/") {
					continue
				}
				if left--; left == 0 {
					asked = len(c.requests)
					require.NoError(t, run.Stop("enough"))
				}
			}
			if left > 0 {
				return
			}
			require.Equal(t, asked, len(c.requests))
			require.Equal(t, agent.Canceled, run.Result().Reason)
			require.Equal(t, "canceled skipped", statuses(t, run))
			require.Contains(t, run.Result().Detail, "1 skipped, 1 canceled; enough")
		})
	}
}

// TEAM-18: when only who works or who reviews was stopped, the task is canceled,
// and nobody is asked again.
func TestStoppedWithin(t *testing.T) {
	stopped := func(w agent.Worker) agent.Worker {
		return agent.WorkerFunc(func(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
			run, err := w.Open(ctx, scope, prompts...)
			require.NoError(t, err)
			return run, run.Stop("enough")
		})
	}
	c := script("step_1 work 0s: v\nstep_1 review: " + approve)
	o := c.team()
	for _, r := range []*team.Reviewed{
		{Worker: o.Workers[0], Reviewer: stopped(o.Reviewer)},
		{Worker: stopped(o.Workers[0]), Reviewer: o.Reviewer},
	} {
		run, err := r.Open(t.Context(), agent.Scope{}, "Your task:\ndo step_1")
		require.NoError(t, err)
		require.Equal(t, agent.Canceled, drain(t, run).Reason)
	}
	require.Len(t, c.of("work", ""), 1)
	require.Empty(t, c.of("review", ""))
}

// A worker's error leaves the team as it is, and the run goes on after it.
// PLAN-34 for teams; with ErrorsFail it is a failed run, see the traces.
func TestErrorGoesOn(t *testing.T) {
	c := script("step_1 work 0s: error\nstep_1 work 0s: done\nstep_1 review: " + approve)
	run := open(t, c.team("step_1"))
	require.ErrorContains(t, agent.Drain(t.Context(), run, nil), "the server is down")
	require.Equal(t, agent.Completed, drain(t, run).Reason)
}

// A task may narrow the tools of its worker, whoever reviews it.
func TestNarrow(t *testing.T) {
	c := script("step_1 work 0s: call\nstep_1 work 0s: done\nstep_1 review: " + approve)
	r := &team.Reviewed{Worker: c.team().Workers[0], Reviewer: c.team().Reviewer}
	run, err := r.Narrow([]string{"look"}).Open(t.Context(), agent.Scope{}, "Your task:\ndo step_1")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, drain(t, run).Reason)
	told := c.of("work", "")[1].Messages
	result := told[len(told)-1].Results()[0]
	require.True(t, result.Failed)
	require.Contains(t, result.Text, "this task may only use look")
	require.Contains(t, c.of("review", "")[0].text(), "(none)", "a call that was refused was not made")

	r.Worker = agent.WorkerFunc(r.Worker.Open)
	run, err = r.Narrow([]string{"look"}).Open(t.Context(), agent.Scope{}, "Your task:\ndo step_1")
	require.NoError(t, err)
	require.ErrorContains(t, agent.Drain(t.Context(), run, nil), "can't be held to that")
}

// A reviewed worker is a worker by itself, and goes on when more is said.
func TestReviewedAlone(t *testing.T) {
	c := script("step_1 work 0s: v1\nstep_1 work 0s: v2\nstep_1 review: {\"approved\":true,\"issues\":[\"a remark\"]}")
	o := c.team()
	run, err := (&team.Reviewed{Worker: o.Workers[0], Reviewer: o.Reviewer}).Open(t.Context(), agent.Scope{}, "Your task:\ndo step_1")
	require.NoError(t, err)
	res := drain(t, run)
	require.Equal(t, &agent.Verified{Pass: true, Why: "a remark"}, res.Verdict)
	require.NoError(t, run.Say("And shorter."))
	require.Equal(t, "v2", drain(t, run).Text)
	require.Len(t, c.of("work", "")[1].Messages, 3)
	require.Contains(t, c.of("review", "")[1].text(), "And shorter.")
}
