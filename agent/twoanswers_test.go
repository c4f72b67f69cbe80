package agent_test

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A heldLoad journal says that the log of a run within was read, and waits, the
// second time.
type heldLoad struct {
	*journal.Memory
	mu      sync.Mutex
	loads   int
	read    chan struct{}
	release chan struct{}
}

func (h *heldLoad) Load(ctx context.Context, id string) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for e, err := range h.Memory.Load(ctx, id) {
			if !yield(e, err) {
				return
			}
		}
		if id != "run/1.1" {
			return
		}
		h.mu.Lock()
		h.loads++
		second := h.loads == 2
		h.mu.Unlock()
		if second {
			close(h.read)
			<-h.release
		}
	}
}

// SES-18, SES-22: two questions of a run within are answered one after the
// other, or one answered and all stopped, while a mate is under way: what comes
// while the run within is opened again is heard by the handle that is opened.
func TestTwoAnswers(t *testing.T) {
	for _, second := range []string{"answer", "stop"} {
		t.Run(second, func(t *testing.T) {
			child := &agent.Loop{
				Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "save", `{"a":1}`), llmtest.Call("k2", "save", `{"a":2}`)), llmtest.Text("saved")),
				Tools:  tool.NewRegistry(scripted("save write saved")), Policy: agent.AskForSideEffects,
			}
			answered := make(chan struct{})
			mate := scripted("mate read done")
			mate.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
				select {
				case <-answered:
				case <-ctx.Done():
				}
				return tool.Text("done"), nil
			}
			l := &agent.Loop{
				Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "sub", `{"task":"x"}`), llmtest.Call("k2", "mate", `{}`)), llmtest.Text("done")),
				Tools:  tool.NewRegistry(agent.AsTool(child, "sub", "Does."), mate), Unordered: true,
			}
			store := &heldLoad{Memory: memory(), read: make(chan struct{}), release: make(chan struct{})}
			run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			var other sync.WaitGroup
			var failed error
			other.Go(func() {
				defer close(answered)
				q := run.Result().Questions
				for ; len(q) != 2; q = run.Result().Questions {
					runtime.Gosched()
				}
				if failed = run.Answer(q[0].ID, agent.Approve()); failed != nil {
					close(store.release)
					return
				}
				<-store.read // it is being opened again
				if second == "stop" {
					failed = run.Stop("enough")
				} else {
					failed = run.Answer(q[1].ID, agent.Approve())
				}
				close(store.release)
			})
			for event, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				if end, ok := event.(agent.CallEnded); ok && second == "answer" {
					require.Contains(t, []string{"saved", "done"}, end.Result.Text)
				}
			}
			other.Wait()
			require.NoError(t, failed)
			want := map[string]agent.Reason{"answer": agent.Completed, "stop": agent.Canceled}[second]
			require.Equal(t, want, run.Result().Reason)
		})
	}
}
