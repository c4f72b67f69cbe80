package agent_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func memory() *journal.Memory { return &journal.Memory{} }

func open(t *testing.T, l *agent.Loop, prompts ...string) *agent.Run {
	run, err := l.Open(t.Context(), agent.Scope{}, prompts...)
	require.NoError(t, err)
	return run
}

// AGT-40, AGT-42: one loop serves 100 runs at once.
func TestOneLoopManyRuns(t *testing.T) {
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "look", `{}`), llmtest.Call("k2", "look", `{}`)), llmtest.Text("done")),
		Tools:  tool.NewRegistry(scripted("look read seen")),
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			res, err := agent.Do(t.Context(), l, "go")
			if err != nil || res.Reason != agent.Completed || res.Turns != 2 || res.Spent.Calls != 2 {
				t.Error(res, err)
			}
		})
	}
	wg.Wait()
}

// AGT-E42, AGT-30, GEN-12, B113: after a reader has left in mid-stream, also by
// a panic, the stream is closed and no goroutine is left; another range goes on.
func TestLeavingInMidStream(t *testing.T) {
	defer goleak.VerifyNone(t)
	closed := 0
	client := llm.ClientFunc(func(ctx context.Context, _ llm.Request) iterChunks {
		return func(yield func(llm.Chunk, error) bool) {
			defer func() { closed++ }()
			for range 3 {
				if !yield(llm.TextDelta("x"), nil) {
					return
				}
			}
			yield(llm.Reply{Message: llm.AssistantText("xxx"), Finish: llm.FinishStop}, nil)
		}
	})
	run := open(t, &agent.Loop{Client: client}, "go")
	for event := range run.Events(t.Context()) {
		if _, ok := event.(agent.TextDelta); ok {
			break
		}
	}
	require.Equal(t, 1, closed)
	require.PanicsWithValue(t, "the body's own", func() {
		for event := range run.Events(t.Context()) {
			if _, ok := event.(agent.TextDelta); ok {
				panic("the body's own")
			}
		}
	})
	require.Equal(t, 2, closed)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, "xxx", run.Result().Text)
}

// AGT-E43, GEN-03: a slow reader slows the run; nothing piles up, nothing is
// lost, and cancel works in between.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ahead := 0
		client := llm.ClientFunc(func(context.Context, llm.Request) iterChunks {
			return func(yield func(llm.Chunk, error) bool) {
				for range 10 {
					ahead++
					if !yield(llm.TextDelta("x"), nil) {
						return
					}
				}
				yield(llm.Reply{Message: llm.AssistantText("end"), Finish: llm.FinishStop}, nil)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5500*time.Millisecond)
		defer cancel()
		seen := 0
		var last error
		for event, err := range open(t, &agent.Loop{Client: client}, "go").Events(ctx) {
			if last = err; err != nil {
				break
			}
			if _, ok := event.(agent.TextDelta); ok {
				seen++
				require.Equal(t, seen, ahead)
				time.Sleep(time.Second)
			}
		}
		_ = last
		require.Equal(t, 10, seen, "a model that does not look at its context is heard to the end")
	})
}

// AGT-E44, B174 (share): a second range, and a second owner, are turned away.
func TestBusy(t *testing.T) {
	store := memory()
	l := &agent.Loop{Client: llmtest.Script(llmtest.Text("done"))}
	run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
	require.NoError(t, err)
	other, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
	require.NoError(t, err)
	for _, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		require.ErrorIs(t, agent.Drain(t.Context(), run, nil), agent.ErrRanging)
		require.ErrorIs(t, agent.Drain(t.Context(), other, nil), journal.ErrBusy)
		require.ErrorIs(t, other.Say("hello"), journal.ErrBusy, "nor can it add to the log")
	}
	require.ErrorIs(t, agent.Drain(t.Context(), other, nil), journal.ErrConflict, "it knows an older log")
}

// B117, AGT-29: the end of the context can be told from a stop: after the first
// a run goes on, after the second it has ended.
func TestInterruptedOrStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`), llmtest.Text("done")),
			Tools:  tool.NewRegistry(scripted("slow read 3s done")),
		}
		run := open(t, l, "go")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, agent.Drain(ctx, run, nil), context.DeadlineExceeded)
		require.Equal(t, agent.Going, run.Result().Reason)
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		require.Equal(t, "call_started", log[len(log)-1].Fact.Kind(), "nothing else is written")
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)

		run = open(t, l, "go")
		time.AfterFunc(time.Second, func() { _ = run.Stop("enough") })
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.Equal(t, "enough", run.Result().Detail)
		for _, err := range run.Events(t.Context()) {
			require.ErrorIs(t, err, agent.ErrEnded)
		}
	})
}

// B110, AGT-E33: a tool that ignores its context for 5 s: a stop after 50 ms
// returns within its grace, and the late return is nowhere.
func TestStopAgainstADeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := scripted("deaf write done")
		deaf.Run = func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(5 * time.Second)
			return tool.Text("late"), nil
		}
		run := open(t, &agent.Loop{Client: llmtest.Script(llmtest.Call("k1", "deaf", `{}`)), Tools: tool.NewRegistry(deaf)}, "go")
		time.AfterFunc(50*time.Millisecond, func() { _ = run.Stop("enough") })
		start := time.Now()
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, 550*time.Millisecond, time.Since(start))
		require.Equal(t, agent.Canceled, run.Result().Reason)
		time.Sleep(10 * time.Second)
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		require.Equal(t, "stopped", log[len(log)-1].Fact.Kind())
	})
}

// TOOL-E20 (share): in the next turn the tool of a call that was given up is
// refused while it may still be running, another one runs; then all run.
func TestGivenUpAcrossTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := scripted("deaf write done")
		deaf.Limit = time.Second
		deaf.Run = func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(5 * time.Second)
			return tool.Text("done"), nil
		}
		l := &agent.Loop{
			Client: llmtest.Script(llmtest.Calls(llmtest.Call("k1", "deaf", `{"n":1}`), llmtest.Call("k2", "save", `{}`)),
				llmtest.Calls(llmtest.Call("k3", "deaf", `{"n":2}`), llmtest.Call("k4", "wait", `{}`)), llmtest.Call("k5", "deaf", `{"n":3}`), llmtest.Text("done")),
			Tools: tool.NewRegistry(deaf, scripted("save write saved"), scripted("wait write 10s waited")),
		}
		var outcomes []tool.Outcome
		for event, err := range open(t, l, "go").Events(t.Context()) {
			require.NoError(t, err)
			if e, ok := event.(agent.CallEnded); ok {
				outcomes = append(outcomes, e.Result.Outcome)
			}
		}
		require.Equal(t, []tool.Outcome{tool.TimedOut, tool.NotStarted, tool.NotStarted, tool.OK, tool.TimedOut}, outcomes)
		time.Sleep(10 * time.Second)
	})
}

// AGT-12, AGT-E49, TOOL-E26: active time is carried over a restart; waiting for
// a person for three days is none, and a wall clock that is set back changes nothing.
func TestActiveTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var set time.Duration
		scope := agent.Scope{Journal: memory(), ID: "run", Now: func() time.Time { return time.Now() }}
		l := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`), llmtest.Call("k2", "slow", `{}`), llmtest.Call("k3", "slow", `{}`)),
			Tools:  tool.NewRegistry(scripted("slow write 4s done")), Policy: agent.AskForSideEffects,
			Budget: budget.Budget{Time: budget.Max(10 * time.Second)}, NoWrapUp: true,
		}
		var run *agent.Run
		for range 4 {
			var err error
			run, err = l.Open(t.Context(), scope, "go")
			require.NoError(t, err)
			for _, q := range run.Result().Questions {
				require.NoError(t, run.Answer(q.ID, agent.Approve()))
			}
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			time.Sleep(72 * time.Hour)
			set -= time.Hour
		}
		require.Equal(t, agent.TimedOut, run.Result().Reason)
		require.Equal(t, 10*time.Second, run.Result().Spent.Time)
		require.Equal(t, 3, run.Result().Spent.Calls)
	})
}

// AGT-13: the time limit during a model's stream is timed out, not an error.
// AGT-14 is the same for a model that never answers.
func TestTimeDuringAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &agent.Loop{Client: llmtest.Hang(llm.TextDelta("wait")), Budget: budget.Budget{Time: budget.Max(time.Second)}}
		res, err := agent.Do(t.Context(), l, "go")
		require.NoError(t, err)
		require.Equal(t, agent.TimedOut, res.Reason)
		require.Equal(t, budget.Time, res.Limit.Limit)
	})
}

// GEN-08: with the clock and the id given, and calls one at a time, the log is
// the same to the byte, twice.
func TestSameLogTwice(t *testing.T) {
	var logs [2]string
	for i := range logs {
		synctest.Test(t, func(t *testing.T) {
			l := family(&world{})
			l.Parallel = 1
			run, err := l.Open(t.Context(), agent.Scope{Journal: memory(), ID: "run"}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Approve(), true }))
			log, err := run.Log(t.Context())
			require.NoError(t, err)
			data, err := log.MarshalJSON()
			require.NoError(t, err)
			logs[i] = string(data)
		})
	}
	require.Equal(t, logs[0], logs[1])
}

// CMP-01, AGT-02: a cancel comes before limits, limits before the request.
func TestOrderBeforeARequest(t *testing.T) {
	client := llmtest.Script()
	l := &agent.Loop{Client: client, Budget: budget.Budget{Turns: budget.Max(0)}}
	run := open(t, l, "go")
	require.NoError(t, run.Stop("no"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Canceled, run.Result().Reason)
	require.Empty(t, client.Requests())
}

// GEN-13: what a turn costs does not grow: neither its allocations nor its bytes.
func TestTurnsCostTheSame(t *testing.T) {
	cost := func(n int) (allocs float64) {
		return testing.AllocsPerRun(1, func() {
			l := &agent.Loop{Client: turns(n), Tools: tool.NewRegistry(echo), Budget: budget.Budget{Stall: budget.Stall{Off: true}}}
			if _, err := agent.Do(context.Background(), l, "go"); err != nil {
				panic(err)
			}
		}) / float64(n)
	}
	few, many := cost(100), cost(2000)
	require.Less(t, many, few*1.1, fmt.Sprint(few, many, runtime.Version()))
}

// AGT-29: a stop from another goroutine reaches runs within and the run, at any
// moment, also when the run has ended already.
func TestStopFromOutside(t *testing.T) {
	for delay := range 12 {
		synctest.Test(t, func(t *testing.T) {
			child := &agent.Loop{
				Client: llmtest.ByHistory(llmtest.Call("c1", "slow", `{}`), llmtest.Text("done")),
				Tools:  tool.NewRegistry(scripted("slow write 1s done")),
			}
			l := &agent.Loop{
				Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "child", `{"task":"a"}`), llmtest.Call("k2", "child", `{"task":"b"}`),
					llmtest.Call("k3", "child", `{"task":"c"}`)), llmtest.Text("done")),
				Tools: tool.NewRegistry(agent.AsTool(child, "child", "Helps.")), Unordered: true,
			}
			run := open(t, l, "go")
			time.AfterFunc(time.Duration(delay)*250*time.Millisecond, func() {
				if err := run.Stop("enough"); err != nil {
					t.Error(err)
				}
			})
			err := agent.Drain(t.Context(), run, nil)
			if err != nil {
				require.ErrorIs(t, err, agent.ErrEnded, "stopped before it began")
			}
			require.True(t, run.Result().Ended())
			require.NoError(t, run.Stop("again"))
		})
	}
}
