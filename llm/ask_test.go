package llm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

const goodStep = `{"id":"a"}`

// LLM-20: a reply that does not conform is asked for again, once by default,
// with the reply and what is wrong with it. The usage is that of both.
func TestAskAgain(t *testing.T) {
	s := scripted(says(`{"id":7}`), says(goodStep))
	req := hello()
	req.Messages = append(make([]llm.Message, 0, 8), req.Messages...)
	got, usage, err := llm.Asker[step]{Client: s}.Ask(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, step{ID: "a"}, got)
	require.Equal(t, llm.Usage{Input: 20, Output: 10}, usage)
	require.Equal(t, hello(), s.asked[0])
	require.Equal(t, []llm.Message{
		llm.UserText("hello"), llm.AssistantText(`{"id":7}`),
		{Role: llm.User, Origin: llm.FromFeedback, Parts: llm.Parts{llm.Text(
			"Your reply could not be read: id: it is a number; want a string\n" +
				"Reply again with the one JSON value asked for and nothing else: no other text, no code fence.",
		)}},
	}, s.asked[1].Messages)
	require.Empty(t, req.Messages[:2][1], "the caller's messages are not written over")
}

// LLM-20: the number of retries is bounded, 0 is none, and the words can be replaced.
func TestAskIsBounded(t *testing.T) {
	bad := []answer{says("a"), says("b"), says("c"), says("d")}
	for retries, requests := range map[*int]int{nil: 2, new(0): 1, new(1): 2, new(3): 4} {
		s := scripted(bad...)
		got, usage, err := llm.Asker[step]{Client: s, Retries: retries, Feedback: "No ({fault})!"}.Ask(t.Context(), hello())
		require.Zero(t, got)
		require.Equal(t, requests, s.requests())
		require.Equal(t, llm.Usage{Input: 10 * requests, Output: 5 * requests}, usage)
		var e *llm.DecodeError
		require.ErrorAs(t, err, &e)
		require.Equal(t, bad[requests-1].chunks[0], llm.TextDelta(e.Text), "it is the last one's error")
		if requests > 1 {
			require.Regexp(t, `^No \(.*invalid character 'a'.*\)!$`, s.asked[1].Messages[2].Text())
		}
	}
	_, _, err := llm.Asker[step]{Client: scripted(bad...), Retries: new(-1)}.Ask(t.Context(), hello())
	require.ErrorIs(t, err, llm.ErrNotAllowed)
}

// An empty reply does not go back, since an empty message is never sent; nor do
// calls, which have no results here. A refusal is not asked again.
func TestAskAfterOddReplies(t *testing.T) {
	empty, called, refused := replying(""), replying("no"), replying("I will not")
	called.Message.Parts = append(called.Message.Parts, llm.ToolCall{ID: "1", Name: "look"})
	refused.Finish = llm.FinishRefused

	s := scripted(answer{chunks: []llm.Chunk{empty}}, answer{chunks: []llm.Chunk{called}}, says(goodStep))
	_, _, err := llm.Asker[step]{Client: s, Retries: new(2)}.Ask(t.Context(), hello())
	require.NoError(t, err)
	require.Len(t, s.asked[1].Messages, 2)
	require.Equal(t, llm.AssistantText("no"), s.asked[2].Messages[2])

	s = scripted(answer{chunks: []llm.Chunk{refused}}, says(goodStep))
	_, usage, err := llm.Asker[step]{Client: s}.Ask(t.Context(), hello())
	require.ErrorIs(t, err, llm.ErrRefused)
	require.Equal(t, replying("").Usage, usage)
	require.Equal(t, 1, s.requests())
}

// LLM-20, LLM-E14: attempts that failed below count too, with a value and without.
func TestAskCountsAllAttempts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := scripted(fails(costing(status(503), 100)), says("no"), fails(costing(cut(), 20), llm.TextDelta("a")), says(goodStep))
		_, usage, err := llm.Asker[step]{Client: &llm.Retry{Client: s}}.Ask(t.Context(), hello())
		require.NoError(t, err)
		require.Equal(t, llm.Usage{Input: 140, Output: 12}, usage)

		s = scripted(says("no"), fails(costing(status(503), 7)), fails(costing(status(400), 8)))
		_, usage, err = llm.Asker[step]{Client: &llm.Retry{Client: s}}.Ask(t.Context(), hello())
		require.ErrorIs(t, err, llm.ErrBadRequest)
		require.Equal(t, llm.Usage{Input: 25, Output: 7}, usage)
		require.False(t, errors.As(err, new(*llm.DecodeError)))
	})
}
