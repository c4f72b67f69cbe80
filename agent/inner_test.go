package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// parent hands one task to child and answers.
func parent(child agent.Worker) (*agent.Loop, *llmtest.Client) {
	client := llmtest.ByHistory(llmtest.Call("k1", "child", `{"task":"help"}`), llmtest.Text("done"))
	return &agent.Loop{Client: client, Tools: tool.NewRegistry(agent.AsTool(child, "child", "Helps."))}, client
}

// handedUp runs parent over child and returns the result of the call.
func handedUp(t *testing.T, child agent.Worker) (llm.ToolResult, agent.Result) {
	l, client := parent(child)
	res, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, res.Reason)
	last := client.Requests()[1].Messages[2]
	return last.Results()[0], res
}

// AGT-59, B201, B202, B204, B205: what a run within hands up: its last text;
// an error result with the cause where it failed, with what it found, bounded;
// faults that were overcome do not show.
func TestHandedUp(t *testing.T) {
	look := tool.NewRegistry(scripted("look read first finding, second finding, third finding"), scripted("bad read fail: broken"))
	calls := []llm.Client{llmtest.Call("c1", "look", `{"n":1}`), llmtest.Call("c2", "look", `{"n":2}`), llmtest.Call("c3", "look", `{"n":3}`)}

	r, res := handedUp(t, &agent.Loop{Client: llmtest.Script(llmtest.Call("c1", "bad", `{}`), llmtest.Text("it works")), Tools: look})
	require.Equal(t, llm.ToolResult{CallID: "k1", Name: "child", Text: "it works"}, r, "a failed call that was overcome")
	require.Equal(t, 2, res.Turns, "the turns of the run within are its own")
	require.Greater(t, res.Spent.Tokens(), 60, "its tokens count")

	r, _ = handedUp(t, &agent.Loop{Client: llmtest.Fail(&llm.Error{Kind: llm.ErrAuth, Message: "no such key"})})
	require.True(t, r.Failed)
	require.Contains(t, r.Text, "no such key")

	r, _ = handedUp(t, &agent.Loop{Client: llmtest.Script(append(calls, llmtest.Fail(&llm.Error{Kind: llm.ErrAuth, Message: "gone"}))...), Tools: look})
	require.True(t, r.Failed)
	for _, text := range []string{"gone", "first finding", "second finding", "third finding", "incomplete"} {
		require.Contains(t, r.Text, text)
	}

	r, _ = handedUp(t, &agent.Loop{
		Client: llmtest.Script(calls...), Tools: look, NoWrapUp: true,
		Budget: budget.Budget{Turns: budget.Max(2)},
	})
	require.True(t, r.Failed)
	require.Contains(t, r.Text, "over_budget")
	require.Contains(t, r.Text, "turns: used 2 of 2")

	long := llmtest.Script(llmtest.Text(strings.Repeat("é", 50_000)))
	r, _ = handedUp(t, &agent.Loop{Client: long, Verifier: agent.VerifierFunc(func(context.Context, agent.State) (agent.Verdict, error) {
		return agent.Verdict{Why: "no"}, nil
	})})
	require.Contains(t, r.Text, "unverified")
	require.Less(t, len(r.Text), 20_000, "bounded")
}

// AGT-59, B099: two agents that hand work to each other for ever end, with a
// clear reason, and hand-overs count for the whole tree.
func TestHandovers(t *testing.T) {
	var loops [2]*agent.Loop
	for i := range loops {
		other := agent.WorkerFunc(func(ctx context.Context, s agent.Scope, prompts ...string) (*agent.Run, error) {
			return loops[1-i].Open(ctx, s, prompts...)
		})
		loops[i], _ = parent(other)
	}
	deepest, refused := 0, ""
	for event, err := range open(t, loops[0], "go").Events(t.Context()) {
		require.NoError(t, err)
		if in, ok := event.(agent.Inner); ok {
			deepest = max(deepest, strings.Count(in.Path, "/")+1)
			if e, ok := in.Event.(agent.CallEnded); ok && e.Result.Outcome == tool.Refused {
				refused = e.Result.Text
			}
		}
	}
	require.Equal(t, 5, deepest)
	require.Contains(t, refused, "too many agents")

	busy := &agent.Loop{Client: llmtest.ByHistory(llmtest.Text("ok"))}
	var calls []llmtest.Answer
	for i := range 25 {
		calls = append(calls, llmtest.Call(fmt.Sprint("k", i), "child", `{"task":"help"}`))
	}
	l := &agent.Loop{Client: llmtest.ByHistory(llmtest.Calls(calls...), llmtest.Text("done")), Tools: tool.NewRegistry(agent.AsTool(busy, "child", "Helps."))}
	outcomes := map[tool.Outcome]int{}
	for event, err := range open(t, l, "go").Events(t.Context()) {
		require.NoError(t, err)
		if e, ok := event.(agent.CallEnded); ok {
			outcomes[e.Result.Outcome]++
		}
	}
	require.Equal(t, map[tool.Outcome]int{tool.OK: 20, tool.Refused: 5}, outcomes)
}

// deep nests a gated call so many levels below the top.
func deep(levels int, done *int) *agent.Loop {
	save := scripted("save write saved")
	save.Run = func(context.Context, tool.Call) (tool.Result, error) { *done++; return tool.Text("saved"), nil }
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("s1", "save", `{"text":"x"}`), llmtest.Text("saved it")),
		Tools:  tool.NewRegistry(save), Policy: agent.AskForSideEffects,
	}
	for range levels {
		l, _ = parent(l)
	}
	return l
}

// SES-18, B161, B163, SES-24, B168: a question four levels down surfaces at the
// top with its path; it is stored before it is shown; its answer in another
// process reaches the call, which runs once; a level adds a constant.
func TestDeepQuestions(t *testing.T) {
	var sizes []int
	for levels := 1; levels <= 4; levels++ {
		done, store := 0, memory()
		l := deep(levels, &done)
		for range 2 {
			run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			if done == 0 && levels > 0 && len(sizes) == levels {
				require.NoError(t, run.Answer(strings.Repeat("1.1/", levels)+"1.1", agent.Approve()))
			}
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			if len(sizes) < levels {
				q := run.Result().Questions
				require.Len(t, q, 1)
				require.Equal(t, strings.Repeat("1.1/", levels)+"1.1", q[0].ID)
				require.Equal(t, agent.AboutCall, q[0].About)
				sizes = append(sizes, stored(t, store, levels))
				continue
			}
			require.Equal(t, agent.Completed, run.Result().Reason)
			require.Equal(t, 1, done)
		}
	}
	require.InDelta(t, sizes[1]-sizes[0], sizes[2]-sizes[1], 64)
	require.InDelta(t, sizes[2]-sizes[1], sizes[3]-sizes[2], 64)
}

// stored is the size of all logs of a tree, as JSON.
func stored(t *testing.T, store interface {
	Load(context.Context, string) iterEntries
}, levels int) (size int) {
	id := "run"
	for range levels + 1 {
		for e, err := range store.Load(t.Context(), id) {
			require.NoError(t, err)
			data, err := json.Marshal(e.Fact)
			require.NoError(t, err)
			size += len(data)
		}
		id += "/1.1"
	}
	return size
}

// SES-15, B155, B249, SES-E90: three gated calls of one tool get three different
// answers, and each is in force when Answer returns: a wrong one is told at once,
// also below. Their ids stay the same through store and load.
func TestAnswersInForce(t *testing.T) {
	store := memory()
	l := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "save", `{"n":1}`), llmtest.Call("k2", "save", `{"n":2}`), llmtest.Call("k3", "save", `{"n":3}`)), llmtest.Text("done")),
		Tools:  tool.NewRegistry(scripted("save write saved")), Policy: agent.AskForSideEffects,
	}
	var run *agent.Run
	for range 2 {
		var err error
		run, err = l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		var ids []string
		for _, q := range run.Result().Questions {
			ids = append(ids, q.ID)
		}
		require.Equal(t, []string{"1.1", "1.2", "1.3"}, ids)
	}
	answers := map[string]agent.Answer{"1.1": agent.Approve(), "1.2": agent.Deny("no"), "1.3": agent.ApproveWith(json.RawMessage(`{"n":4}`))}
	for id, a := range answers {
		require.NoError(t, run.Answer(id, a))
		require.NoError(t, run.Answer(id, a), "the same answer twice")
		require.ErrorIs(t, run.Answer(id, agent.Deny("else")), agent.ErrStale)
	}
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	require.Equal(t, "answered", log[len(log)-1].Fact.Kind(), "it is in the journal")
	outcomes := map[string]tool.Outcome{}
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if e, ok := event.(agent.CallEnded); ok {
			outcomes[e.Call] = e.Result.Outcome
		}
	}
	require.Equal(t, map[string]tool.Outcome{"1.1": tool.OK, "1.2": tool.Denied, "1.3": tool.OK}, outcomes)

	done := 0
	run = open(t, deep(1, &done), "go")
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		if _, ok := event.(agent.Paused); ok && done == 0 {
			require.ErrorIs(t, run.Answer("1.1/9.9", agent.Approve()), agent.ErrNoQuestion)
			require.ErrorIs(t, run.Answer("1.1/1.1", agent.Words("hm")), agent.ErrUnfit)
			require.NoError(t, run.Answer("1.1/1.1", agent.Approve()))
			require.ErrorIs(t, run.Answer("1.1/1.1", agent.Deny("no")), agent.ErrStale)
		}
	}
	require.Equal(t, 1, done)
}

// B177, SES-E90: between pause and resume the gated tool was removed, or takes
// other arguments now: a clear result for that call alone.
func TestToolGoneWhilePaused(t *testing.T) {
	for name, now := range map[string][]tool.Tool{
		"removed": {scripted("send write sent")},
		"changed": {scripted("send write sent"), func() tool.Tool {
			s := scripted("save write saved")
			s.Schema = json.RawMessage(`{"type":"object","required":["where"]}`)
			return s
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory()
			client := llmtest.ByHistory(llmtest.Calls(llmtest.Call("k1", "save", `{}`), llmtest.Call("k2", "send", `{}`)), llmtest.Text("done"))
			l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("save write saved"), scripted("send write sent")), Policy: agent.AskForSideEffects}
			run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			l.Tools = tool.NewRegistry(now...)
			run, err = l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, func(agent.Question) (agent.Answer, bool) { return agent.Approve(), true }))
			results := client.Requests()[1].Messages[2].Results()
			require.True(t, results[0].Failed)
			require.Equal(t, "sent", results[1].Text)
		})
	}
}

// B116, AGT-29: a person stops the parent while a child is between two of its
// calls: the child's record says canceled and why, the parent's call has a result.
func TestStopReachesDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory()
		child := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("c1", "slow", `{}`), llmtest.Text("done")),
			Tools:  tool.NewRegistry(scripted("slow write 3s done")),
		}
		l, _ := parent(child)
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		time.AfterFunc(time.Second, func() { _ = run.Stop("enough") })
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Canceled, run.Result().Reason)
		inner, err := child.Open(t.Context(), agent.Scope{Journal: store, ID: "run/1.1"})
		require.NoError(t, err)
		require.Equal(t, agent.Canceled, inner.Result().Reason)
		require.Equal(t, "enough", inner.Result().Detail)
		var state agent.State
		log, err := run.Log(t.Context())
		require.NoError(t, err)
		state = agent.Fold(log...)
		require.NoError(t, llmtest.Validate(llm.Request{Messages: l.History(state)}))
	})
}

// B127, AGT-55 (share), BUD-07: every token is in the total, under its own label.
func TestSpendByLabel(t *testing.T) {
	wasted := &llm.Error{Kind: llm.ErrUnavailable, Usage: llm.Usage{Input: 100, Output: 1}}
	client := llmtest.Script(
		llmtest.Answer{Chunks: []llm.Chunk{llm.RetryNotice{Attempt: 1, Cause: wasted}}, Reply: llm.Reply{
			Message: llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.ToolCall{ID: "k1", Name: "look", Arguments: "{}"}}},
			Finish:  llm.FinishCalls, Usage: llm.Usage{Input: 10, Output: 2},
		}},
		llmtest.Text("what is done").Costing(20, 3))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen")), Budget: budget.Budget{Turns: budget.Max(1)}}
	res, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	require.Equal(t, llm.Usage{Input: 10, Output: 2}, res.Spent.Main)
	require.Equal(t, wasted.Usage, res.Spent.Retry)
	require.Equal(t, llm.Usage{Input: 20, Output: 3}, res.Spent.WrapUp)
	require.Equal(t, 136, res.Spent.Tokens())
}

// AGT-28: a wrap-up that fails leaves what was found, and says so.
func TestWrapUpFails(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{}`), llmtest.Fail(errors.New("no more")))
	l := &agent.Loop{Client: client, Tools: tool.NewRegistry(scripted("look read seen")), Budget: budget.Budget{Turns: budget.Max(1)}}
	res, err := agent.Do(t.Context(), l, "go")
	require.NoError(t, err)
	require.Equal(t, agent.OverBudget, res.Reason)
	require.True(t, res.Partial)
	require.Contains(t, res.Detail, "no more")
	require.Equal(t, []string{"look: seen"}, res.Findings)
}

// AGT-56: a verifier may be an agent of its own; its request holds nothing of
// the author's history but what it is given.
func TestVerifierAgent(t *testing.T) {
	critic := llmtest.Script(llmtest.Text("PASS"))
	l := &agent.Loop{Client: llmtest.Script(llmtest.Text("I did it")), Verifier: agent.VerifierFunc(
		func(ctx context.Context, s agent.State) (agent.Verdict, error) {
			res, err := agent.Do(ctx, &agent.Loop{Client: critic, Instructions: "Use the product."}, "Does it start?")
			return agent.Verdict{Pass: res.Text == "PASS"}, err
		})}
	res, err := agent.Do(t.Context(), l, "Build it.")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, []llm.Message{llm.UserText("Does it start?")}, critic.Requests()[0].Messages)
}
