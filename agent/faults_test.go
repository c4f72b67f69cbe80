package agent_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// AGT-29, B117: a stop that was asked for is kept, also if the reader leaves at once.
func TestStopAndLeave(t *testing.T) {
	run := open(t, &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("a"))}, "go")
	for range run.Events(t.Context()) {
		require.NoError(t, run.Stop("enough"))
		break
	}
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Canceled, run.Result().Reason)
}

// AGT-30, TOOL-23: tools report from any goroutine; the loop body stays on the
// reader's, one at a time, and its panic is its own.
func TestReporters(t *testing.T) {
	busy := scripted("busy read done")
	busy.Run = func(_ context.Context, call tool.Call) (tool.Result, error) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { call.Progress("x") })
		}
		wg.Wait()
		return tool.Text("done"), nil
	}
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("k1", "busy", `{}`), llmtest.Text("done")),
		Tools:  tool.NewRegistry(busy),
	}
	shown := 0
	for event, err := range open(t, l, "go").Events(t.Context()) {
		require.NoError(t, err)
		if _, ok := event.(agent.Progress); ok {
			shown++ // the race detector sees two bodies at once
		}
	}
	require.Equal(t, 4, shown)
	require.PanicsWithValue(t, "the body's own", func() {
		for event := range open(t, l, "go").Events(t.Context()) {
			if _, ok := event.(agent.Progress); ok {
				panic("the body's own")
			}
		}
	})
}

// AGT-30, AGT-E42: a panic of the body at an event of one of several runs
// within ends the ride; nothing hangs.
func TestPanicAtInnerEvent(t *testing.T) {
	child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("hello there"))}
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "child", `{"task":"1"}`), llmtest.Call("k2", "child", `{"task":"2"}`)), llmtest.Text("done")),
		Tools:  tool.NewRegistry(agent.AsTool(child, "child", "Helps.")), Unordered: true,
	}
	run := open(t, l, "go")
	require.Panics(t, func() {
		for event := range run.Events(t.Context()) {
			if in, ok := event.(agent.Inner); ok && in.Event.Kind() == "text_delta" {
				panic("the body's own")
			}
		}
	})
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
}

// AGT-06: each answer is checked anew: a verdict on one is none on the next.
func TestVerdictIsForOneAnswer(t *testing.T) {
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Text("good"), llmtest.Text("bad")),
		Verifier: agent.VerifierFunc(func(_ context.Context, s agent.State) (agent.Verdict, error) {
			return agent.Verdict{Pass: s.Result().Text == "good"}, nil
		}),
	}
	run := open(t, l, "go")
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if v, ok := event.(agent.Verified); ok && v.Pass {
			require.NoError(t, run.Say("and another"))
		}
	}
	require.Equal(t, agent.Unverified, run.Result().Reason)
}

// AGT-59, SES-18: a run within that asks and goes on is one hand-over.
func TestQuestionIsNoHandover(t *testing.T) {
	done, one := 0, 1
	run, err := deep(1, &done).Open(t.Context(), agent.Scope{Handovers: &one}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Approve(), true }))
	require.Equal(t, 1, done)
}

// AGT-12, TOOL-E26: an hour that a person thinks in the loop body is no active time.
func TestThinkingIsNotActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := 0
		l := deep(0, &done)
		l.Budget.Time = budget.Max(time.Minute)
		run := open(t, l, "go")
		require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) {
			time.Sleep(time.Hour)
			return agent.Approve(), true
		}))
		require.Equal(t, agent.Completed, run.Result().Reason)
		require.Less(t, run.Result().Spent.Time, time.Second)
	})
}

// LLM-E11 (share), AGT-E45: what no provider takes does not get into the history.
func TestSaidCleanly(t *testing.T) {
	for _, say := range []func(*agent.Run) error{
		func(r *agent.Run) error { return r.Say("a\xffb") },
		func(r *agent.Run) error { return r.Then("a\x00b") },
		func(r *agent.Run) error { return r.Say("\u00a0\u2003") },
		func(r *agent.Run) error { return r.SayParts(llm.Image{}) },
	} {
		run := open(t, &agent.Loop{Client: llmtest.Strict(llmtest.ByHistory(llmtest.Text("a"), llmtest.Text("b")))}, "go")
		if say(run) == nil {
			require.NoError(t, agent.Drain(t.Context(), run, nil))
		}
	}
}

// BUD-E88: what was reserved is given back, also if the loop body panics.
func TestPoolAfterPanic(t *testing.T) {
	pool := &budget.Pool{Budget: budget.Budget{Turns: budget.Max(1)}}
	l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("a"))}
	for range 3 {
		run, err := l.Open(t.Context(), agent.Scope{Pool: pool}, "go")
		require.NoError(t, err)
		require.Panics(t, func() {
			for event := range run.Events(t.Context()) {
				if _, ok := event.(agent.TextDelta); ok {
					panic("the body's own")
				}
			}
		})
	}
	_, err := pool.Reserve(budget.Spent{Turns: 1})
	require.NoError(t, err, "three requests that came to nothing hold nothing")
}

// SES-15, SES-22: the same answer to a run within that has ended is fine, by
// hand and by post; one that was posted before the run within is open is kept
// until it is, also over a reader who leaves.
func TestAnswersBelow(t *testing.T) {
	done, store := 0, memory()
	l := deep(1, &done)
	scope := agent.Scope{Journal: store, ID: "run"}
	run, err := l.Open(t.Context(), scope, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.NoError(t, agent.Post(t.Context(), store, "run", "p1", agent.Answered{ID: "1.1/1.1", Answer: agent.Approve()}))
	run, err = l.Open(t.Context(), scope)
	require.NoError(t, err)
	for range run.Events(t.Context()) {
		break
	}
	run, err = l.Open(t.Context(), scope)
	require.NoError(t, err)
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if e, ok := event.(agent.CallEnded); ok && e.Call == "1.1" {
			require.NoError(t, run.Answer("1.1/1.1", agent.Approve()))
			require.ErrorIs(t, run.Answer("1.1/1.1", agent.Deny("no")), agent.ErrStale)
		}
	}
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Equal(t, 1, done)
}

// SES-02, SES-08: over a leased store a waiting run within is answered and
// stopped through the claim of its root.
func TestLeasedBelow(t *testing.T) {
	done := 0
	store := &journal.Leased{Store: &journal.MemoryStore{}}
	for _, id := range []string{"answered", "stopped"} {
		run, err := deep(1, &done).Open(t.Context(), agent.Scope{Journal: store, ID: id}, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		if id == "answered" {
			require.NoError(t, run.Answer(run.Result().Questions[0].ID, agent.Approve()))
		} else {
			require.NoError(t, run.Stop("enough"))
		}
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.True(t, run.Result().Ended())
	}
	require.Equal(t, 1, done)
}

// BUD-04, GEN-07: no calls allowed is no reason not to answer.
func TestNoCallsAllowed(t *testing.T) {
	l := &agent.Loop{Client: llmtest.Script(llmtest.Text("42")), Budget: budget.Budget{Calls: budget.Max(0)}}
	res, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, res.Reason)
}

// AGT-59, BUD-07: what a run within has spent counts, also when the run above
// is stopped while it waits.
func TestSpentBelow(t *testing.T) {
	done := 0
	run := open(t, deep(1, &done), "go")
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	before := run.Result().Spent.Tokens()
	require.NoError(t, run.Stop("enough"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Greater(t, run.Result().Spent.Tokens(), before)
}
