package llm_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-E14: what failed attempts cost is told beside the reply, beside the error,
// and where the reader leaves.
func TestReadTellsWhatIsWasted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		retry := func(answers ...answer) llm.Client { return &llm.Retry{Client: scripted(answers...)} }
		once := func() llm.Client {
			return retry(fails(costing(status(503), 100)), fails(costing(cut(), 20), llm.TextDelta("a")), says("hi"))
		}
		var shown []string
		reply, wasted, err := llm.Read(t.Context(), once(), hello(), func(c llm.Chunk) bool { shown = append(shown, c.Kind()); return true })
		require.NoError(t, err)
		require.Equal(t, "hi", reply.Message.Text())
		require.Equal(t, 120, wasted.Input)
		require.Equal(t, []string{"retry_notice", "text_delta", "restart", "text_delta"}, shown)
		require.Equal(t, llm.Usage{Input: 10, Output: 5}, reply.Usage)

		_, wasted, err = llm.Read(t.Context(), retry(fails(costing(status(503), 7)), fails(costing(status(400), 8))), hello(), nil)
		require.ErrorIs(t, err, llm.ErrBadRequest)
		require.Equal(t, 15, wasted.Input, "once, and not twice")

		_, wasted, err = llm.Read(t.Context(), once(), hello(), func(c llm.Chunk) bool { return c.Kind() != "text_delta" })
		require.ErrorIs(t, err, llm.ErrLeft)
		require.Equal(t, 100, wasted.Input)
	})
}

// A client that tells of a failed attempt and then breaks off, or ends in an
// error of its own kind, has wasted it all the same.
func TestReadOfOddClients(t *testing.T) {
	notice := llm.RetryNotice{Attempt: 1, Cause: costing(status(503), 9)}
	odd := func(end error) llm.Client {
		return llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
			return func(yield func(llm.Chunk, error) bool) {
				if yield(notice, nil) && end != nil {
					yield(nil, end)
				}
			}
		})
	}
	_, wasted, err := llm.Read(t.Context(), odd(nil), hello(), nil)
	require.ErrorIs(t, err, llm.ErrNoReply)
	require.Equal(t, 9, wasted.Input)
	plain := errors.New("plain")
	_, wasted, err = llm.Read(t.Context(), odd(plain), hello(), nil)
	require.Equal(t, plain, err)
	require.Equal(t, 9, wasted.Input)
	_, _, err = llm.Read(t.Context(), nil, hello(), nil)
	require.ErrorIs(t, err, llm.ErrNotAllowed)
}
