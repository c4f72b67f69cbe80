package flow_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// asking is a react that asks a person about the prompt "first".
func asking() *agent.Loop {
	ask := tool.Tool{Spec: llm.Spec{Name: "ask"}, Run: func(ctx context.Context, call tool.Call) (tool.Result, error) {
		if call.Answer != "" {
			return tool.Text(call.Answer), nil
		}
		return tool.Result{}, &tool.Pause{Question: "who?"}
	}}
	return &agent.Loop{Client: llmtest.Strict(llmtest.Func(func(req llm.Request) llmtest.Answer {
		last := req.Messages[len(req.Messages)-1]
		if last.Text() == "first" {
			return llmtest.Call("k", "ask", `{}`)
		}
		return text("react: " + last.Text())
	})), Tools: tool.NewRegistry(ask)}
}

// AGT-29, SES-18: react waits for an answer; the run is stopped; then there is a new prompt.
func TestRouterParkedStop(t *testing.T) {
	for _, inside := range []bool{true, false} {
		r := &flow.Router{React: asking(), Classify: func(_ context.Context, prompt string) (flow.Decision, error) { return words(prompt) }}
		run := open(t, r, agent.Scope{}, "first")
		for e, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := e.(agent.Paused); ok && inside {
				require.NoError(t, run.Stop("enough"))
			}
		}
		if !inside {
			require.NoError(t, run.Stop("enough"))
			drain(t, run)
		}
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.NoError(t, run.Say("second"))
		res := drain(t, run)
		require.Equal(t, agent.Completed, res.Reason, "%v %v", inside, res)
		require.Equal(t, "react: second", res.Text)
	}
}

// AGT-E41: what is said after a stop are the next prompts.
func TestRouterStopSay(t *testing.T) {
	for _, what := range []string{"say", "say stop", "say say"} {
		r := &flow.Router{React: asking(), Classify: func(_ context.Context, prompt string) (flow.Decision, error) { return words(prompt) }}
		run := open(t, r, agent.Scope{}, "first")
		n := 0
		for e, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			if _, ok := e.(agent.Paused); ok && n == 0 {
				n++
				require.NoError(t, run.Stop("enough"))
				require.NoError(t, run.Say("second"))
				switch what {
				case "say stop":
					require.NoError(t, run.Stop("enough"))
				case "say say":
					require.NoError(t, run.Say("third"))
				}
			}
		}
		switch what {
		case "say":
			require.Equal(t, "react: second", run.Result().Text)
		case "say say":
			require.Equal(t, "react: third", run.Result().Text)
		default:
			require.Equal(t, agent.Canceled, run.Result().Reason)
			require.NoError(t, run.Say("fourth"))
			require.Equal(t, "react: fourth", drain(t, run).Text)
		}
	}
}

// BUD-07: react goes on from prompt to prompt, and counts once.
func TestRouterPoolOnce(t *testing.T) {
	r := &flow.Router{React: asking(), Classify: func(_ context.Context, prompt string) (flow.Decision, error) { return words(prompt) }}
	store := &journal.Memory{}
	first := &budget.Pool{}
	drain(t, open(t, r, agent.Scope{Journal: store, ID: "run", Pool: first}, "one"))
	pool := &budget.Pool{}
	run := open(t, r, agent.Scope{Journal: store, ID: "run", Pool: pool}, "one", "two")
	res := drain(t, run)
	require.Equal(t, res.Spent.Tokens(), pool.Spent().Tokens())
}
