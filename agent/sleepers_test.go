package agent_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// SES-02, SES-22: over a leased store a run within that sleeps since an earlier
// range is answered in a later one, by hand and by post.
func TestLeasedSleeper(t *testing.T) {
	for _, by := range []string{"hand", "post"} {
		done := 0
		store := &journal.Leased{Store: &journal.MemoryStore{}}
		run, err := deep(1, &done).Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		id := run.Result().Questions[0].ID
		if by == "post" {
			require.NoError(t, agent.Post(t.Context(), store, "run", "", agent.Answered{ID: id, Answer: agent.Approve()}))
		}
		require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) {
			return agent.Approve(), by == "hand"
		}))
		require.Equal(t, agent.Completed, run.Result().Reason, by)
		require.Equal(t, 1, done)
	}
}

// A slow mailbox takes its time to say what is in it.
type slowMailbox struct{ *journal.Memory }

func (b slowMailbox) Posts(ctx context.Context, id string) ([]journal.Post, error) {
	posts, err := b.Memory.Posts(ctx, id)
	if len(posts) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	return posts, err
}

// SES-22: a post is taken in once, also when two look into the mailbox: at a
// pause, and every two seconds.
func TestPostOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := slowMailbox{memory()}
		ask := scripted("ask write asked")
		ask.Run = func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(2 * time.Second)
			return tool.Result{}, &tool.Pause{Question: "what?"}
		}
		l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "ask", `{}`)), Tools: tool.NewRegistry(ask)}
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if event.Kind() == "call_started" {
				require.NoError(t, agent.Post(t.Context(), store, "run", "p1", agent.Said{Text: "more"}))
			}
		}
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		taken := 0
		for _, e := range log {
			if said, ok := e.Fact.(agent.Said); ok && said.Post == "p1" {
				taken++
			}
		}
		require.Equal(t, 1, taken)
	})
}

// TOOL-E20: a call that was given up still stands in the way of its tool after
// its run has slept, and of its own next try.
func TestStragglerOutlivesSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, most := 0, 0
		var mu sync.Mutex
		deaf := scripted("save write saved")
		deaf.Limit, deaf.Repeatable = time.Second, true
		deaf.Run = func(context.Context, tool.Call) (tool.Result, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Hour)
			mu.Lock()
			now--
			mu.Unlock()
			return tool.Text("saved"), nil
		}
		atOnce := func() int {
			mu.Lock()
			defer mu.Unlock()
			return most
		}
		child := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "save", `{}`), llmtest.Call("k2", "ask_human", `{"question":"?"}`), llmtest.Call("k3", "save", `{"x":1}`), llmtest.Text("done")),
			Tools:  tool.NewRegistry(deaf, agent.AskHuman()),
		}
		l, _ := parent(child)
		run := open(t, l, "go")
		require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Words("yes"), true }))
		require.Equal(t, 1, atOnce(), "beside another of its tool")

		deaf.Limit = 3 * time.Hour
		alone := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "save", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(deaf)}
		time.Sleep(2 * time.Hour)
		run = open(t, alone, "go")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, agent.Drain(ctx, run, nil))
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)
		require.Equal(t, 1, atOnce(), "beside its own earlier try")
	})
}

// B249, SES-15: an answer to a run within that is not open here is in its log
// when Answer returns nil; one that can't be settled so is refused at once.
func TestAnswerToASleeper(t *testing.T) {
	done, store := 0, memory()
	l := deep(2, &done)
	process := func() *agent.Run {
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		return run
	}
	require.NoError(t, agent.Drain(t.Context(), process(), nil))
	require.ErrorIs(t, process().Answer("no/such", agent.Approve()), agent.ErrNoQuestion)
	require.ErrorIs(t, process().Answer("1.1/1.1/1.2", agent.Approve()), agent.ErrNoQuestion)
	require.ErrorIs(t, process().Answer("1.1/1.1/1.1", agent.Words("yes")), agent.ErrUnfit)
	require.ErrorIs(t, process().Answer("1.1/1.1/1.1", agent.ApproveWith(json.RawMessage(`{}`))), agent.ErrAsleep)
	require.NoError(t, process().Answer("1.1/1.1/1.1", agent.Approve())) // and that process dies
	require.NoError(t, process().Answer("1.1/1.1/1.1", agent.Approve()))
	require.ErrorIs(t, process().Answer("1.1/1.1/1.1", agent.Deny("no")), agent.ErrStale)
	run := process()
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Equal(t, 1, done)
}

// TOOL-E27, SES-E92: a question that was asked while there was somebody is no
// question any more where there is nobody.
func TestHeadlessReopened(t *testing.T) {
	done, store := 0, memory()
	l := deep(0, &done)
	run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Waits, run.Result().Reason)
	run, err = l.Open(t.Context(), agent.Scope{Journal: store, ID: "run", Headless: true}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Zero(t, done)
}

// B116: a stop reaches a run within that was answered and is not under way again.
func TestStopReachesTheAnswered(t *testing.T) {
	done, store := 0, memory()
	child := deep(0, &done)
	l, _ := parent(child)
	run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
	require.NoError(t, err)
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if p, ok := event.(agent.Paused); ok {
			require.NoError(t, run.Answer(p.Questions[0].ID, agent.Approve()))
			require.NoError(t, run.Stop("enough"))
		}
	}
	require.Equal(t, agent.Canceled, run.Result().Reason)
	in, err := child.Open(t.Context(), agent.Scope{Journal: store, ID: "run/1.1"})
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), in, nil))
	require.Equal(t, agent.Canceled, in.Result().Reason)
	require.Equal(t, "enough", in.Result().Detail)
	require.Zero(t, done)
}
