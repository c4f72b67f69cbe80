package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-12: a reply holds text, reasoning, calls, stop reason and usage, through
// a stream and through JSON. Cached and reasoning tokens are counted once.
func TestReplyHoldsEverything(t *testing.T) {
	call := llm.ToolCall{ID: "c1", Name: "look", Arguments: `{"at":1}`}
	reply := llm.Reply{
		Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Reasoning{Text: "hm"}, llm.Text("I look."), call}},
		Finish:  llm.FinishCalls, Label: "tool_calls", Model: "fake-1",
		Usage: llm.Usage{Input: 100, Cached: 60, Output: 50, Reasoning: 20},
	}
	got, err := llm.Generate(t.Context(), scripted(answer{chunks: []llm.Chunk{reply}}), hello())
	require.NoError(t, err)
	require.Equal(t, reply, got)
	require.Equal(t, reply, throughJSON(t, got))
	require.Equal(t, "I look.", got.Message.Text())
	require.Equal(t, "hm", got.Message.Reasoning())
	require.Equal(t, []llm.ToolCall{call}, got.Message.Calls())
	require.Equal(t, 150, got.Usage.Total())
}

// LLM-12: usage adds up, and says whether it was reported or estimated.
func TestUsageAddsUp(t *testing.T) {
	a := llm.Usage{Input: 1, Cached: 2, Output: 3, Reasoning: 4}
	b := llm.Usage{Input: 10, Cached: 20, Output: 30, Reasoning: 40, Estimated: true}
	want := llm.Usage{Input: 11, Cached: 22, Output: 33, Reasoning: 44, Estimated: true}
	require.Equal(t, want, a.Plus(b))
	require.Equal(t, want, b.Plus(a))
	require.False(t, a.Plus(a).Estimated)
	require.Equal(t, b, throughJSON(t, b))
}

// LLM-18, LLM-19: each stop reason is distinct and is kept with the provider's
// label; a cut reply stays one, with calls and without.
func TestFinishReasons(t *testing.T) {
	reasons := []llm.FinishReason{
		llm.FinishStop, llm.FinishCalls, llm.FinishLength, llm.FinishRefused, llm.FinishError, llm.FinishAborted,
	}
	seen := map[llm.FinishReason]bool{}
	for _, reason := range reasons {
		seen[reason] = true
		for _, parts := range []llm.Parts{{llm.Text("a")}, {llm.ToolCall{ID: "1", Name: "t", Arguments: `{"a`}}} {
			reply := llm.Reply{Message: llm.Message{Role: llm.Assistant, Parts: parts}, Finish: reason, Label: "raw_" + string(reason)}
			got, err := llm.Generate(t.Context(), &llm.Retry{Client: scripted(answer{chunks: []llm.Chunk{reply}})}, hello())
			require.NoError(t, err)
			require.Equal(t, reply, throughJSON(t, got))
		}
	}
	require.Len(t, seen, 6)
}

// LLM-22: what is paid for sending the history again.
func TestResentInput(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1000, 5: 15_000, 10: 55_000, 20: 210_000, 25: 325_000, 30: 465_000, 40: 820_000} {
		require.Equal(t, want, llm.ResentInput(1000, n), "%d turns", n)
	}
	sum := 0
	for turn := 1; turn <= 17; turn++ {
		sum += turn * 333
	}
	require.Equal(t, sum, llm.ResentInput(333, 17))
}
