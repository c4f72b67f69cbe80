package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// sleeper takes as long as it is told and minds its context if polite.
func sleeper(d time.Duration, polite bool) tool.Tool {
	return plain("slow", tool.SideEffecting, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		if !polite {
			ctx = context.Background()
		}
		select {
		case <-time.After(d):
			return tool.Text("woke"), nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
}

// TOOL-11, TOOL-13: a single call obeys its own limit.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name            string
		limit, takes    time.Duration
		outcome         tool.Outcome
		after           time.Duration
		param, argument string
	}{
		{"the default, in time", 0, 59 * time.Second, tool.OK, 59 * time.Second, "", ""},
		{"the default", 0, 61 * time.Second, tool.TimedOut, 60 * time.Second, "", ""},
		{"its own", time.Second, 2 * time.Second, tool.TimedOut, time.Second, "", ""},
		{"none", tool.Unlimited, 1000 * time.Hour, tool.OK, 1000 * time.Hour, "", ""},
		{"TOOL-26: asked for", 0, time.Hour, tool.TimedOut, 180 * time.Second, "seconds", `{"seconds":180}`},
		{"TOOL-12: 500 s are cut to the cap", 0, time.Hour, tool.TimedOut, 300 * time.Second, "seconds", `{"seconds":500}`},
		{"asked for without end", tool.Unlimited, time.Hour, tool.TimedOut, 300 * time.Second, "seconds", `{"seconds":1e300}`},
		{"asked for less", 0, time.Hour, tool.TimedOut, 500 * time.Millisecond, "seconds", `{"seconds":0.5}`},
		{"asked for nothing", 0, time.Hour, tool.TimedOut, 60 * time.Second, "seconds", `{}`},
		{"asked for nonsense", 0, time.Hour, tool.TimedOut, 60 * time.Second, "seconds", `{"seconds":-1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := sleeper(c.takes, true)
				slow.Limit, slow.LimitParam = c.limit, c.param
				began := time.Now()
				ending := slow.Do(t.Context(), tool.Call{Arguments: json.RawMessage(c.argument)})
				require.Equal(t, c.outcome, ending.Result.Outcome)
				require.Equal(t, c.after, time.Since(began))
				require.Nil(t, ending.Late)
				if c.outcome == tool.TimedOut {
					require.Equal(t, "The call was stopped at its limit of "+c.after.String()+".", ending.Result.Text)
				}
			})
		})
	}
}

// TOOL-13: what a call says after its limit is told with it, and is not taken
// for a result.
func TestLimitKeepsWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		partly := func(r tool.Result, err error) tool.Result {
			slow := plain("slow", tool.SideEffecting, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
				<-ctx.Done()
				return r, err
			})
			return slow.Do(t.Context(), tool.Call{}).Result
		}
		for _, r := range []tool.Result{
			partly(tool.Result{Text: "line 1", Changed: tool.Changed}, nil),
			partly(tool.Result{Text: "line 1", Outcome: tool.Failed, Changed: tool.Changed}, nil),
		} {
			require.Equal(t, tool.Result{
				Text:    "The call was stopped at its limit of 1m0s. It came back with:\nline 1",
				Outcome: tool.TimedOut, Changed: tool.Changed,
			}, r)
		}
		require.Contains(t, partly(tool.Result{}, errors.New("killed")).Text, "It came back with:\nkilled")
		require.NotContains(t, partly(tool.Result{}, context.DeadlineExceeded).Text, "came back")
	})
}

// TOOL-E18: a tool that ignores its limit is given up at limit and grace; what
// it does later is nowhere.
func TestIgnoredLimit(t *testing.T) {
	for _, c := range []struct{ grace, after time.Duration }{{0, 1500 * time.Millisecond}, {6 * time.Second, 7 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			var shown []string
			late := make(chan struct{})
			stubborn := plain("stubborn", tool.SideEffecting, func(_ context.Context, call tool.Call) (tool.Result, error) {
				call.Progress("started")
				time.Sleep(time.Minute)
				call.Progress("late")
				defer close(late)
				panic("late")
			})
			stubborn.Limit, stubborn.Grace = time.Second, c.grace
			began := time.Now()
			ending := stubborn.Do(t.Context(), tool.Call{Report: func(p string) { shown = append(shown, p) }})
			require.Equal(t, c.after, time.Since(began))
			require.Equal(t, tool.TimedOut, ending.Result.Outcome)
			require.Equal(t, "The call was stopped at its limit of 1s. It has not come back and may still be running.", ending.Result.Text)
			select {
			case <-ending.Late:
				t.Fatal("it is still running")
			default:
			}
			<-late
			<-ending.Late
			require.Equal(t, time.Minute, time.Since(began))
			require.Equal(t, []string{"started"}, shown)
		})
	}
}

// TOOL-E18, B110: a tool that ignores a person's stop for 5 s is given up well
// within one, with a result that says that it may still be going on.
func TestIgnoredStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		began := time.Now()
		ending := sleeper(5*time.Second, false).Do(ctx, tool.Call{})
		require.Equal(t, 550*time.Millisecond, time.Since(began))
		require.Equal(t, tool.Canceled, ending.Result.Outcome)
		require.Contains(t, ending.Result.Text, "may still be running")
		<-ending.Late
	})
}

// After the end of ctx a good result counts, and nothing else does.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name    string
		result  tool.Result
		err     error
		panics  bool
		outcome tool.Outcome
		text    string
	}{
		{"a good result", tool.Text("done"), nil, false, tool.OK, "done"},
		{"a failed one", tool.Result{Text: "half", Outcome: tool.Failed}, nil, false, tool.Canceled, "is unknown. It came back with:\nhalf"},
		{"the context's error", tool.Result{}, context.Canceled, false, tool.Canceled, "is unknown."},
		{"another error", tool.Result{}, errors.New("broken pipe"), false, tool.Canceled, "broken pipe"},
		{"a pause", tool.Result{}, &tool.Pause{Question: "Go on?"}, false, tool.Canceled, "is unknown."},
		{"a panic", tool.Result{}, nil, true, tool.Canceled, "panicked: boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				asked := plain("asked", tool.SideEffecting, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
					<-ctx.Done()
					time.Sleep(100 * time.Millisecond) // within the grace
					if c.panics {
						panic("boom")
					}
					return c.result, c.err
				})
				ending := asked.Do(ctx, tool.Call{})
				require.Equal(t, c.outcome, ending.Result.Outcome)
				require.Contains(t, ending.Result.Text, c.text)
				require.Nil(t, ending.Signal)
				require.Nil(t, ending.Late)

				ran := false
				never := plain("never", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) { ran = true; return tool.Text(""), nil })
				require.Equal(t, tool.NotStarted, never.Do(ctx, tool.Call{}).Result.Outcome)
				require.False(t, ran)
			})
		})
	}
}

// TOOL-14, B083, B084: errors and panics are results of their call, a context
// error of the tool's own making is one like any other. TOOL-29: by outcome.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		run     func(context.Context, tool.Call) (tool.Result, error)
		outcome tool.Outcome
		text    string
	}{
		{"an error", func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, errors.New("no such host")
		}, tool.Failed, "no such host"},
		{"an error without words", func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, errors.New("")
		}, tool.Failed, "(no output)"},
		{"a failed result", func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Text: "exit 3", Outcome: tool.Failed}, nil
		}, tool.Failed, "exit 3"},
		{"its own context.Canceled", func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("get: %w", context.Canceled)
		}, tool.Failed, "get: context canceled"},
		{"its own deadline", func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			ctx, cancel := context.WithTimeout(ctx, 0)
			defer cancel()
			return tool.Result{}, ctx.Err()
		}, tool.Failed, "context deadline exceeded"},
		{"a panic", func(context.Context, tool.Call) (tool.Result, error) { panic("index 7") }, tool.Panicked, "The tool panicked: index 7"},
		{"a panic of the runtime", func(context.Context, tool.Call) (tool.Result, error) {
			map[string]map[string]int{}["x"]["y"] = 1
			return tool.Result{}, nil
		}, tool.Panicked, "assignment to entry in nil map"},
		{"a panic with nil", func(context.Context, tool.Call) (tool.Result, error) { panic(nil) }, tool.Panicked, "The tool panicked: panic called with nil"},
		{"the end of its goroutine", func(context.Context, tool.Call) (tool.Result, error) {
			runtime.Goexit()
			return tool.Text("never"), nil
		}, tool.Panicked, "The tool panicked: it ended without returning"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ending := plain("x", tool.SideEffecting, c.run).Do(t.Context(), tool.Call{})
			require.Equal(t, c.outcome, ending.Result.Outcome)
			require.Contains(t, ending.Result.Text, c.text)
			require.Nil(t, ending.Signal)
		})
	}
}

// TOOL-28: an error's text reaches the model unchanged, up to the cap.
func TestErrorTexts(t *testing.T) {
	says := func(text string) string {
		failing := plain("x", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, errors.New(text)
		})
		failing.MaxText = 1000
		return failing.Do(t.Context(), tool.Call{}).Result.Text
	}
	short := "open \"a\\b\": <no> such file & none\n\tlike it"
	require.Equal(t, short, says(short))
	long := says("head " + strings.Repeat("x", 5000) + " tail")
	require.LessOrEqual(t, len(long), 1000)
	require.True(t, strings.HasPrefix(long, "head x") && strings.HasSuffix(long, "x tail"))
	require.Contains(t, long, "bytes left out")
}

// TOOL-32: one retry of a transient error, and only of what reads.
func TestTransient(t *testing.T) {
	require.NoError(t, tool.Transient(nil))
	for _, c := range []struct {
		access tool.Access
		err    error
		runs   int
	}{
		{tool.ReadOnly, tool.Transient(errors.New("reset")), 2},
		{tool.ReadOnly, fmt.Errorf("get: %w", tool.Transient(errors.New("reset"))), 2},
		{tool.ReadOnly, errors.New("reset"), 1},
		{tool.SideEffecting, tool.Transient(errors.New("reset")), 1},
	} {
		runs := 0
		flaky := plain("flaky", c.access, func(context.Context, tool.Call) (tool.Result, error) { runs++; return tool.Result{}, c.err })
		flaky.Repeatable = true
		ending := flaky.Do(t.Context(), tool.Call{})
		require.Equal(t, c.runs, runs)
		require.Equal(t, c.err.Error(), ending.Result.Text)
	}
	runs := 0
	passing := plain("passing", tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
		if runs++; runs == 1 {
			return tool.Result{}, tool.Transient(errors.New("reset"))
		}
		return tool.Text("got it"), nil
	})
	require.Equal(t, "got it", passing.Do(t.Context(), tool.Call{}).Result.Text)
}

type handOver struct{ to string }

func (handOver) Error() string { return "handed over" }
func (handOver) Signal()       {}

// A signal reaches who runs the call unharmed; a pause that can't be kept is an error.
func TestSignals(t *testing.T) {
	returning := func(err error) tool.Ending {
		return plain("x", tool.SideEffecting, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, err
		}).Do(t.Context(), tool.Call{})
	}
	pause := &tool.Pause{Question: "Which?", Choices: []string{"a", "b"}, Saved: json.RawMessage(`{"at":1}`)}
	require.Same(t, pause, returning(fmt.Errorf("wrapped: %w", pause)).Signal)
	require.Equal(t, handOver{"b"}, returning(handOver{"b"}).Signal)
	for _, bad := range []*tool.Pause{{}, {Question: "?", Saved: json.RawMessage(`{`)}} {
		ending := returning(bad)
		require.Nil(t, ending.Signal)
		require.Equal(t, tool.Failed, ending.Result.Outcome)
	}
}

// TOOL-E26: a call that goes on after an hour of waiting has its whole limit,
// and gets what it saved and the answer.
func TestWaitingCountsAgainstNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asking := tool.NewWithCall("asking", "", func(_ context.Context, call tool.Call, _ struct{}) (string, error) {
			if call.Answer == "" {
				return "", &tool.Pause{Question: "Go on?", Saved: json.RawMessage(`{"at":7}`)}
			}
			time.Sleep(59 * time.Second)
			return string(call.Saved) + call.Answer, nil
		})
		call := tool.Call{Arguments: json.RawMessage(`{}`)}
		pause, ok := asking.Do(t.Context(), call).Signal.(*tool.Pause)
		require.True(t, ok)
		time.Sleep(time.Hour)
		call.Saved, call.Answer = pause.Saved, "yes"
		require.Equal(t, `{"at":7}yes`, asking.Do(t.Context(), call).Result.Text)
	})
}

// TOOL-23: progress is shown while the call runs.
func TestProgress(t *testing.T) {
	var shown []string
	var after func(string)
	steps := tool.NewWithCall("steps", "", func(_ context.Context, call tool.Call, _ struct{}) (string, error) {
		call.Progress("one")
		call.Progress("two")
		after = call.Progress
		return "done", nil
	})
	call := tool.Call{Arguments: json.RawMessage(`{}`), Report: func(p string) { shown = append(shown, p) }}
	require.Equal(t, "done", steps.Do(t.Context(), call).Result.Text)
	after("late")
	tool.Call{}.Progress("nobody reads it")
	require.Equal(t, []string{"one", "two"}, shown)
}

// A call of a tool that is not registered is checked as far as its type goes.
func TestDoWithoutCheck(t *testing.T) {
	typed := tool.New("typed", "", func(_ context.Context, in struct{ N int }) (int, error) { return in.N, nil })
	require.Equal(t, "4", typed.Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"N":4}`)}).Result.Text)
	require.Equal(t, tool.BadArguments, typed.Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"N":"x"}`)}).Result.Outcome)
	require.Equal(t, tool.Failed, tool.Tool{}.Do(t.Context(), tool.Call{}).Result.Outcome)
}

// GEN-12: a reader that panics at a progress leaves no goroutine behind, and
// the panic goes its way.
func TestReportPanics(t *testing.T) {
	back := make(chan struct{})
	chatty := tool.Tool{Run: func(_ context.Context, call tool.Call) (tool.Result, error) {
		defer close(back)
		call.Report("half")
		call.Report("nearly")
		return tool.Text("done"), nil
	}}
	require.PanicsWithValue(t, "no more", func() {
		chatty.Do(t.Context(), tool.Call{Report: func(string) { panic("no more") }})
	})
	<-back
}
