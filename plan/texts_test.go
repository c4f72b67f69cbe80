package plan_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// German are words of a host.
var german = plan.Texts{
	Requirement: "\n\nAuch: {text}", NoResult: "(nichts)", Changed: "kam nicht in den Plan",
	After: " (nach {tasks})", MayUse: " (darf {tools})",
	CriticPassed: "gut", CriticObjects: "nicht gut: {why}", Unreviewed: "ungeprüft: {fault}",
	Unchecked: ", von keinem geprüft", Unaccepted: ", nicht angenommen: {why}", CutShort: ", gekürzt",
}

// GEN-09: the words of a plan's host hold wherever the plan speaks.
func TestWordsInForce(t *testing.T) {
	t.Run("goal and review", func(t *testing.T) {
		planner := drafts([]string{"a: x", "b: y after a"}, []string{"c: z"})
		x := &plan.Executor{Planner: planner, Worker: (&crew{}).loop(), Review: true, Texts: german}
		run := open(t, x, "g", "mit Tests")
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "g\n\nAuch: mit Tests", planner.briefs[0].Goal)
		require.Equal(t, "Goal: g\n\nAuch: mit Tests\n\na: x\nb: y (nach a)", run.Result().Questions[0].Text)
		q, ok := x.Next(state(t, run)).(plan.Wait)
		require.True(t, ok)
		require.Equal(t, run.Result().Questions, q.Questions, "who drives it by hand reads the same")
		require.NoError(t, run.Answer("review_1", agent.Words("kurz")))
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "g\n\nAuch: mit Tests\n\nAuch: kurz", planner.briefs[1].Goal)
	})
	t.Run("said for later", func(t *testing.T) {
		planner := drafts([]string{"a: x"}, []string{"b: y"})
		run := open(t, &plan.Executor{Planner: planner, Worker: (&crew{}).loop(), Texts: german})
		require.NoError(t, run.Then("und mehr"))
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "g\n\nAuch: und mehr", planner.briefs[1].Goal)
	})
	t.Run("tools", func(t *testing.T) {
		d, err := plan.NewDAG(plan.Task{ID: "a", Description: "x", Tools: []string{"look", "ask"}})
		require.NoError(t, err)
		run := open(t, &plan.Executor{Planner: plan.Fixed(d), Worker: (&crew{}).loop(), Review: true, Texts: german})
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "Goal: g\n\na: x (darf look, ask)", run.Result().Questions[0].Text)
	})
	t.Run("no result", func(t *testing.T) {
		d, err := plan.NewDAG(plan.Task{ID: "a", Tool: "hush"}, plan.Task{ID: "b", Description: "0s", Dependencies: []string{"a"}})
		require.NoError(t, err)
		hush := tool.Tool{Spec: llm.Spec{Name: "hush"}, Run: func(context.Context, tool.Call) (tool.Result, error) { return tool.Text(" "), nil }}
		c := &crew{}
		run := open(t, &plan.Executor{Planner: plan.Fixed(d), Worker: c.loop(), Tools: tool.NewRegistry(hush), Texts: german})
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Contains(t, c.told("0s"), "(nichts)")
	})
	t.Run("summary", func(t *testing.T) {
		words := german
		words.ResultTask = "{id}: {result}"
		x := &plan.Executor{Planner: drafts([]string{"a: 0s", "b: 0s fail"}), Worker: (&crew{}).loop(), OnFailure: plan.GoOn, Texts: words}
		res, err := agent.Do(t.Context(), x, "g")
		require.NoError(t, err)
		require.Equal(t, "a: did 0s\n\nb: refused: did 0s fail\ndid 0s fail", res.Text)
	})
}

// GEN-09: so do those of what became of a task.
func TestWordsOfTasks(t *testing.T) {
	planner := &eager{told: [][]plan.Task{lines("a: 1h")}, tries: [][]plan.Task{lines("b: 0s")}}
	begun := make(chan bool)
	var replaced []plan.Task
	run := open(t, &plan.Executor{
		Planner: slow{planner, begun}, Early: true, Worker: (&crew{}).loop(), Texts: german,
		Verifier: plan.VerifierFunc(func(_ context.Context, s plan.State) (agent.Verdict, error) {
			replaced = s.Replaced()
			return agent.Verdict{Pass: true}, nil
		}),
	})
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if f, ok := event.(plan.TaskStarted); ok && f.ID == "a" {
			close(begun)
		}
	}
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Len(t, replaced, 1)
	require.Equal(t, german.Changed, replaced[0].Why)

	done := func(o plan.Outcome) plan.Task {
		o.Status = plan.Completed
		return plan.Task{ID: "a", Description: "x", Outcome: o}
	}
	for want, task := range map[string]plan.Task{
		"completed, von keinem geprüft":     done(plan.Outcome{Verdict: &agent.Verified{Fault: "f"}}),
		"completed, nicht angenommen: dünn": done(plan.Outcome{Verdict: &agent.Verified{Why: "dünn"}}),
		"completed, gekürzt":                done(plan.Outcome{Cut: true}),
	} {
		client := llmtest.Script(llmtest.Text(`{"tasks":[{"id":"1","description":"x"}]}`))
		p := &plan.ModelPlanner{Client: client, Texts: german}
		_, err := p.Plan(t.Context(), plan.Brief{Goal: "g", Completed: []plan.Task{task}})
		require.NoError(t, err)
		require.Contains(t, client.Requests()[0].Messages[0].Text(), want)
	}
}

// A slow planner has its plan when the task that it told of early has begun.
type slow struct {
	*eager
	begun <-chan bool
}

func (s slow) PlanEarly(ctx context.Context, b plan.Brief, found func(plan.Task) bool) (plan.Proposal, error) {
	return s.eager.PlanEarly(ctx, b, func(t plan.Task) bool {
		more := found(t)
		<-s.begun
		return more
	})
}

// GEN-09: and those about a critic.
func TestWordsOfCritic(t *testing.T) {
	for want, critic := range map[string]plan.CriticFunc{
		"The critic says: gut\n":             func(context.Context, plan.State) (plan.Judged, error) { return plan.Judged{Pass: true}, nil },
		"The critic says: nicht gut: dünn\n": func(context.Context, plan.State) (plan.Judged, error) { return plan.Judged{Why: "dünn"}, nil },
		"The critic says: nicht gut: ungeprüft: the process is dead\n": func(context.Context, plan.State) (plan.Judged, error) {
			return plan.Judged{}, errDead
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := llmtest.Script(llmtest.Text("the report"))
			r := &plan.Research{
				Client: client, Worker: (&crew{}).loop(), Critic: critic, Rounds: 1, Texts: german,
				Planner: plan.PlannerFunc(func(context.Context, plan.Brief) (plan.Proposal, error) { return tasksInOrder(1), nil }),
			}
			_, err := agent.Do(t.Context(), r, "g")
			require.NoError(t, err)
			require.Contains(t, client.Requests()[0].Messages[0].Text(), want)
		})
	}
}
