package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

func text(s string) llmtest.Answer {
	a := llmtest.Text(s)
	a.Reply.Usage = llm.Usage{Input: 10, Output: 1}
	return a
}

// echo is a loop that says its name and what it was told last.
func echo(name string) *agent.Loop {
	return &agent.Loop{Client: llmtest.Strict(llmtest.Func(func(req llm.Request) llmtest.Answer {
		return text(name + ": " + req.Messages[len(req.Messages)-1].Text())
	}))}
}

func words(prompt string) (d flow.Decision, err error) {
	d = flow.Decision{Mode: flow.React, Confidence: 0.9, Reason: "words", Spent: budget.Spent{Turns: 1, Main: llm.Usage{Input: 5}}}
	d.MultiStep, d.Parallel = strings.Contains(prompt, "steps"), strings.Contains(prompt, "parts")
	if strings.Contains(prompt, "broken") {
		err = errDown
	}
	return d, err
}

var errDown = errors.New("down")

func router() *flow.Router {
	return &flow.Router{
		React: echo("react"), Plan: echo("plan"), Team: echo("team"),
		Classify: func(_ context.Context, prompt string) (flow.Decision, error) { return words(prompt) },
	}
}

func open(t *testing.T, w agent.Worker, scope agent.Scope, prompts ...string) *agent.Run {
	t.Helper()
	run, err := w.Open(t.Context(), scope, prompts...)
	require.NoError(t, err)
	return run
}

func drain(t *testing.T, run *agent.Run) agent.Result {
	t.Helper()
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	return run.Result()
}

func do(t *testing.T, w agent.Worker, prompt string) agent.Result {
	t.Helper()
	result, err := agent.Do(t.Context(), w, prompt)
	require.NoError(t, err)
	return result
}

func routes(t *testing.T, run *agent.Run) (modes []string) {
	t.Helper()
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		if f, ok := e.Fact.(flow.Routed); ok {
			modes = append(modes, string(f.Mode))
		}
	}
	return modes
}

// AGT-49, TEAM-16: the decision picks who works; a mode that is not there is
// done by the next simpler one; spend is counted once.
func TestRouter(t *testing.T) {
	for prompt, want := range map[string]string{"hello": "react: hello", "steps": "plan: steps", "parts": "team: parts"} {
		r := do(t, router(), prompt)
		require.Equal(t, agent.Completed, r.Reason)
		require.Equal(t, want, r.Text)
		require.Equal(t, llm.Usage{Input: 15, Output: 1}, r.Spent.Usage())
	}
	r := router()
	r.Team = nil
	require.Equal(t, "plan: parts", do(t, r, "parts").Text)
	r.Plan = nil
	require.Equal(t, "react: parts", do(t, r, "parts").Text)
	r = router()
	r.Classify = nil
	require.Equal(t, "react: parts and steps", do(t, r, "parts and steps").Text)
	_, err := (&flow.Router{}).Open(t.Context(), agent.Scope{}, "x")
	fault, ok := errors.AsType[*agent.ConfigError](err)
	require.True(t, ok)
	require.Equal(t, "React", fault.Field)
}

// AGT-50, AGT-49: the user's word comes before the classifier's, for one run.
func TestRouterSession(t *testing.T) {
	var s flow.Session
	r := router()
	r.Choice = s.Choice
	s.Choose(flow.Plan)
	run := open(t, r, agent.Scope{}, "hello")
	require.Equal(t, "plan: hello", drain(t, run).Text)
	require.Equal(t, flow.React, s.Mode())
	require.NoError(t, run.Say("again"))
	require.Equal(t, []string{"plan", "react"}, func() []string { drain(t, run); return routes(t, run) }())
	require.Equal(t, 2, run.Result().Turns)

	r.Team = nil
	s.Choose(flow.Team)
	_, err := agent.Do(t.Context(), r, "x")
	require.ErrorContains(t, err, `chose the mode "team", which is not there`)
}

// React goes on with its own history from prompt to prompt and hears what
// others did since; a plan hears what came before it.
func TestRouterConversation(t *testing.T) {
	react := llmtest.Script(text("one"), text("three"), text("four"))
	r := router()
	r.React = &agent.Loop{Client: llmtest.Strict(react)}
	run := open(t, r, agent.Scope{Journal: &journal.Memory{}, ID: "r"}, "first")
	require.Equal(t, "one", drain(t, run).Text)
	require.NoError(t, run.Say("then steps"))
	told := drain(t, run).Text
	require.Equal(t, "plan: Earlier in this conversation the user said:\nfirst\nand the answer was:\none\n\nNow the user says:\nthen steps", told)
	require.NoError(t, run.Say("third"))
	require.Equal(t, "three", drain(t, run).Text)
	require.NoError(t, run.Say("fourth"))
	result := drain(t, run)
	require.Equal(t, "four", result.Text)
	require.Equal(t, llm.Usage{Input: 4*10 + 4*5, Output: 4}, result.Spent.Usage(), "react's log is counted once")

	requests := react.Requests()
	require.Len(t, requests[2].Messages, 5)
	require.Equal(t, "first", requests[2].Messages[0].Text())
	require.Equal(t, "(Meanwhile a plan has done this for the user: then steps\nIts answer: "+told+")\n\nthird", requests[2].Messages[2].Text())
	require.Equal(t, "fourth", requests[2].Messages[4].Text())

	// What is said while a prompt is under way is the next one.
	run = open(t, router(), agent.Scope{}, "first")
	var ends []string
	for e, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if f, ok := e.(flow.Routed); ok && len(ends) == 0 && !strings.Contains(f.Prompt, "parts") {
			require.NoError(t, run.Say("parts"))
		}
		if _, ok := e.(agent.Stopped); ok {
			ends = append(ends, "stopped")
		}
	}
	require.Equal(t, []string{"react", "team"}, routes(t, run))
	require.Len(t, ends, 1)
	require.True(t, strings.HasSuffix(run.Result().Text, "parts"))
}

// asked has a planner that keeps what it was asked, and makes one task.
func asked(briefs *[]plan.Brief) *plan.Executor {
	return &plan.Executor{Worker: echo("worker"), Planner: plan.PlannerFunc(func(_ context.Context, b plan.Brief) (plan.Proposal, error) {
		*briefs = append(*briefs, b)
		return plan.Proposal{Tasks: []plan.Task{{ID: "1", Description: "do it"}}}, nil
	})}
}

func looking(answers ...llm.Client) (*agent.Loop, *llmtest.Client) {
	client := llmtest.Script(answers...)
	look := tool.New("look", "Looks.", func(context.Context, struct{}) (string, error) { return "12 modules", nil }, tool.ReadOnly)
	return &agent.Loop{Client: llmtest.Strict(client), Tools: tool.NewRegistry(look), Policy: agent.AskForSideEffects}, client
}

// AGT-49, AGT-57: escalation, alone in its turn and beside other calls: the run
// of react ends, and the planner's request holds its findings.
func TestEscalation(t *testing.T) {
	escalate := llmtest.Call("k2", "escalate_to_plan", `{"reason":"three steps"}`)
	for name, answers := range map[string][]llm.Client{
		"alone":  {llmtest.Call("k1", "look", `{}`), escalate},
		"beside": {llmtest.Calls(llmtest.Text("This is large."), llmtest.Call("k1", "look", `{}`), escalate)},
	} {
		t.Run(name, func(t *testing.T) {
			var briefs []plan.Brief
			react, client := looking(answers...)
			r := &flow.Router{React: react, Plan: asked(&briefs)}
			run := open(t, r, agent.Scope{}, "Move all modules.")
			result := drain(t, run)
			require.Equal(t, agent.Completed, result.Reason)
			require.Equal(t, []string{"react", "plan"}, routes(t, run))
			require.Len(t, client.Requests(), len(answers), "nothing is asked after it")
			require.Len(t, briefs, 1)
			require.True(t, strings.HasPrefix(briefs[0].Goal, "Move all modules.\n"))
			require.Contains(t, briefs[0].Goal, "three steps")
			require.Contains(t, briefs[0].Goal, "look: 12 modules")
			require.Equal(t, name == "beside", strings.Contains(briefs[0].Goal, "This is large."))
			require.Contains(t, result.Text, "worker: ")
		})
	}
}

// AGT-49: the tool is on offer where there is a plan to hand over to, beside the
// loop's own tools as they are at each moment. The loop itself does not change.
func TestEscalationOffer(t *testing.T) {
	offered := func(r *flow.Router, client *llmtest.Client) (names []string) {
		do(t, r, "x")
		for _, s := range client.Requests()[0].Tools {
			names = append(names, s.Name)
		}
		return names
	}
	var briefs []plan.Brief
	react, client := looking(text("x"))
	require.Equal(t, []string{"look", "escalate_to_plan"}, offered(&flow.Router{React: react, Plan: asked(&briefs)}, client))
	require.Equal(t, 1, react.Tools.List().Len())
	react, client = looking(text("x"))
	require.Equal(t, []string{"look"}, offered(&flow.Router{React: react}, client))
	react, client = looking(text("x"))
	require.Equal(t, []string{"look"}, offered(&flow.Router{React: react, Plan: asked(&briefs), NoEscalation: true}, client))

	// A call without a reason, and one that is refused, hand nothing over.
	react, _ = looking(llmtest.Call("k1", "escalate_to_plan", `{"reason":" "}`), text("I do it."))
	require.Equal(t, "I do it.", do(t, &flow.Router{React: react, Plan: asked(&briefs)}, "x").Text)
	react, _ = looking(llmtest.Call("k1", "escalate_to_plan", `{"reason":"r"}`), text("Then I do it."))
	react.Policy = func(tool.Tool, tool.Call) tool.Verdict { return tool.Refuse("no plans today") }
	require.Equal(t, "Then I do it.", do(t, &flow.Router{React: react, Plan: asked(&briefs)}, "x").Text)
	require.Empty(t, briefs)

	// Any other worker may offer the tool itself; its words can be replaced.
	own := flow.Escalate(flow.Texts{Escalate: "E", EscalateReason: "R", Escalated: "D"})
	require.Equal(t, "E", own.Description)
	require.Contains(t, string(own.Schema), `"R"`)
	loop := &agent.Loop{Client: llmtest.Script(llmtest.Call("k1", "escalate_to_plan", `{"reason":"mine"}`)), Tools: tool.NewRegistry(own)}
	do(t, &flow.Router{
		React: agent.WorkerFunc(loop.Open), Plan: asked(&briefs),
		Texts: flow.Texts{Handover: "{prompt}|{reason}|{findings}", NoFindings: "none"},
	}, "x")
	require.Equal(t, "x|mine|none", briefs[0].Goal)
}

// A long history of findings is bounded, the latest kept.
func TestEscalationBounded(t *testing.T) {
	var answers []llm.Client
	for i := range 12 {
		answers = append(answers, llmtest.Call(fmt.Sprint("c", i), "dump", fmt.Sprintf(`{"n":%d}`, i)))
	}
	answers = append(answers, llmtest.Call("k", "escalate_to_plan", `{"reason":"r"}`))
	dump := tool.New("dump", "Dumps.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (string, error) {
		return fmt.Sprintf("dump %d %s", in.N, strings.Repeat("é", 5000)), nil
	}, tool.ReadOnly)
	var briefs []plan.Brief
	do(t, &flow.Router{
		React: &agent.Loop{Client: llmtest.Script(answers...), Tools: tool.NewRegistry(dump)}, Plan: asked(&briefs),
	}, "x")
	require.Less(t, len([]rune(briefs[0].Goal)), 8*2100)
	require.Contains(t, briefs[0].Goal, "dump 11 ")
	require.Contains(t, briefs[0].Goal, "dump 4 ")
	require.NotContains(t, briefs[0].Goal, "dump 3 ")
}

// SES-10, AGT-49: a router that is cut off after any fact goes on in the mode
// that was chosen, and asks for nothing twice.
func TestRouterCut(t *testing.T) {
	build := func(briefs *[]plan.Brief, classified *int) *flow.Router {
		look := tool.New("look", "Looks.", func(context.Context, struct{}) (string, error) { return "12 modules", nil }, tool.ReadOnly)
		return &flow.Router{
			React: &agent.Loop{Tools: tool.NewRegistry(look), Client: llmtest.ByHistory(
				llmtest.Call("k1", "look", `{}`), llmtest.Call("k2", "escalate_to_plan", `{"reason":"three steps"}`), text("never"))},
			Plan: asked(briefs),
			Classify: func(context.Context, string) (flow.Decision, error) {
				*classified++
				return flow.Decision{Mode: flow.React, Confidence: 1}, nil
			},
		}
	}
	for cut := 1; ; cut++ {
		dir := t.TempDir()
		var briefs []plan.Brief
		classified, seen, whole := 0, 0, false
		for range 2 { // the second time to its end
			store, err := journal.Open(dir)
			require.NoError(t, err)
			run := open(t, build(&briefs, &classified), agent.Scope{Journal: store, ID: "r"}, "Move all.")
			for e, err := range run.Events(t.Context()) {
				require.NoError(t, err)
				in, inner := e.(agent.Inner)
				if inner {
					e = in.Event
				}
				if _, ok := e.(agent.Fact); ok {
					if seen++; seen == cut {
						break
					}
				}
			}
			if result := run.Result(); result.Ended() {
				require.Equal(t, agent.Completed, result.Reason)
				require.Equal(t, []string{"react", "plan"}, routes(t, run))
				whole = seen < cut
				break
			}
		}
		require.LessOrEqual(t, classified, 1+1, "cut %d", cut) // the fact may be the one that was cut
		require.Equal(t, 1, len(briefs), "cut %d", cut)
		require.Contains(t, briefs[0].Goal, "12 modules")
		if whole {
			return
		}
	}
}

// Questions come up with their path and are answered there; a stop reaches
// down; an error leaves the run as it is; a limit ends it as the mode ended.
func TestRouterEnds(t *testing.T) {
	sent := 0
	send := tool.New("send", "Sends.", func(context.Context, struct{}) (string, error) { sent++; return "sent", nil })
	asking := func() *flow.Router {
		return &flow.Router{React: &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("c", "send", `{}`), text("Mailed.")), Tools: tool.NewRegistry(send), Policy: agent.AskForSideEffects,
		}}
	}
	store := &journal.Memory{}
	scope := agent.Scope{Journal: store, ID: "r"}
	result := drain(t, open(t, asking(), scope, "Mail it."))
	require.Equal(t, agent.Waits, result.Reason)
	require.Equal(t, "react/1.1", result.Questions[0].ID)
	run := open(t, asking(), scope, "Mail it.")
	require.NoError(t, run.Answer("react/1.1", agent.Approve()))
	require.Equal(t, "Mailed.", drain(t, run).Text)
	require.Equal(t, 1, sent)

	run = open(t, asking(), agent.Scope{Journal: store, ID: "stopped"}, "Mail it.")
	drain(t, run)
	require.NoError(t, run.Say("and then this"))
	require.NoError(t, run.Stop("enough"))
	result = drain(t, run)
	require.Equal(t, "canceled enough", string(result.Reason)+" "+result.Detail)
	require.Equal(t, 1, sent)

	r := router()
	_, err := agent.Do(t.Context(), r, "broken")
	require.ErrorIs(t, err, errDown)

	r = router()
	r.React = &agent.Loop{Client: llmtest.Script(), Budget: budget.Budget{Turns: budget.Max(0)}, NoWrapUp: true}
	result = do(t, r, "x")
	require.Equal(t, agent.OverBudget, result.Reason)
	require.Equal(t, budget.Turns, result.Limit.Limit)
}

// BUD-E88: a classifier that panics gives back what was reserved for it.
func TestClassifierPanics(t *testing.T) {
	pool := &budget.Pool{Budget: budget.Budget{Turns: budget.Max(1)}}
	r := &flow.Router{
		React: &agent.Loop{Client: llmtest.Script()}, Plan: &agent.Loop{Client: llmtest.Script()},
		Classify: func(context.Context, string) (flow.Decision, error) { panic("no idea") },
	}
	run, err := r.Open(t.Context(), agent.Scope{Pool: pool}, "go")
	require.NoError(t, err)
	require.ErrorContains(t, agent.Drain(t.Context(), run, nil), "no idea")
	_, err = pool.Reserve(budget.Spent{Turns: 1})
	require.NoError(t, err)
}
