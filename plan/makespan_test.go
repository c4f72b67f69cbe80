package plan_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// napper is a worker whose runs take as long as their task says, and do nothing.
func napper() agent.Worker {
	return agent.WorkerFunc(func(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
		_, rest, _ := strings.Cut(prompts[0], "Your task:\n")
		what, _, _ := strings.Cut(rest, "\n\n")
		took, _ := time.ParseDuration(what)
		return agent.NewRun(ctx, &nap{took: took}, scope, prompts...)
	})
}

type nap struct {
	took time.Duration
	done bool
}

func (*nap) Kinds(string) agent.Decoder { return nil }

func (n *nap) Fold(e agent.Entry) {
	if _, ok := e.Fact.(agent.Stopped); ok {
		n.done = true
	}
}

func (n *nap) Work(agent.Scope) agent.Work {
	if n.done {
		return agent.Work{Stop: &agent.Stopped{Reason: agent.Completed}}
	}
	return agent.Work{Alone: true, Jobs: []agent.Job{{Key: "nap", Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		select {
		case <-time.After(n.took):
			return agent.Stopped{Reason: agent.Completed}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}}}
}

func (n *nap) Result() agent.Result {
	if n.done {
		return agent.Result{Reason: agent.Completed}
	}
	return agent.Result{}
}

func seconds(t plan.Task) time.Duration {
	d, _ := time.ParseDuration(t.Description)
	return d
}

// PLAN-04, PLAN-06, PLAN-20: with workers for all, a random plan takes exactly
// as long as its critical path; with k it is within the bound of list
// scheduling, critical path + work/k, and never more than k are under way.
func TestMakespan(t *testing.T) {
	for seed := range uint64(30) {
		dice := rand.New(rand.NewPCG(seed, 1))
		tasks := randomTasks(dice, 2+dice.IntN(40), 3)
		d, err := plan.NewDAG(tasks...)
		require.NoError(t, err)
		_, critical := d.CriticalPath(seconds)
		var work time.Duration
		for _, task := range tasks {
			work += seconds(task)
		}
		for _, k := range []int{1, 2, 4, len(tasks)} {
			synctest.Test(t, func(t *testing.T) {
				run := open(t, &plan.Executor{Planner: plan.Fixed(d), Worker: napper(), Parallel: k})
				running, most := 0, 0
				for event, err := range run.Events(t.Context()) {
					require.NoError(t, err)
					switch event.(type) {
					case plan.TaskStarted:
						running++
						most = max(most, running)
					case plan.TaskEnded:
						running--
					}
				}
				took := run.Result().Spent.Time
				require.LessOrEqual(t, most, k)
				require.LessOrEqual(t, took, critical+work/time.Duration(k))
				require.GreaterOrEqual(t, took, max(critical, work/time.Duration(k)))
				if k == len(tasks) {
					require.Equal(t, critical, took)
				}
				if k == 1 {
					require.Equal(t, work, took)
				}
			})
		}
	}
}
