package team_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
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
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

var errDead = errors.New("the process is dead")

// A mortal journal belongs to a process that dies after some facts: it refuses
// all that comes then.
type mortal struct {
	*journal.Memory
	mu   sync.Mutex
	left int // facts; negative is for ever
}

func (m *mortal) Append(ctx context.Context, id string, at int, entries ...journal.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(entries) > 0 {
		if m.left == 0 {
			return errDead
		}
		m.left--
	}
	return m.Memory.Append(ctx, id, at, entries...)
}

// A site is a world in which the workers of a team have side effects. What
// anybody does is settled by the seed and what was said, never by how often.
type site struct {
	seed uint64
	mu   sync.Mutex
	done map[string]int // side effects, by the key of the call
}

func (s *site) roll(n int, place ...any) int {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, place)
	return rand.New(rand.NewPCG(s.seed, h.Sum64())).IntN(n)
}

// save is a side effect that takes place once it has begun.
func (s *site) save() tool.Tool {
	return tool.Tool{
		Spec: llm.Spec{Name: "save"},
		Run: func(ctx context.Context, call tool.Call) (tool.Result, error) {
			select {
			case <-time.After(time.Duration(s.roll(20, call.Key)) * time.Second):
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.done[call.Key]++
			return tool.Text("saved"), nil
		},
		Reconcile: func(_ context.Context, call tool.Call) (tool.Reconciled, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return tool.Reconciled{Happened: s.done[call.Key] > 0, Result: tool.Text("saved")}, nil
		},
	}
}

// work saves once a try, and then answers with a version, or refuses.
func (s *site) work(req llm.Request) llmtest.Answer {
	step := aboutStep.FindStringSubmatch(req.Messages[0].Text())[1]
	last := req.Messages[len(req.Messages)-1]
	if len(last.Results()) == 0 {
		return llmtest.Call(fmt.Sprint("k", len(req.Messages)), "save", "{}")
	}
	a := llmtest.Text(fmt.Sprintf("v%d", len(req.Messages)))
	if s.roll(8, step, len(req.Messages)) == 0 {
		a.Reply.Finish = llm.FinishRefused
	}
	return a
}

func (s *site) review(req llm.Request) llmtest.Answer {
	said := req.Messages[0].Text()
	step := aboutStep.FindStringSubmatch(said)[1]
	_, result, _ := strings.Cut(said, "<result>\n")
	version, _, _ := strings.Cut(result, "\n")
	return llmtest.Text([]string{approve, `{"approved":false,"issues":["more"]}`, "approved"}[s.roll(3, step, version, len(req.Messages))])
}

func (s *site) team() *team.Orchestrator {
	n := 1 + s.roll(6, "tasks")
	var steps []string
	for i := range n {
		line := fmt.Sprintf("step_%d after", i+1)
		for j := range i {
			if s.roll(3, i, j) == 0 {
				line += fmt.Sprintf(" step_%d", j+1)
			}
		}
		steps = append(steps, line)
	}
	o := &team.Orchestrator{Planner: drafts(steps...), Strict: s.roll(4, "strict") == 0, Gate: s.roll(3, "gate") == 0}
	for i := range 1 + s.roll(3, "workers") {
		o.Workers = append(o.Workers, team.NewWorker(fmt.Sprint("worker-", i+1), llmtest.Func(s.work), tool.NewRegistry(s.save())))
	}
	o.Reviewer = team.NewReviewer(llmtest.Func(s.review))
	return o
}

// life opens the run and works until it ends or the process dies, or for so
// many events.
func (s *site) life(t *testing.T, store *mortal, most int) (agent.Result, error) {
	run, err := s.team().Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "the goal")
	if err != nil || run.Result().Ended() {
		return run.Result(), err
	}
	for _, err := range run.Events(t.Context()) {
		if err != nil {
			return run.Result(), err
		}
		if most--; most == 0 {
			break
		}
	}
	return run.Result(), nil
}

// told is what came of the tasks, and who did them.
func told(t *testing.T, store *mortal) string {
	t.Helper()
	run, err := (&team.Orchestrator{Client: llmtest.Script()}).Open(t.Context(), agent.Scope{Journal: store, ID: "run"})
	require.NoError(t, err)
	var out strings.Builder
	for _, task := range tasks(t, run) {
		fmt.Fprintln(&out, task.ID, team.StatusOf(task), task.Result, task.Why, task.Spent.Tokens())
		for e, err := range store.Load(t.Context(), "run/"+task.ID) {
			require.NoError(t, err)
			if f, ok := e.Fact.(team.WorkStarted); ok {
				want := fmt.Sprintf("worker-%d", task.Place)
				require.Equal(t, want, f.Worker, "TEAM-17: the same worker goes on")
			}
		}
	}
	return out.String()
}

// TestDieAnywhere lets teams run undisturbed, and then in processes that die
// after some facts, and are left in between: the end is the same, each side
// effect took place once, and what was spent is counted once. TEAM-10, TEAM-17,
// TEAM-18, GEN-04.
func TestDieAnywhere(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			calm := &site{seed: seed, done: map[string]int{}}
			calmly := &mortal{Memory: &journal.Memory{}, left: -1}
			want, err := calm.life(t, calmly, -1)
			require.NoError(t, err)
			require.True(t, want.Ended())

			for life := 1; life < 40; life += 2 + int(seed%7) {
				s := &site{seed: seed, done: map[string]int{}}
				store := &mortal{Memory: &journal.Memory{}}
				dice := rand.New(rand.NewPCG(seed, uint64(life)))
				var got agent.Result
				for lives := 0; !got.Ended(); lives++ {
					require.Less(t, lives, 1000)
					store.left = life
					most := -1
					if dice.IntN(3) == 0 {
						store.left, most = -1, 1+dice.IntN(2*life)
					}
					if got, err = s.life(t, store, most); err != nil {
						require.ErrorIs(t, err, errDead)
						got = agent.Result{}
					}
				}
				require.Equal(t, calm.done, s.done, "seed %d life %d", seed, life)
				require.Equal(t, told(t, calmly), told(t, store), "seed %d life %d", seed, life)
				require.Equal(t, want.Spent.Tokens(), got.Spent.Tokens(), "seed %d life %d", seed, life)
				require.Equal(t, []any{want.Reason, want.Text}, []any{got.Reason, got.Text})
				for key, n := range s.done {
					require.Equal(t, 1, n, key)
				}
			}
		})
	}
}
