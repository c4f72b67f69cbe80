package tool_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// takes returns a tool that sleeps for ms and says "name:ms".
func takes(name string, access tool.Access) tool.Tool {
	return tool.New(name, "", func(_ context.Context, in struct{ Ms int }) (string, error) {
		time.Sleep(time.Duration(in.Ms) * time.Millisecond)
		return fmt.Sprintf("%s:%d", name, in.Ms), nil
	}, access)
}

func sleeps(name string, ms int) llm.ToolCall { return asks(name, fmt.Sprintf(`{"Ms":%d}`, ms)) }

// TOOL-16, TOOL-17: three reads of 100 ms take 100 ms, and 8 of 20 ms with room
// for 8 take 20.
func TestReadsRunTogether(t *testing.T) {
	for _, c := range []struct{ calls, ms, parallel int }{{3, 100, 0}, {8, 20, 8}} {
		synctest.Test(t, func(t *testing.T) {
			runner := &tool.Runner{Tools: tool.NewRegistry(takes("read", tool.ReadOnly)), Parallel: c.parallel}
			began := time.Now()
			runAll(t, runner, slices.Repeat([]llm.ToolCall{sleeps("read", c.ms)}, c.calls)...)
			require.Equal(t, time.Duration(c.ms)*time.Millisecond, time.Since(began))
		})
	}
}

// TOOL-07, TOOL-15, TOOL-E17, B088: calls of a turn run as their conflicts let
// them, and results stand in call order whatever the order of completion.
func TestResultsStandInCallOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &tool.Runner{Tools: tool.NewRegistry(takes("read", tool.ReadOnly), takes("write", tool.SideEffecting))}
		began := time.Now()
		results := runAll(t, runner, sleeps("read", 80), sleeps("read", 10), sleeps("read", 40), sleeps("write", 5), sleeps("read", 7), sleeps("read", 3))
		require.Equal(t, []string{"read:80", "read:10", "read:40", "write:5", "read:7", "read:3"}, texts(results))
		require.Equal(t, 92*time.Millisecond, time.Since(began))
	})
}

// TOOL-E17, TOOL-36, B089: calls under one id, and equal calls, all run and get
// a result each; equal writes run one after the other.
func TestRepeatedCallsAllRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		write := tool.New("write", "", func(context.Context, struct{ N int }) (int, error) {
			time.Sleep(time.Second)
			runs++
			return runs, nil
		})
		began := time.Now()
		same := llm.ToolCall{ID: "k1", Name: "write", Arguments: `{"N":1}`}
		results := runAll(t, &tool.Runner{Tools: tool.NewRegistry(write)}, same, same)
		require.Equal(t, []string{"1", "2"}, texts(results))
		require.Equal(t, 2*time.Second, time.Since(began))
	})
}

// TOOL-14, B083, B084: failures stay in their call.
func TestFailuresStayInTheirCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := plain("boom", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) { panic("boom 7") })
		fails := plain("fails", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
			time.Sleep(10 * time.Millisecond)
			return tool.Result{}, fmt.Errorf("no route")
		})
		private := plain("private", tool.ReadOnly, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			_, cancel := context.WithCancel(ctx)
			cancel()
			return tool.Result{}, context.Canceled
		})
		look := takes("look", tool.ReadOnly)
		runner := &tool.Runner{Tools: tool.NewRegistry(boom, fails, private, look)}
		results := runAll(t, runner, sleeps("look", 50), asks("boom", ""), sleeps("look", 20))
		require.Equal(t, []string{"look:50", "The tool panicked: boom 7", "look:20"}, texts(results))
		results = runAll(t, runner, asks("fails", ""), sleeps("look", 50), asks("private", ""))
		require.Equal(t, []string{"no route", "look:50", "context canceled"}, texts(results))
	})
}

// TOOL-13: of three calls one hangs: two results and a timeout, in call order.
func TestOneHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := sleeper(time.Hour, false)
		hangs.Limit, hangs.Access = time.Second, tool.ReadOnly
		runner := &tool.Runner{Tools: tool.NewRegistry(hangs, takes("read", tool.ReadOnly))}
		began := time.Now()
		results := runAll(t, runner, sleeps("read", 10), asks("slow", ""), sleeps("read", 20))
		require.Equal(t, 1500*time.Millisecond, time.Since(began))
		require.Equal(t, "read:10", results[0].Text)
		require.Equal(t, tool.TimedOut, results[1].Outcome)
		require.Equal(t, "read:20", results[2].Text)
		time.Sleep(time.Hour) // until it is back
	})
}

// TOOL-10, TOOL-E29, TOOL-11: four at once, or as set; of 1,000 calls 256 run,
// and all have results.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ parallel, want int }{{0, 4}, {1, 1}, {8, 8}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			read := plain("read", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
				most.Store(max(most.Load(), now.Add(1)))
				time.Sleep(time.Second)
				now.Add(-1)
				return tool.Text("ok"), nil
			})
			runner := &tool.Runner{Tools: tool.NewRegistry(read), Parallel: c.parallel}
			runAll(t, runner, slices.Repeat([]llm.ToolCall{asks("read", "")}, 8)...)
			require.EqualValues(t, c.want, most.Load())
		})
	}
	var runs atomic.Int64
	count := plain("count", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) { runs.Add(1); return tool.Text("ok"), nil })
	runner := &tool.Runner{Tools: tool.NewRegistry(count)}
	results := runAll(t, runner, slices.Repeat([]llm.ToolCall{asks("count", "")}, 1000)...)
	require.EqualValues(t, tool.MaxCalls, runs.Load())
	for i, r := range results {
		require.Equal(t, i >= tool.MaxCalls, r.Failed(), i)
	}
	require.Equal(t, tool.NotStarted, results[999].Outcome)
	require.Contains(t, results[999].Text, "first 256 calls")

	for _, bad := range []*tool.Runner{{Parallel: -1}, {TurnLimit: -2}, {Tools: tool.NewRegistry(tool.Tool{})}} {
		_, err := bad.Run(t.Context(), nil, nil)
		require.ErrorContains(t, err, "tool: ")
	}
}

// TOOL-12, TOOL-E19: once a turn has been running for 90 s no further call is
// started; one that runs keeps its own limit. With a tool that has no limit the
// 90 s do not hold.
func TestTurnLimit(t *testing.T) {
	turn := func(t *testing.T, limit, turnLimit time.Duration) []tool.Result {
		slow := takes("slow", tool.SideEffecting)
		slow.Limit = limit
		runner := &tool.Runner{Tools: tool.NewRegistry(slow), TurnLimit: turnLimit}
		return runAll(t, runner, slices.Repeat([]llm.ToolCall{sleeps("slow", 50_000)}, 3)...)
	}
	synctest.Test(t, func(t *testing.T) {
		results := turn(t, 0, 0)
		require.Equal(t, []string{"slow:50000", "slow:50000"}, texts(results[:2]))
		require.Equal(t, tool.NotStarted, results[2].Outcome)
		require.Contains(t, results[2].Text, "1m30s")
	})
	synctest.Test(t, func(t *testing.T) {
		require.Equal(t, "slow:50000", turn(t, tool.Unlimited, 0)[2].Text)
		require.Equal(t, "slow:50000", turn(t, 0, tool.Unlimited)[2].Text)
		require.Equal(t, tool.NotStarted, turn(t, 0, time.Second)[1].Outcome)
	})
}

// TOOL-E20: while a write that was given up may still be running, later writes
// of its turn do not start, and in later turns its own tool does not; reads and
// others do. When it has come back, all do.
func TestStragglerBlocks(t *testing.T) {
	for _, lifted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			hang := tool.New("hang", "", func(_ context.Context, in struct{ Ms int }) (string, error) {
				time.Sleep(time.Duration(in.Ms) * time.Millisecond)
				return "came back", nil
			})
			hang.Limit = time.Second
			runner := &tool.Runner{Tools: tool.NewRegistry(hang, takes("write", tool.SideEffecting), takes("read", tool.ReadOnly)), NoBlock: lifted, Name: "run-42"}
			began := time.Now()
			results := runAll(t, runner, sleeps("hang", 60_000), sleeps("write", 1), sleeps("read", 1), sleeps("hang", 1))
			require.Equal(t, tool.TimedOut, results[0].Outcome)
			require.Equal(t, "read:1", results[2].Text)
			later := runAll(t, runner, sleeps("hang", 1), sleeps("write", 2))
			require.Equal(t, "write:2", later[1].Text)
			if lifted {
				require.Equal(t, []string{"write:1", "came back", "came back"}, []string{results[1].Text, results[3].Text, later[0].Text})
			} else {
				for _, r := range []tool.Result{results[1], results[3], later[0]} {
					require.Equal(t, tool.NotStarted, r.Outcome)
					require.Contains(t, r.Text, "hang (run-42/1.1) was given up")
				}
			}
			time.Sleep(time.Minute - time.Since(began) + time.Millisecond)
			synctest.Wait()
			require.Equal(t, []string{"came back", "write:3"}, texts(runAll(t, runner, sleeps("hang", 1), sleeps("write", 3))))
		})
	}
}

// TOOL-E20: with keys, only what conflicts with it is blocked.
func TestStragglerBlocksByKeys(t *testing.T) {
	late := make(chan struct{})
	var stragglers tool.Stragglers
	stragglers.Add(3, tool.Call{Name: "read", Key: "k/3.1"}, r, late)
	stragglers.Add(3, tool.Call{Name: "edit", Key: "k/3.2"}, writes("a"), late)
	for _, c := range []struct {
		turn int
		name string
		use  tool.Use
		want bool
	}{
		{3, "edit", writes("b"), false},
		{3, "edit", writes("a"), true},
		{3, "move", keyed([]string{"a"}, []string{"b"}), true},
		{3, "run", w, true},
		{3, "look", r, false},
		{3, "read", r, false},
		{4, "edit", writes("b"), true},
		{4, "run", w, false},
		{4, "read", r, false},
	} {
		running, blocked := stragglers.Block(c.turn, c.name, c.use)
		require.Equal(t, c.want, blocked, "%v", c)
		require.Equal(t, c.want, running == "edit (k/3.2)")
	}
	close(late)
	_, blocked := stragglers.Block(3, "run", w)
	require.False(t, blocked)
}

// TOOL-08, B080: edits of one file in one turn lose nothing.
func TestEditsOfOneFile(t *testing.T) {
	for _, declared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			file := "50 75 100"
			type in struct{ Path, Old, New string }
			edit := tool.New("edit", "", func(_ context.Context, in in) (string, error) {
				text := file
				time.Sleep(20 * time.Millisecond)
				file = strings.Replace(text, in.Old, in.New, 1)
				return "edited", nil
			})
			if declared {
				edit.Keys = tool.KeysOf(func(in in) tool.Keys { return tool.Keys{Writes: []string{in.Path}} })
			}
			runner := &tool.Runner{Tools: tool.NewRegistry(edit)}
			runAll(t, runner,
				asks("edit", `{"Path":"f","Old":"50","New":"fifty"}`),
				asks("edit", `{"Path":"f","Old":"75","New":"x"}`),
				asks("edit", `{"Path":"f","Old":"100","New":"c"}`))
			require.Equal(t, "fifty x c", file)

			file = ""
			for turn := range 50 {
				for i := range 3 {
					file += fmt.Sprintf("<%d.%d>", turn, i)
				}
			}
			for turn := range 50 {
				calls := make([]llm.ToolCall, 3)
				for i := range calls {
					calls[i] = asks("edit", fmt.Sprintf(`{"Path":"f","Old":"<%d.%d>","New":"!"}`, turn, i))
				}
				runAll(t, runner, calls...)
			}
			require.Equal(t, strings.Repeat("!", 150), file)
		})
	}
}

// TOOL-35: disjoint writes overlap, and AnyOrder lets everything.
func TestOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type in struct{ Path string }
		write := tool.New("write", "", func(context.Context, in) (string, error) { time.Sleep(time.Second); return "ok", nil })
		turn := func(runner *tool.Runner, write tool.Tool, paths ...string) time.Duration {
			runner.Tools = tool.NewRegistry(write)
			began := time.Now()
			calls := make([]llm.ToolCall, len(paths))
			for i, path := range paths {
				calls[i] = asks("write", fmt.Sprintf(`{"Path":%q}`, path))
			}
			runAll(t, runner, calls...)
			return time.Since(began)
		}
		require.Equal(t, 2*time.Second, turn(&tool.Runner{}, write, "a", "b"))
		require.Equal(t, time.Second, turn(&tool.Runner{AnyOrder: true}, write, "a", "a"))
		write.Keys = tool.KeysOf(func(in in) tool.Keys { return tool.Keys{Writes: []string{in.Path}} })
		require.Equal(t, time.Second, turn(&tool.Runner{}, write, "a", "b"))
		require.Equal(t, 2*time.Second, turn(&tool.Runner{}, write, "a", "a", "b"))
	})
}

// B087: 200 parallel calls that all count give exact sums.
func TestManyCallsCount(t *testing.T) {
	var mu sync.Mutex
	sum, keys := 0, map[string]bool{}
	count := tool.NewWithCall("count", "", func(_ context.Context, call tool.Call, in struct{ N int }) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		sum += in.N
		keys[call.Key] = true
		return in.N, nil
	}, tool.ReadOnly)
	calls := make([]llm.ToolCall, 200)
	for i := range calls {
		calls[i] = asks("count", fmt.Sprintf(`{"N":%d}`, i))
	}
	results := runAll(t, &tool.Runner{Tools: tool.NewRegistry(count), Parallel: 200}, calls...)
	told := 0
	for _, result := range results {
		told += number(result.Text)
	}
	require.Equal(t, []int{19900, 19900, 200}, []int{sum, told, len(keys)})
}

// AGT-29's share: when ctx ends, running calls are canceled, those that wait are
// not started, and all have results.
func TestRunnerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		runner := &tool.Runner{Tools: tool.NewRegistry(sleeper(time.Hour, true), says("look", "looked"))}
		results, err := runner.Run(ctx, nil, []llm.ToolCall{asks("look", ""), asks("slow", ""), asks("look", "")})
		require.NoError(t, err)
		require.Equal(t, []tool.Outcome{tool.OK, tool.Canceled, tool.NotStarted}, []tool.Outcome{results[0].Outcome, results[1].Outcome, results[2].Outcome})
	})
}

// A Runner has nobody to ask: what is asked is refused, and what pauses has failed.
func TestRunnerIsHeadless(t *testing.T) {
	pauses := plain("pauses", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, &tool.Pause{Question: "Which?"}
	})
	runner := &tool.Runner{Tools: tool.NewRegistry(pauses, echoAs("write")), Policy: tool.AskForSideEffects}
	results := runAll(t, runner, asks("pauses", ""), asks("write", ""))
	require.Equal(t, tool.Failed, results[0].Outcome)
	require.Contains(t, results[0].Text, `the tool asks "Which?"`)
	require.Equal(t, tool.Refused, results[1].Outcome)
}
