package plan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// tasksInOrder are tasks a, b … that take 1, 2 … seconds.
func tasksInOrder(order ...int) plan.Proposal {
	var p plan.Proposal
	for i, o := range order {
		p.Tasks = append(p.Tasks, plan.Task{ID: fmt.Sprintf("%c", 'a'+i), Description: fmt.Sprintf("%ds", 1+i), Order: o})
	}
	return p
}

func passing(context.Context, plan.State) (plan.Judged, error) { return plan.Judged{Pass: true}, nil }

// PLAN-22, PLAN-E61, PLAN-23: orders one after another, same orders side by
// side, three at once; the next order waits for all of the one before.
func TestResearchOrders(t *testing.T) {
	for name, c := range map[string]struct {
		order []int
		want  string
	}{
		"orders 2,1,1,3": {[]int{2, 1, 1, 3}, "0+b 0+c 2-b 3-c 3+a 4-a 4+d 8-d completed"},
		"gaps":           {[]int{7, 0, 7}, "0+b 2-b 2+a 2+c 3-a 5-c completed"},
		"five at once":   {[]int{1, 1, 1, 1, 1}, "0+a 0+b 0+c 1-a 1+d 2-b 2+e 3-c 5-d 7-e completed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &plan.Research{
					Client: llmtest.Text("the report"), Worker: (&crew{}).loop(), Critic: plan.CriticFunc(passing),
					Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) { return tasksInOrder(c.order...), nil }),
				}
				run := open(t, r)
				require.Equal(t, c.want, trace(t, run, nil))
				require.Equal(t, "the report", run.Result().Text)
			})
		})
	}
}

// A plan whose tasks depend on later orders is refused.
func TestResearchRefuses(t *testing.T) {
	r := &plan.Research{Client: llmtest.Text("x"), Worker: (&crew{}).loop(), Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
		p := tasksInOrder(1, 1)
		p.Tasks[0].Dependencies = []string{"b"}
		return p, nil
	})}
	res, _ := do(t, r)
	require.Equal(t, agent.PlanningFailed, res.Cause)
	require.Contains(t, res.Detail, "lower order")
}

func verdictOf(passed bool, feedback string) llmtest.Answer {
	return llmtest.Text(fmt.Sprintf(`{"passed":%v,"feedback":%q}`, passed, feedback))
}

func round(n int) llmtest.Answer {
	return llmtest.Text(fmt.Sprintf(`{"tasks":[{"id":"1","description":"find %d","order":1}]}`, n))
}

// texts are what the requests said last.
func texts(requests []llm.Request) (told []string) {
	for _, r := range requests {
		told = append(told, r.Messages[len(r.Messages)-1].Text())
	}
	return told
}

// PLAN-25, PLAN-27, PLAN-28, PLAN-29: the critique goes into the next plan, the
// latest alone; the report gets all results.
func TestResearchRounds(t *testing.T) {
	client := llmtest.Script(round(1), verdictOf(false, "critique one"), round(2), verdictOf(false, "critique two"), round(3), verdictOf(true, ""), llmtest.Text("the report"))
	res, s := do(t, &plan.Research{Client: client, Worker: (&crew{}).loop()})
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "the report", res.Text)
	require.True(t, res.Verdict.Pass)
	require.Equal(t, "task_1 completed, task_2 completed, task_3 completed", statuses(s))
	told := texts(client.Requests())
	require.Contains(t, told[2], "critique one")
	require.Contains(t, told[4], "critique two")
	require.NotContains(t, told[4], "critique one")
	require.Contains(t, told[4], "did find 1")
	for i := 1; i <= 3; i++ {
		require.Contains(t, told[6], fmt.Sprint("did find ", i))
	}
	require.Positive(t, res.Spent.Review.Total())
}

// PLAN-26: a critic that never passes: three rounds, then Unverified with the report.
func TestResearchCap(t *testing.T) {
	client := llmtest.Script(round(1), verdictOf(false, "1"), round(2), verdictOf(false, "2"), round(3), verdictOf(false, "still thin"), llmtest.Text("the report"))
	res, _ := do(t, &plan.Research{Client: client, Worker: (&crew{}).loop()})
	require.Equal(t, agent.Unverified, res.Reason)
	require.False(t, res.Verdict.Pass)
	require.Equal(t, "still thin", res.Detail)
	require.Equal(t, "the report", res.Text)
	require.Contains(t, texts(client.Requests())[6], "not passed: still thin")
}

// PLAN-E62: a critic that fails or can't be read is asked once more; then the
// run ends as Unverified, unreviewed, with all results.
func TestResearchCritic(t *testing.T) {
	down := llmtest.Fail(&llm.Error{Kind: llm.ErrUnavailable})
	for name, c := range map[string]struct {
		critic []llm.Client
		want   agent.Reason
	}{
		"error twice":       {[]llm.Client{down, down}, agent.Unverified},
		"prose twice":       {[]llm.Client{llmtest.Text("passed: true"), llmtest.Text("It has passed.")}, agent.Unverified},
		"error, passed":     {[]llm.Client{down, verdictOf(true, "")}, agent.Completed},
		"text for a bool":   {[]llm.Client{llmtest.Text(`{"passed":"true"}`), llmtest.Text(`{"passed":null}`)}, agent.Unverified},
		"a repeated key":    {[]llm.Client{llmtest.Text(`{"passed":false,"passed":true}`), llmtest.Text(`{"passed":true} {"passed":true}`)}, agent.Unverified},
		"another spelling":  {[]llm.Client{llmtest.Text(`{"passed":false,"Passed":true,"feedback":null}`)}, agent.Unverified},
		"a fence, extra":    {[]llm.Client{llmtest.Text("```json\n{\"passed\":true,\"score\":9}\n```")}, agent.Completed},
		"feedback no text":  {[]llm.Client{llmtest.Text(`{"passed":true,"feedback":5}`), verdictOf(true, "")}, agent.Completed},
		"a number, then ok": {[]llm.Client{llmtest.Text(`{"passed":1}`), verdictOf(true, "")}, agent.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				critic := llmtest.Script(c.critic...)
				r := &plan.Research{
					Client: llmtest.Text("the report"), Worker: (&crew{}).loop(), Critic: &plan.ModelCritic{Client: critic}, Rounds: 1,
					Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) { return tasksInOrder(1, 2), nil }),
				}
				run := open(t, r)
				var judged plan.Judged
				for event, err := range run.Events(t.Context()) {
					require.NoError(t, err)
					if j, ok := event.(plan.Judged); ok {
						judged = j
					}
				}
				res := run.Result()
				require.Equal(t, c.want, res.Reason)
				require.Len(t, critic.Requests(), len(c.critic))
				require.Equal(t, c.want == agent.Unverified && len(c.critic) == 2, judged.Unreviewed)
				require.Equal(t, "the report", res.Text)
				require.Equal(t, "a completed, b completed", statuses(state(t, run)))
			})
		})
	}
}

// PLAN-28, CMP-22: results of up to 50,000 characters go to the planner as they
// are, one more makes a summary.
func TestResearchSummary(t *testing.T) {
	for size, summaries := range map[int]int{50_000: 0, 50_001: 1} {
		half := size / 2
		worker := llmtest.Func(func(req llm.Request) llmtest.Answer {
			n := half
			if strings.Contains(req.Messages[0].Text(), "find 2") {
				n = size - half
			}
			return llmtest.Text(strings.Repeat("é", n))
		})
		client := llmtest.Func(func(req llm.Request) llmtest.Answer {
			text := req.Messages[0].Text()
			switch {
			case strings.Contains(req.System, "You judge"):
				return verdictOf(strings.Contains(text, "find 3"), "more")
			case strings.Contains(req.System, "You shorten"):
				summaries--
				return llmtest.Text("in short")
			case strings.Contains(req.System, "You break"):
				if strings.Contains(text, "more") {
					require.Equal(t, size > 50_000, strings.Contains(text, "in short"))
					require.Equal(t, size > 50_000, !strings.Contains(text, "ééé"))
					return round(3)
				}
				return llmtest.Text(`{"tasks":[{"id":1,"description":"find 1","order":0},{"id":2,"description":"find 2","order":0}]}`)
			}
			return llmtest.Text("the report")
		})
		res, _ := do(t, &plan.Research{Client: client, Worker: &agent.Loop{Client: worker}})
		require.Equal(t, agent.Completed, res.Reason, res.Detail)
		require.Zero(t, summaries)
	}
}

// PLAN-15 in a research: failed tasks leave the others going, nothing at all is
// Failed, and planning that fails in a later round keeps what there is.
func TestResearchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		planner := func(n *int, rounds ...plan.Proposal) plan.Planner {
			return plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) {
				if *n++; *n > len(rounds) {
					return plan.Proposal{}, &plan.InvalidError{Faults: []plan.Fault{{Kind: plan.NoPlan, Detail: "no more ideas"}}}
				}
				return rounds[*n-1], nil
			})
		}
		failing := tasksInOrder(1, 1, 2)
		failing.Tasks[0].Description = "1s fail"
		n := 0
		r := &plan.Research{Client: llmtest.Text("the report"), Worker: (&crew{}).loop(), Critic: plan.CriticFunc(passing), Planner: planner(&n, failing)}
		res, s := do(t, r)
		require.Equal(t, agent.Incomplete, res.Reason)
		require.Equal(t, "a failed, b completed, c completed", statuses(s))
		require.Equal(t, "the report", res.Text)

		nothing := tasksInOrder(1)
		nothing.Tasks[0].Description = "1s fail"
		n = 0
		r.Planner = planner(&n, nothing)
		res, _ = do(t, r)
		require.Equal(t, agent.NoTaskDone, res.Cause)

		n = 0
		r.Planner = planner(&n)
		res, _ = do(t, r)
		require.Equal(t, agent.PlanningFailed, res.Cause)

		n = 0
		r.Planner = planner(&n, tasksInOrder(1))
		r.Critic = plan.CriticFunc(func(context.Context, plan.State) (plan.Judged, error) { return plan.Judged{Why: "thin"}, nil })
		res, _ = do(t, r)
		require.Equal(t, agent.Unverified, res.Reason)
		require.Contains(t, res.Detail, "thin; plan: not a valid plan: no more ideas")

		n = 0
		r.Planner, r.Rounds = planner(&n, tasksInOrder(1)), 1
		r.Critic = plan.CriticFunc(func(context.Context, plan.State) (plan.Judged, error) {
			return plan.Judged{}, errors.New("out")
		})
		run := open(t, r)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Contains(t, run.Result().Detail, "unreviewed")
		require.NoError(t, agent.Drain(t.Context(), run, nil))
	})
}
