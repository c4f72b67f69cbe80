package agent_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

type iterEntries = iter.Seq2[journal.Entry, error]

type prompter func(agent.Occasion) string

func (p prompter) Prompt(_ context.Context, o agent.Occasion) (string, error) { return p(o), nil }

// MEM-02, PRM-06, PRM-05 (share): memory and prompt source are asked once for
// each message of the user, not once a turn; a text that has not changed is no
// second fact, and there is one copy of it.
func TestAskedOncePerPrompt(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{"n":1}`), llmtest.Call("k2", "look", `{"n":2}`), llmtest.Text("one"),
		llmtest.Call("k3", "look", `{"n":3}`), llmtest.Text("two"))
	var recalled, prompted []string
	l := &agent.Loop{
		Client: client, Tools: tool.NewRegistry(scripted("look read seen")),
		Memory: &agent.Memory{Recall: func(_ context.Context, prompt string) (string, error) {
			recalled = append(recalled, prompt)
			return strings.Repeat("é", 9000), nil
		}},
		Prompt: prompter(func(o agent.Occasion) string {
			prompted = append(prompted, o.Prompt)
			require.Equal(t, []string{"look"}, o.Tools)
			require.Len(t, []rune(o.Remember), 8000, "2,000 tokens")
			return "You remember " + o.Remember
		}),
	}
	run := open(t, l, "first")
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.NoError(t, run.Say("second"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, []string{"first", "second"}, recalled)
	require.Equal(t, recalled, prompted)
	for _, req := range client.Requests() {
		require.Equal(t, 1, strings.Count(req.System, "You remember"))
	}
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	instructed := 0
	for _, e := range log {
		if _, ok := e.Fact.(agent.Instructed); ok {
			instructed++
		}
	}
	require.Equal(t, 1, instructed)
}

// MEM-02, AGT-60: without a prompt source the memory's text follows the
// instructions; a run that is opened again asks anew.
func TestMemoryAlone(t *testing.T) {
	client, store, asked := llmtest.Script(llmtest.Text("one"), llmtest.Text("two")), memory(), 0
	l := &agent.Loop{Client: client, Instructions: "Be brief.", Memory: &agent.Memory{Recall: func(context.Context, string) (string, error) {
		asked++
		return "It rains.", nil
	}}}
	for i := range 2 {
		run, err := l.Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
		require.NoError(t, err)
		if i > 0 {
			require.NoError(t, run.Say("again"))
		}
		require.NoError(t, agent.Drain(t.Context(), run, nil))
	}
	require.Equal(t, 2, asked)
	require.Equal(t, "Be brief.\n\nIt rains.", client.Requests()[1].System)
}

// MEM-03: remember writes once through the caller's store, extract is called
// after Completed only, and by default there is no such tool.
func TestRememberAndExtract(t *testing.T) {
	var kept, extracted []string
	keep := func(_ context.Context, fact string) error { kept = append(kept, fact); return nil }
	client := llmtest.Script(llmtest.Call("k1", "remember", `{"fact":"The port is 4711."}`), llmtest.Text("done"))
	memory := &agent.Memory{Extract: func(_ context.Context, s agent.State) error {
		extracted = append(extracted, s.Result().Text)
		return nil
	}}
	res, err := agent.Do(t.Context(), &agent.Loop{Client: client, Tools: tool.NewRegistry(agent.Remember(keep)), Memory: memory}, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, []string{"The port is 4711."}, kept)
	require.Equal(t, []string{"done"}, extracted)

	client = llmtest.Script(llmtest.Text("no").Costing(1, 1))
	_, err = agent.Do(t.Context(), &agent.Loop{Client: client, Memory: memory, Verifier: agent.VerifierFunc(
		func(context.Context, agent.State) (agent.Verdict, error) { return agent.Verdict{}, nil })}, "go")
	require.NoError(t, err)
	require.Len(t, extracted, 1)
	require.Empty(t, client.Requests()[0].Tools)
}

// SES-22, SES-04, SES-07, SES-E95, SES-E96: what any process posts to a run is
// taken in once: before it starts, and within two seconds while it is under way.
// What does not fit any more changes nothing.
func TestMailbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory()
		l := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("k1", "slow", `{}`), llmtest.Text("heard"), llmtest.Text("again"), llmtest.Text("and again")),
			Tools:  tool.NewRegistry(scripted("slow write 5s done")),
		}
		scope := agent.Scope{Journal: store, ID: "run"}
		require.NoError(t, agent.Post(t.Context(), store, "run", "p1", agent.Said{Text: "posted before"}))
		require.NoError(t, agent.Post(t.Context(), store, "run", "p1", agent.Said{Text: "posted before"}))
		require.NoError(t, agent.Post(t.Context(), store, "run", "p2", agent.Answered{ID: "9.9", Answer: agent.Approve()}))
		require.Error(t, agent.Post(t.Context(), store, "run", "p9", agent.Stopped{}))
		run, err := l.Open(t.Context(), scope, "go")
		require.NoError(t, err)
		said := 0
		for event, err := range run.Events(t.Context()) {
			require.NoError(t, err)
			switch e := event.(type) {
			case agent.Said:
				said++
			case agent.CallStarted:
				require.NoError(t, agent.Post(t.Context(), store, "run", "", agent.StopAsked{Why: "posted"}))
				_ = e
			}
		}
		require.Equal(t, 2, said)
		require.Equal(t, agent.Canceled, run.Result().Reason)
		require.LessOrEqual(t, run.Result().Spent.Time, 3*time.Second)

		require.NoError(t, agent.Post(t.Context(), store, "run", "p4", agent.StopAsked{Why: "too late"}))
		require.NoError(t, agent.Post(t.Context(), store, "run", "p5", agent.Said{Text: "go on"}))
		run, err = l.Open(t.Context(), scope, "go")
		require.NoError(t, err)
		require.NoError(t, run.Say("and on")) // it is under way again before the posts are read
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason, "a stop does not hit a later run of the same log")
		posts, err := store.Posts(t.Context(), "run")
		require.NoError(t, err)
		require.Empty(t, posts)
	})
}
