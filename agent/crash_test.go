package agent_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A world counts the side effects that took place, by the key of the call.
type world struct {
	mu   sync.Mutex
	done map[string]int
}

func (w *world) act(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done == nil {
		w.done = map[string]int{}
	}
	w.done[key]++
}

func (w *world) has(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[key] > 0
}

// save is a side effect that the world can be asked about.
func (w *world) save() tool.Tool {
	t := scripted("save write saved")
	t.Run = func(_ context.Context, call tool.Call) (tool.Result, error) {
		w.act(call.Key)
		return tool.Text("saved"), nil
	}
	t.Reconcile = func(_ context.Context, call tool.Call) (tool.Reconciled, error) {
		return tool.Reconciled{Happened: w.has(call.Key), Result: tool.Text("saved")}, nil
	}
	return t
}

// family is a loop of three turns: parallel reads and a write, an approval and
// a child that saves too, then the answer.
func family(w *world) *agent.Loop {
	child := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("c1", "save", `{"n":3}`), llmtest.Text("child done")),
		Tools:  tool.NewRegistry(w.save()), Policy: agent.AskForSideEffects,
	}
	return &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Calls(llmtest.Call("k1", "look", `{"n":1}`), llmtest.Call("k2", "look", `{"n":2}`), llmtest.Call("k3", "save", `{"n":1}`)),
			llmtest.Calls(llmtest.Call("k4", "child", `{"task":"help"}`), llmtest.Call("k5", "save", `{"n":2}`)),
			llmtest.Text("done")),
		Tools: tool.NewRegistry(scripted("look read seen"), w.save(), agent.AsTool(child, "child", "Helps.")),
		Policy: func(t tool.Tool, c tool.Call) tool.Verdict {
			if string(c.Arguments) == `{"n":2}` && t.Name == "save" {
				return tool.Ask("save 2?")
			}
			return tool.Allow()
		},
	}
}

// TestCutAnywhere leaves a run after each event, one by one and in
// steps, opens it again from the journal, and reaches the same end with each
// side effect done once. GEN-04, SES-13, AGT-30, SES-24, B153, B161.
func TestCutAnywhere(t *testing.T) {
	for step := 1; step <= 40; step++ {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			w, store := &world{}, &journal.Memory{}
			loop, legs := family(w), 0
			for {
				legs++
				require.Less(t, legs, 200)
				run, err := loop.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
				require.NoError(t, err)
				if run.Result().Ended() {
					check(t, w, run)
					return
				}
				left := step
				for event, err := range run.Events(t.Context()) {
					require.NoError(t, err)
					if p, ok := event.(agent.Paused); ok {
						for _, q := range p.Questions {
							require.NoError(t, run.Answer(q.ID, agent.Approve()))
						}
					}
					if in, ok := event.(agent.Inner); ok {
						event = in.Event
					}
					if _, fact := event.(agent.Fact); !fact {
						continue // who leaves in every request never gets a reply
					}
					if left--; left == 0 {
						break
					}
				}
			}
		})
	}
}

func check(t *testing.T, w *world, run *agent.Run) {
	res := run.Result()
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "done", res.Text)
	require.Equal(t, 3, res.Spent.Turns)
	require.Equal(t, map[string]int{"run/1.3": 1, "run/2.1/1.1": 1, "run/2.2": 1}, w.done)
}
