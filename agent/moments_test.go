package agent_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// moments is how many moments of a run the tests below try to hit.
const moments = 400

// at lets others run for a while that grows from try to try, and then acts.
func at(wg *sync.WaitGroup, try int, act func()) {
	wg.Go(func() {
		for range try % 40 {
			runtime.Gosched()
		}
		act()
	})
}

// AGT-E41, GEN-01: a message that comes at the moment of the end is told.
func TestSayAtTheEnd(t *testing.T) {
	for try := range moments {
		var wg sync.WaitGroup
		run := open(t, &agent.Loop{Client: llmtest.Text("done"), TellAll: true}, "go")
		said := false
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := event.(agent.Replied); ok && !said {
				said = true
				at(&wg, try, func() { _ = run.Say("more") })
			}
		}
		wg.Wait()
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		heard, told := 0, 0
		for _, e := range log {
			switch f := e.Fact.(type) {
			case agent.Said:
				heard++
			case agent.Replied:
				told += f.Told
			}
		}
		require.Equal(t, heard, told, "try %d", try)
	}
}

// AGT-29, AGT-13: a stop, whenever it comes, ends in Stopped and in no error.
func TestStopAtEachMoment(t *testing.T) {
	for try := range moments {
		var wg sync.WaitGroup
		l := &agent.Loop{Client: llmtest.Call("", "look", `{}`), Tools: tool.NewRegistry(scripted("look read seen"))}
		l.Budget.Stall.Off = true
		run, began := open(t, l, "go"), false
		for _, err := range run.Events(t.Context()) {
			require.NoError(t, err, "try %d", try)
			if !began {
				began = true
				at(&wg, try, func() { _ = run.Stop("enough") })
			}
		}
		wg.Wait()
		require.Equal(t, agent.Canceled, run.Result().Reason)
	}
}

// SES-15: an answer, whenever it comes while the run within goes to sleep, is no
// error of the run above.
func TestAnswerAtEachMoment(t *testing.T) {
	for try := range moments {
		var wg sync.WaitGroup
		done := 0
		run := open(t, deep(1, &done), "go")
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err, "try %d", try)
			if in, ok := event.(agent.Inner); ok {
				if p, ok := in.Event.(agent.Paused); ok {
					at(&wg, try, func() { _ = run.Answer(in.Path+"/"+p.Questions[0].ID, agent.Approve()) })
				}
			}
		}
		wg.Wait()
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)
		require.Equal(t, 1, done)
	}
}

// AGT-E42, SES-E92: a call that was noted as started and never began is not cut
// off: however the loop body leaves then, at any depth, the next range makes it.
func TestNeverBegan(t *testing.T) {
	leave := map[string]func(cancel func()) bool{
		"break": func(func()) bool { return true },
		"panic": func(func()) bool { panic("the body's own") },
		"ctx":   func(cancel func()) bool { cancel(); return false },
	}
	for name, how := range leave {
		for levels := range 2 {
			t.Run(name, func(t *testing.T) {
				done := 0
				l := deep(levels, &done)
				run := open(t, l, "go")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				func() {
					defer func() { _ = recover() }()
					for event := range run.Events(ctx) {
						if p, ok := event.(agent.Paused); ok {
							_ = run.Answer(p.Questions[0].ID, agent.Approve())
						}
						if in, ok := event.(agent.Inner); ok {
							event = in.Event
						}
						if start, ok := event.(agent.CallStarted); ok && start.Name == "save" && how(cancel) {
							break
						}
					}
				}()
				require.Zero(t, done)
				require.NoError(t, agent.Drain(t.Context(), run, func(q agent.Question) (agent.Answer, bool) {
					require.NotEqual(t, agent.AboutOutcome, q.About)
					return agent.Approve(), true
				}))
				require.Equal(t, agent.Completed, run.Result().Reason)
				require.Equal(t, 1, done)
			})
		}
	}
}

// AGT-E42: the tool of a call that is alone is waited for, also when the loop
// body panics at its progress.
func TestPanicAtProgressWaits(t *testing.T) {
	back := false
	busy := scripted("busy read done")
	busy.Run = func(ctx context.Context, call tool.Call) (tool.Result, error) {
		call.Progress("half")
		<-ctx.Done()
		back = true
		return tool.Text("done"), nil
	}
	run := open(t, &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "busy", `{}`)), Tools: tool.NewRegistry(busy)}, "go")
	require.Panics(t, func() {
		for event := range run.Events(t.Context()) {
			if _, ok := event.(agent.Progress); ok {
				panic("the body's own")
			}
		}
	})
	require.True(t, back)
}

// AGT-11: more time that is granted in the loop body after the run's alarm rang is
// there.
func TestGrantAfterTheAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "look", `{}`), llmtest.Text("done")),
			Tools:  tool.NewRegistry(scripted("look read seen")),
		}
		l.Budget.Time = budget.Max(time.Minute)
		run := open(t, l, "go")
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if event.Kind() == "call_ended" {
				time.Sleep(2 * time.Minute)
				require.NoError(t, run.Grant(agent.Granted{Time: budget.Max(10 * time.Minute)}))
			}
		}
		require.Equal(t, agent.Completed, run.Result().Reason)
	})
}

// BUD-04: a call that will not run uses nothing up.
func TestDeniedCallIsNoCall(t *testing.T) {
	l := &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Call("k1", "save", `{}`),
			llmtest.Calls(llmtest.Call("k2", "save", `{}`), llmtest.Call("k3", "look", `{}`)), llmtest.Text("done")),
		Tools:  tool.NewRegistry(scripted("look read seen"), scripted("save write saved")),
		Policy: agent.AskForSideEffects, Budget: budget.Budget{Calls: budget.Max(1)},
	}
	run := open(t, l, "go")
	outcomes := []tool.Outcome{}
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		switch e := event.(type) {
		case agent.Paused:
			require.NoError(t, run.Answer(e.Questions[0].ID, agent.Deny("no")))
		case agent.CallEnded:
			outcomes = append(outcomes, e.Result.Outcome)
		}
	}
	require.Equal(t, []tool.Outcome{tool.Denied, tool.Denied, tool.OK}, outcomes)
}

// AGT-E41, B050: what is said after a stop is the next prompt, also where the stop
// is still on its way: the run stops, and goes on with that.
func TestSayAfterStop(t *testing.T) {
	busy := scripted("busy read done")
	busy.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}
	for _, kind := range []string{"said", "call_started", "progress", "replied", "stop_asked", "stopped"} {
		t.Run(kind, func(t *testing.T) {
			talk := busy
			if kind == "progress" {
				talk.Run = func(ctx context.Context, c tool.Call) (tool.Result, error) {
					c.Progress("half")
					<-ctx.Done()
					return tool.Result{}, ctx.Err()
				}
			}
			client := llmtest.Strict(llmtest.ByHistory(llmtest.Call("k1", "busy", `{}`), llmtest.Text("done")))
			run, once := open(t, &agent.Loop{Client: client, Tools: tool.NewRegistry(talk)}, "go"), false
			if kind == "stopped" {
				require.NoError(t, run.Stop("enough"))
			}
			var kinds []string
			for event, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				kinds = append(kinds, event.Kind())
				if kind == "stop_asked" && event.Kind() == "said" && !once {
					require.NoError(t, run.Stop("enough"))
				}
				if event.Kind() == kind && !once {
					once = true
					require.NoError(t, run.Stop("enough"))
					require.NoError(t, run.Say("do this instead"))
				}
				if event.Kind() == "call_started" && kind != "call_started" && kind != "progress" {
					require.NoError(t, run.Stop("enough")) // of the next prompt
				}
			}
			require.True(t, once)
			require.Contains(t, kinds, "stopped")
			log, err := run.Log(t.Context())
			require.NoError(t, err)
			told := 0
			for _, e := range log {
				if f, ok := e.Fact.(agent.Replied); ok {
					told += f.Told
				}
			}
			require.Equal(t, 2, told, kinds)
			require.True(t, run.Result().Ended())
		})
	}
}

// BUD-E48: a bound of cost is granted only where there are prices.
func TestGrantOfCost(t *testing.T) {
	run := open(t, &agent.Loop{Client: llmtest.Text("a")}, "go")
	var unpriced *budget.UnpricedError
	require.ErrorAs(t, run.Grant(agent.Granted{Cost: budget.Max(1.0)}), &unpriced)
}

// AGT-59: a tool's own hand-over has the limit that it names.
func TestToolsDelegateHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := scripted("slow read done")
		slow.Limit = tool.Unlimited
		slow.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}
		child := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`)), Tools: tool.NewRegistry(slow)}
		hand := scripted("hand read over")
		hand.Limit = tool.Unlimited
		hand.Run = func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, &agent.Delegate{Worker: child, Prompts: []string{"go"}, Limit: time.Minute}
		}
		run, began := open(t, &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "hand", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(hand)}, "go"), time.Now()
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if end, ok := event.(agent.CallEnded); ok {
				require.Contains(t, end.Result.Text, string(agent.TimedOut))
			}
		}
		require.Equal(t, time.Minute, time.Since(began).Round(time.Second))
	})
}
