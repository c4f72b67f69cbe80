package team_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// An order is of what is said to a run of a mode.
type orders struct {
	mu   sync.Mutex
	told []string // all user texts that a model was told
	n    int
}

// client is a model that calls look and save where the user says "first", and
// answers else. It takes a second.
func (w *orders) client() llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		w.mu.Lock()
		w.n++
		n := w.n
		for _, m := range req.Messages {
			if m.Role == llm.User {
				w.told = append(w.told, m.Text())
			}
		}
		w.mu.Unlock()
		last := req.Messages[len(req.Messages)-1]
		a := llmtest.Text("answer " + last.Text())
		if last.Role == llm.User && strings.Contains(last.Text(), "first") {
			a = llmtest.Calls(llmtest.Call(fmt.Sprint("k", n), "look", `{}`), llmtest.Call(fmt.Sprint("s", n), "save", `{"n":1}`))
		}
		return func(yield func(llm.Chunk, error) bool) {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
			a.Costing(10, 1).Stream(ctx, req)(yield)
		}
	})
}

func (w *orders) loop() *agent.Loop {
	wait := func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-time.After(time.Second):
			return "ok", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return &agent.Loop{Client: w.client(), Tools: tool.NewRegistry(
		tool.New("look", "Looks.", wait, tool.ReadOnly),
		tool.New("save", "Saves.", func(ctx context.Context, in struct {
			N int `json:"n"`
		}) (string, error) {
			return wait(ctx, struct{}{})
		}),
	), Policy: agent.AskForSideEffects}
}

// A pacer plans two tasks, and takes a second.
type pacer struct{ w *orders }

func (p pacer) Plan(ctx context.Context, b plan.Brief) (plan.Proposal, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return plan.Proposal{}, ctx.Err()
	}
	p.w.mu.Lock()
	p.w.told = append(p.w.told, b.Goal)
	p.w.mu.Unlock()
	what := "easy"
	if strings.HasSuffix(b.Goal, "first") {
		what = "first"
	}
	return plan.Proposal{Tasks: []plan.Task{
		{ID: fmt.Sprintf("task_%d", b.Given+1), Description: what}, {ID: fmt.Sprintf("task_%d", b.Given+2), Description: "easy too"},
	}}, nil
}

func (w *orders) workers() map[string]func() agent.Worker {
	loop := func() agent.Worker { return w.loop() }
	return map[string]func() agent.Worker{
		"loop": loop,
		"nested": func() agent.Worker {
			c := llmtest.Func(func(req llm.Request) llmtest.Answer {
				last := req.Messages[len(req.Messages)-1]
				w.mu.Lock()
				defer w.mu.Unlock()
				w.n++
				for _, m := range req.Messages {
					if m.Role == llm.User {
						w.told = append(w.told, m.Text())
					}
				}
				if last.Text() == "first" {
					return llmtest.Calls(llmtest.Call(fmt.Sprint("a", w.n), "sub", `{"task":"first"}`), llmtest.Call(fmt.Sprint("b", w.n), "sub", `{"task":"easy"}`))
				}
				return llmtest.Text("outer " + last.Text())
			})
			return &agent.Loop{Client: c, Tools: tool.NewRegistry(agent.AsTool(w.loop(), "sub", "Does.")), Unordered: true}
		},
		"plan": func() agent.Worker { return &plan.Executor{Planner: pacer{w}, Worker: w.loop()} },
		"team": func() agent.Worker {
			return &team.Orchestrator{Planner: pacer{w}, Workers: []agent.Worker{w.loop()}, Reviewer: team.NewReviewer(llmtest.ByHistory(llmtest.Text(`{"approved":true}`)))}
		},
		"reviewed": func() agent.Worker {
			return &team.Reviewed{Worker: w.loop(), Reviewer: team.NewReviewer(llmtest.ByHistory(llmtest.Text(`{"approved":true}`)))}
		},
		"router": func() agent.Worker {
			return &flow.Router{React: w.loop(), Classify: func(context.Context, string) (flow.Decision, error) {
				return flow.Decision{Mode: flow.React, Confidence: 1}, nil
			}}
		},
	}
}

// What is said and done to a run.
var ops = []string{"say", "then", "stop"}

// apply says and stops in order. It returns the last message, which must be told,
// or that the last word was a stop.
func apply(t *testing.T, run *agent.Run, seq []string) (want string, stopped bool) {
	for i, op := range seq {
		switch op {
		case "say":
			want = fmt.Sprintf("msg%d", i)
			require.NoError(t, run.Say(want))
		case "then":
			want = fmt.Sprintf("msg%d", i)
			require.NoError(t, run.Then(want))
		case "stop":
			want, stopped = "", true
			require.NoError(t, run.Stop("enough"))
		}
	}
	return want, stopped && want == ""
}

// sequences are all of up to three.
func sequences() (all [][]string) {
	for _, a := range ops {
		all = append(all, []string{a})
		for _, b := range ops {
			all = append(all, []string{a, b})
			for _, c := range ops {
				all = append(all, []string{a, b, c})
			}
		}
	}
	return all
}

func approving(t *testing.T, run *agent.Run, body func(agent.Event)) error {
	for e, err := range run.Events(t.Context()) {
		if errors.Is(err, agent.ErrEnded) {
			return nil
		}
		if err != nil {
			return err
		}
		body(e)
		if p, ok := e.(agent.Paused); ok {
			for _, q := range p.Questions {
				if err := run.Answer(q.ID, agent.Approve()); err != nil && !errors.Is(err, agent.ErrNoQuestion) && !errors.Is(err, agent.ErrStale) {
					return err
				}
			}
		}
	}
	return nil
}

func heeded(t *testing.T, name string, w *orders, run *agent.Run, want string, stopped bool) {
	res := run.Result()
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	var kinds []string
	for _, e := range log {
		kinds = append(kinds, e.Fact.Kind())
	}
	reason := agent.Completed
	if stopped {
		reason = agent.Canceled
	}
	require.Equal(t, reason, res.Reason, "%s: %v", name, kinds)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Contains(t, strings.Join(w.told, "|"), want, "%s: %v", name, kinds)
}

// AGT-E41, AGT-29, GEN-01: messages and stops in each order, at each event, in
// each mode: no message is lost, and the last word holds.
func TestOrders(t *testing.T) {
	for _, mode := range []string{"loop", "nested", "plan", "team", "reviewed", "router"} {
		for _, seq := range sequences() {
			for at := 1; at < 30; at++ {
				reached := false
				name := fmt.Sprint(mode, seq, at)
				synctest.Test(t, func(t *testing.T) {
					w := &orders{}
					run, err := w.workers()[mode]().Open(t.Context(), agent.Scope{}, "first")
					require.NoError(t, err)
					n, want, stopped := 0, "", false
					err = approving(t, run, func(agent.Event) {
						if n++; n == at {
							reached = true
							if !run.Result().Ended() {
								want, stopped = apply(t, run, seq)
							} else {
								reached = false
							}
						}
					})
					require.NoError(t, err, name)
					heeded(t, name, w, run, want, stopped)
				})
				if !reached || t.Failed() {
					break
				}
			}
		}
	}
}
