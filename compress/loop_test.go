package compress_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A model is a client with a window of its own: it refuses what does not fit,
// checks all it is told, reports what it counts and writes good summaries.
type model struct {
	window int
	real   int // the window in truth, where that is another
	silent bool
	next   func(turn int, req llm.Request) llmtest.Answer
	sum    func(req llm.Request) llmtest.Answer // writes summaries; nil writes a good one

	mu        sync.Mutex
	turn      int
	requests  []llm.Request // for turns
	summaries []llm.Request
	refused   int
	faults    []error
}

func (m *model) Dialect() llm.Dialect { return llm.Dialect{Name: "m", Window: m.window} }

func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return m.answer(req).Stream(ctx, req)
}

func (m *model) answer(req llm.Request) llmtest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := llmtest.Validate(req); err != nil {
		m.faults = append(m.faults, err)
	}
	n, real := compress.Count(nil, req, m.Dialect()), m.real
	if real == 0 {
		real = m.window
	}
	if n > real {
		m.refused++
		return llmtest.Fail(&llm.Error{Kind: llm.ErrContextLength, Message: "too long"})
	}
	if forSummary(req) {
		m.summaries = append(m.summaries, req)
		if m.sum != nil {
			return m.sum(req)
		}
		return llmtest.Text(summaryOf("work")).Costing(n, 100)
	}
	m.requests = append(m.requests, req)
	m.turn++
	a := m.next(m.turn, req)
	if a.Reply.Usage == (llm.Usage{}) && !m.silent {
		a = a.Costing(n, compress.Count(nil, llm.Request{Messages: []llm.Message{a.Reply.Message}}, m.Dialect()))
	}
	return a
}

func forSummary(req llm.Request) bool {
	last := req.Messages[len(req.Messages)-1].Text()
	return strings.Contains(last, "## Decisions and conclusions") && strings.Contains(last, "four sections")
}

func summaryOf(text string) string {
	return "## Goal and requests\n" + text + "\n## Done, with evidence\nSome.\n## Decisions and conclusions\nNone.\n## Open\nAll."
}

type lookIn struct {
	N int `json:"n"`
}

func look(chars func(n int) int) tool.Tool {
	return tool.New("look", "Looks.", func(_ context.Context, in lookIn) (string, error) {
		return fmt.Sprintf("%d:", in.N) + strings.Repeat("lorem ip", chars(in.N)/8+1)[:chars(in.N)], nil
	}, tool.ReadOnly)
}

func always(chars int) tool.Tool { return look(func(int) int { return chars }) }

func callLook(n int) llmtest.Answer {
	return llmtest.Call(fmt.Sprintf("c%d", n), "look", fmt.Sprintf(`{"n":%d}`, n))
}

// working calls look for so many turns, then answers.
func working(turns int) func(int, llm.Request) llmtest.Answer {
	return func(turn int, _ llm.Request) llmtest.Answer {
		if turn > turns {
			return llmtest.Text("done")
		}
		return callLook(turn)
	}
}

func events(t *testing.T, run *agent.Run) (all []agent.Event) {
	t.Helper()
	for e, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func compactions(all []agent.Event) (out []agent.Compacted) {
	for _, e := range all {
		if c, ok := e.(agent.Compacted); ok {
			out = append(out, c)
		}
	}
	return out
}

// CMP-E84, CMP-E87, B130: the trigger is crossed while a call waits for
// approval: compaction comes after its result, and the call does not vanish.
func TestCallWaits(t *testing.T) {
	ask := tool.Policy(func(_ tool.Tool, c tool.Call) tool.Verdict {
		if strings.Contains(string(c.Arguments), `"n":21`) {
			return tool.Ask("May I?")
		}
		return tool.Allow()
	})
	m := &model{window: 32_000, next: func(turn int, _ llm.Request) llmtest.Answer {
		switch turn {
		case 21: // the reply itself crosses T
			a := llmtest.Calls(llmtest.Text(strings.Repeat("thought ", 3_000)), callLook(21), callLook(22))
			return a.Costing(21_000, 6_000)
		case 22:
			return llmtest.Text("done")
		}
		return callLook(turn)
	}}
	loop := &agent.Loop{Client: m, Tools: tool.NewRegistry(always(1_200)), Policy: ask, Compressor: compress.Default(nil, "")}
	run, err := loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	before := compactions(events(t, run))
	require.Len(t, run.Result().Questions, 1)
	for _, c := range before {
		for _, message := range c.Messages {
			for _, call := range message.Calls() {
				require.NotEqual(t, "c21", call.ID, "open in the middle of a compaction")
			}
		}
	}
	require.NoError(t, run.Answer(run.Result().Questions[0].ID, agent.Approve()))
	after := compactions(events(t, run))
	require.Len(t, after, 1)
	require.Equal(t, agent.Completed, run.Result().Reason)
	last := m.requests[len(m.requests)-1].Messages
	require.Contains(t, fmt.Sprint(last), "21:lorem")
	require.Empty(t, m.faults)
}

// CMP-16: a compaction resets no limit and no stall counter.
func TestStallAcrossCompaction(t *testing.T) {
	m := &model{window: 32_000}
	m.next = func(turn int, _ llm.Request) llmtest.Answer {
		if turn == 2 { // of a stall that is reminded of after 3 and stopped after 5
			return llmtest.Call(fmt.Sprintf("same%d", turn), "look", `{"n":7}`).Costing(26_000, 10)
		}
		return llmtest.Call(fmt.Sprintf("same%d", turn), "look", `{"n":7}`)
	}
	loop := &agent.Loop{Client: m, Tools: tool.NewRegistry(always(4_000)), Compressor: &compress.Tiers{Summarize: &compress.Summarize{}}, NoWrapUp: true}
	run, err := loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	all := events(t, run)
	require.NotEmpty(t, compactions(all))
	require.Equal(t, agent.Stalled, run.Result().Reason)
	require.Equal(t, 5, run.Result().Turns)

	m = &model{window: 32_000, next: working(100)}
	loop = &agent.Loop{Client: m, Tools: tool.NewRegistry(always(8_000)), Compressor: compress.Default(nil, ""), Budget: budget.Budget{Turns: budget.Max(40)}, NoWrapUp: true}
	run, err = loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	require.NotEmpty(t, compactions(events(t, run)))
	require.Equal(t, agent.OverBudget, run.Result().Reason)
	require.Equal(t, 40, run.Result().Turns)
}

// CMP-29, LLM-27, B146, B152: a refusal leads to one compaction and one retry;
// a second one is Failed (context full).
func TestRefusal(t *testing.T) {
	m := &model{window: 64_000, real: 8_000, next: working(30)}
	loop := &agent.Loop{Client: m, Tools: tool.NewRegistry(always(2_000)), Compressor: compress.Default(nil, "")}
	run, err := loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	all := events(t, run)
	require.Equal(t, agent.Completed, run.Result().Reason)
	require.Positive(t, m.refused)
	require.Len(t, compactions(all), m.refused, "one each")
	require.Empty(t, m.faults)

	refuse := llmtest.Fail(&llm.Error{Kind: llm.ErrContextLength, Message: "maximum context length is 6000 tokens", Window: 6_000})
	tries := 0
	m = &model{window: 64_000, next: func(turn int, _ llm.Request) llmtest.Answer {
		if turn <= 12 {
			return callLook(turn)
		}
		tries++
		return refuse
	}}
	loop.Client = m
	run, err = loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	all = events(t, run)
	require.Equal(t, agent.Failed, run.Result().Reason)
	require.Equal(t, agent.ContextFull, run.Result().Cause)
	require.Equal(t, 2, tries)
	require.Len(t, compactions(all), 1)
	require.Equal(t, 6_000, compactions(all)[0].Window)

	// With nothing to free there is not even a second try.
	m = &model{window: 64_000, real: 1_000, next: working(1)}
	loop.Client = m
	result, err := agent.Do(t.Context(), loop, strings.Repeat("word ", 2_000))
	require.NoError(t, err)
	require.Equal(t, agent.ContextFull, result.Cause)
	require.Equal(t, 1, m.refused)
	require.Contains(t, result.Detail, "window")
}

// CMP-15: a message larger than the window is one clear outcome, with no request.
func TestTooLargeToBegin(t *testing.T) {
	m := &model{window: 8_192, next: working(1)}
	result, err := agent.Do(t.Context(), &agent.Loop{Client: m, Compressor: compress.Default(nil, "")}, strings.Repeat("word ", 20_000))
	require.NoError(t, err)
	require.Equal(t, agent.Failed, result.Reason)
	require.Equal(t, agent.ContextFull, result.Cause)
	require.Contains(t, result.Detail, "message 0")
	require.Empty(t, m.requests)
}

// CMP-E86: an error at start, typed, without a request.
func TestErrorAtStart(t *testing.T) {
	m := &model{window: 8_192, next: working(1)}
	loop := &agent.Loop{Client: m, Instructions: strings.Repeat("word ", 5_000), Compressor: compress.Lean(nil, "d")}
	_, err := loop.Open(t.Context(), agent.Scope{}, "go")
	var config *agent.ConfigError
	require.ErrorAs(t, err, &config)
	require.Equal(t, "Compressor", config.Field)
	require.ErrorIs(t, err, compress.ErrFull)
	require.Empty(t, m.requests)
}

// B141, B143: an agent that is compacted in the middle of its work keeps its
// own instructions and tools; the summarizer's do not take their place.
func TestInstructionsStay(t *testing.T) {
	m := &model{window: 16_000, next: working(30)}
	loop := &agent.Loop{
		Client: m, Instructions: "You review.", Tools: tool.NewRegistry(always(3_000)),
		Compressor: &compress.Tiers{Summarize: &compress.Summarize{}},
	}
	result, err := agent.Do(t.Context(), loop, "Review it.")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, result.Reason)
	require.NotEmpty(t, m.summaries)
	for _, r := range m.requests {
		require.Equal(t, "You review.", r.System)
		require.Equal(t, m.requests[0].Tools, r.Tools)
		require.Contains(t, r.Messages[0].Text(), "Review it.")
	}
	require.Positive(t, result.Spent.Summary.Total(), "summaries are counted apart")
}

// CMP-35: in Lean the request for a summary begins with the messages of the
// request before, byte for byte, and asks for no tool.
func TestCachedSummary(t *testing.T) {
	m := &model{window: 32_000, next: working(60)}
	loop := &agent.Loop{Client: m, Instructions: "Be good.", Tools: tool.NewRegistry(look(func(n int) int { return 350 + n%3*20 })), Compressor: compress.Lean(m, "")}
	lean := compress.Lean(m, "")
	lean.Summarize.Trigger = compress.Bound{Tokens: 5_000}
	loop.Compressor = lean
	result, err := agent.Do(t.Context(), loop, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, result.Reason)
	require.NotEmpty(t, m.summaries)
	for _, s := range m.summaries {
		require.Equal(t, llm.ChoiceNone, s.Choice)
		require.Equal(t, "Be good.", s.System)
		require.Equal(t, m.requests[0].Tools, s.Tools)
		body, err := json.Marshal(s.Messages)
		require.NoError(t, err)
		found := false
		for _, r := range m.requests {
			before, err := json.Marshal(r.Messages)
			require.NoError(t, err)
			found = found || len(r.Messages) == len(s.Messages)-3 && strings.HasPrefix(string(body), strings.TrimSuffix(string(before), "]"))
		}
		require.True(t, found, "the request before, its reply, the results, the instruction")
	}
	require.Empty(t, m.faults)

	// A window without room: segments.
	m = &model{window: 8_192, next: working(60)}
	lean = compress.Lean(m, "")
	lean.Clear, lean.Offload = nil, nil
	big := strings.Repeat("word ", 4_500)
	m.next = func(turn int, _ llm.Request) llmtest.Answer {
		switch turn {
		case 1:
			return llmtest.Calls(llmtest.Text(big[:16_000]), callLook(1))
		case 2:
			return llmtest.Calls(llmtest.Text(big[:12_000]), callLook(2))
		}
		return llmtest.Text("done")
	}
	result, err = agent.Do(t.Context(), &agent.Loop{Client: m, Tools: tool.NewRegistry(always(400)), Compressor: lean}, "go")
	require.NoError(t, err)
	require.Equal(t, agent.Completed, result.Reason)
	require.NotEmpty(t, m.summaries)
	require.Empty(t, m.summaries[0].Tools)
	require.Contains(t, m.summaries[0].Messages[0].Text(), "Call of look")
}
