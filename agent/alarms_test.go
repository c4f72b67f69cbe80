package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// TOOL-E19, TOOL-12: a turn's time that is up while the loop body has the last of
// its results is over with that turn: the calls of the next one run.
func TestTurnAlarmRingsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &agent.Loop{
			Client: llmtest.ByHistory(
				llmtest.Calls(llmtest.Call("k1", "look", `{"n":1}`), llmtest.Call("k2", "look", `{"n":2}`)),
				llmtest.Call("k3", "look", `{"n":3}`), llmtest.Text("done")),
			Tools: tool.NewRegistry(scripted("look read seen")), TurnLimit: time.Second,
		}
		run, ends := open(t, l, "go"), 0
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			require.NotEqual(t, "time_up", event.Kind())
			if end, ok := event.(agent.CallEnded); ok {
				require.Equal(t, tool.OK, end.Result.Outcome)
				if ends++; ends == 2 {
					time.Sleep(time.Minute)
				}
			}
		}
		require.Equal(t, 3, ends)
	})
}

// AGT-12: nothing comes after the end, also where the run's time is up
// while the loop body has the stop.
func TestRunAlarmRingsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("done"))}
		l.Budget.Time = budget.Max(time.Second)
		run := open(t, l, "go")
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := event.(agent.Stopped); ok {
				time.Sleep(time.Minute)
			}
		}
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		require.Equal(t, "stopped", log[len(log)-1].Fact.Kind())
		require.Equal(t, agent.Completed, run.Result().Reason)
	})
}

// AGT-12, SES-13: a log in which time was up opens also with a recipe that has no
// limit of time any more.
func TestTimeLimitTakenAway(t *testing.T) {
	store := memory()
	scope := agent.Scope{Journal: store, ID: "run"}
	l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("done"))}
	s := agent.Fold().With(agent.Said{Text: "go", Prompt: true}, agent.TimeUp{Run: true})
	stop, ok := l.Next(s).(agent.Stop)
	require.True(t, ok)
	require.Equal(t, agent.TimedOut, stop.Reason)
	_, err := l.Open(t.Context(), scope, "go")
	require.NoError(t, err)
}

// GEN-07: a grant of more than can be counted is as much as can be counted.
func TestGrantTooMuch(t *testing.T) {
	l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("a"), llmtest.Text("b"))}
	l.Budget.Time = budget.Max(time.Hour)
	run := open(t, l, "go")
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	most, long := int(^uint(0)>>1), time.Duration(1<<63-1)
	require.NoError(t, run.Grant(agent.Granted{Tokens: &most, Turns: &most, Calls: &most, Time: &long}))
	require.NoError(t, run.Say("more"))
	require.NoError(t, run.Grant(agent.Granted{Tokens: &most, Turns: &most, Calls: &most, Time: &long}))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
}

// within is a mode with one job, that a worker does under a limit of its time.
type limited struct {
	worker agent.Worker
	limit  time.Duration
	result *agent.Result
	said   bool
	ended  bool
}

func (m *limited) Kinds(kind string) agent.Decoder {
	if kind == (agent.Noted{}).Kind() {
		return agent.Decode[agent.Noted]
	}
	return nil
}

func (m *limited) Fold(e agent.Entry) {
	switch e.Fact.(type) {
	case agent.Noted:
		m.said = true
	case agent.Stopped:
		m.ended = true
	}
}

func (m *limited) Work(agent.Scope) agent.Work {
	if m.said || m.ended {
		return agent.Work{Stop: &agent.Stopped{Reason: agent.Completed}}
	}
	return agent.Work{Jobs: []agent.Job{{Key: "job", Do: func(context.Context, agent.Port) (agent.Fact, error) {
		return nil, &agent.Delegate{Worker: m.worker, Prompts: []string{"go"}, Limit: m.limit, End: func(r agent.Result) agent.Fact {
			m.result = &r
			return agent.Noted{}
		}}
	}}}}
}

func (m *limited) Result() agent.Result {
	if m.ended {
		return agent.Result{Reason: agent.Completed}
	}
	return agent.Result{}
}

// AGT-12, AGT-59, TOOL-E26: a limit that the run above gives counts the active
// time of the run within, once; a person who thinks, in the loop body or for
// days, uses none of it.
func TestLimitFromAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := scripted("slow read done")
		slow.Limit = tool.Unlimited
		slow.Run = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			select {
			case <-time.After(4 * time.Minute):
				return tool.Text("done"), nil
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
		}
		worker := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`), llmtest.Call("k2", "save", `{}`), llmtest.Call("k3", "slow", `{}`), llmtest.Text("done")),
			Tools:  tool.NewRegistry(slow, scripted("save write saved")), Policy: agent.AskForSideEffects,
		}
		for limit, want := range map[time.Duration]agent.Reason{10 * time.Minute: agent.Completed, 7 * time.Minute: agent.TimedOut} {
			m := &limited{worker: worker, limit: limit}
			run, err := agent.NewRun(t.Context(), m, agent.Scope{}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, nil)) // it asks
			time.Sleep(24 * time.Hour)
			require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) {
				time.Sleep(time.Hour)
				return agent.Approve(), true
			}))
			require.Equal(t, want, m.result.Reason)
			if want == agent.Completed {
				require.Equal(t, 8*time.Minute, m.result.Spent.Time.Round(time.Second))
			} else {
				require.InDelta(t, limit.Seconds(), m.result.Limit.Used, 1)
			}
		}
	})
}

// A panic of the loop body leaves the gate, which others wait at.
func TestGateAfterPanic(t *testing.T) {
	busy := scripted("busy write done")
	busy.Run = func(_ context.Context, call tool.Call) (tool.Result, error) {
		call.Progress("half")
		return tool.Text("done"), nil
	}
	l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Call("k1", "busy", `{}`), llmtest.Text("done")), Tools: tool.NewRegistry(busy)}
	gate := agent.NewGate()
	run, err := l.Open(t.Context(), agent.Scope{Gate: gate}, "go")
	require.NoError(t, err)
	require.Panics(t, func() {
		for event := range run.Events(t.Context()) {
			if _, ok := event.(agent.Progress); ok {
				panic("the body's own")
			}
		}
	})
	other, err := l.Open(t.Context(), agent.Scope{Gate: gate}, "go")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), other, nil))
	require.Equal(t, agent.Completed, other.Result().Reason)
}

// A choice that nobody could see is none.
func TestAskHumanBlankChoice(t *testing.T) {
	ask := tool.NewRegistry(agent.AskHuman()).List()
	found, _ := ask.Find("ask_human")
	end := found.Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"question":"which?","form":"choice","choices":[" ","x"]}`)})
	require.Nil(t, end.Signal)
	require.Contains(t, end.Result.Text, "blank")
}

// GEN-07: what can't be counted, or is wanted and missing, is refused at the door.
func TestRecipeFaults(t *testing.T) {
	var wrong *agent.ConfigError
	client := llmtest.Script()
	for field, l := range map[string]*agent.Loop{
		"Memory":   {Client: client, Memory: &agent.Memory{MaxTokens: -1}},
		"Verifier": {Client: client, Feedback: true},
		"Budget":   {Client: client, Budget: budget.Budget{Prices: budget.Prices{"m": {Input: -1}}}},
	} {
		require.ErrorAs(t, l.Validate(), &wrong)
		require.Equal(t, field, wrong.Field)
	}
	for _, b := range []budget.Budget{{Turns: budget.Max(-1)}, {Cost: budget.Max(1.0)}} {
		_, err := (&agent.Loop{Client: client}).Open(t.Context(), agent.Scope{Pool: &budget.Pool{Budget: b}}, "go")
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "Pool", wrong.Field)
	}
	var unpriced *budget.UnpricedError
	_, err := (&agent.Loop{Client: client}).Open(t.Context(), agent.Scope{Pool: &budget.Pool{Budget: budget.Budget{Cost: budget.Max(1.0)}}}, "go")
	require.True(t, errors.As(err, &unpriced))
}

// A mode that works on text refuses images, and does not lose them.
func TestNoImages(t *testing.T) {
	run, err := agent.NewRun(t.Context(), &limited{}, agent.Scope{}, "go")
	require.NoError(t, err)
	require.ErrorIs(t, run.SayParts(llm.Text("see"), llm.Image{MediaType: "image/png", Data: []byte("png")}), agent.ErrNoImages)
}
