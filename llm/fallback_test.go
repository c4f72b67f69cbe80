package llm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

func either(first, second llm.Client) *llm.Fallback {
	return &llm.Fallback{Clients: []llm.Named{{Name: "main", Client: first}, {Name: "spare", Client: second}}}
}

// LLM-35: the next client is asked where the first is unavailable, and the
// switch is told of.
func TestFallback(t *testing.T) {
	first, second := scripted(fails(status(503))), scripted(says("done"))
	chunks, err := watch(t.Context(), either(first, second), hello())
	require.NoError(t, err)
	require.Equal(t, llm.Chunks{
		llm.RetryNotice{Attempt: 1, Cause: status(503), Next: "spare"}, llm.TextDelta("done"), replying("done"),
	}, chunks)
	require.Equal(t, 1, first.requests())
	require.Equal(t, []llm.Request{hello()}, second.asked)
}

// LLM-35: what switches and what does not.
func TestWhatSwitches(t *testing.T) {
	tests := map[string]struct {
		first    answer
		switches bool
	}{
		"503":                  {fails(status(503)), true},
		"501, unavailable":     {fails(status(501)), true},
		"429":                  {fails(status(429)), true},
		"a wait over any cap":  {fails(later(24 * time.Hour)), true},
		"connection":           {fails(&llm.Error{Kind: llm.ErrConnection}), true},
		"silence":              {fails(&llm.Error{Kind: llm.ErrTimeout}), true},
		"only the role":        {fails(cut(), llm.TextDelta("")), true},
		"after text":           {fails(cut(), llm.TextDelta("a")), false},
		"after reasoning":      {fails(cut(), llm.ReasoningDelta("a")), false},
		"after a call":         {fails(cut(), llm.CallDelta{Name: "look"}), false},
		"after a restart":      {fails(cut(), llm.TextDelta("a"), llm.Restart{Attempt: 2, Cause: cut()}), false},
		"400":                  {fails(status(400)), false},
		"key":                  {fails(&llm.Error{Kind: llm.ErrAuth, Status: 401}), false},
		"quota":                {fails(&llm.Error{Kind: llm.ErrQuota, Status: 429}), false},
		"refusal":              {fails(&llm.Error{Kind: llm.ErrRefused}), false},
		"overflow":             {fails(&llm.Error{Kind: llm.ErrContextLength, Status: 400}), false},
		"broken client":        {answer{}, false},
		"refused reply":        {answer{chunks: []llm.Chunk{llm.Reply{Finish: llm.FinishRefused}}}, false},
		"B098 an empty reply":  {answer{chunks: []llm.Chunk{llm.Reply{Message: llm.Message{Role: llm.Assistant}, Finish: llm.FinishStop}}}, false},
		"B098 empty after all": {answer{chunks: []llm.Chunk{llm.TextDelta(""), replying("")}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			second := scripted(says("done"))
			chunks, err := watch(t.Context(), either(scripted(test.first), second), hello())
			if !test.switches {
				require.Zero(t, second.requests())
				require.Empty(t, of[llm.RetryNotice](chunks))
				return
			}
			require.NoError(t, err)
			require.Equal(t, 1, second.requests())
			require.Len(t, of[llm.RetryNotice](chunks), 1)
		})
	}
}

// LLM-35: the last client's error is the stream's. What all cost is in it.
func TestFallbackUsedUp(t *testing.T) {
	f := either(scripted(fails(costing(status(503), 5))), scripted(fails(costing(status(502), 6))))
	chunks, err := watch(t.Context(), f, hello())
	require.Equal(t, 502, failure(t, err).Status)
	require.Equal(t, llm.Usage{Input: 11, Output: 2}, failure(t, err).Usage)
	require.Len(t, chunks, 1)
}

// LLM-35: with a retry around each client, the first one's attempts come first.
func TestFallbackAroundRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		first := scripted(fails(status(503)), fails(status(503)), fails(status(503)))
		second := scripted(says("done"))
		chunks, err := watch(t.Context(), either(&llm.Retry{Client: first}, &llm.Retry{Client: second}), hello())
		require.NoError(t, err)
		notices := of[llm.RetryNotice](chunks)
		require.Len(t, notices, 4)
		require.True(t, notices[2].GaveUp)
		require.Equal(t, "spare", notices[3].Next)
		require.Equal(t, 3, first.requests())
	})
}

func TestFallbackEndsWithItsReader(t *testing.T) {
	second := scripted(says("x"))
	for range either(scripted(fails(status(503))), second).Stream(t.Context(), hello()) {
		break
	}
	require.Zero(t, second.requests())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := watch(ctx, either(scripted(fails(status(503))), second), hello())
	require.ErrorIs(t, err, llm.ErrUnavailable)
	require.Zero(t, second.requests(), "nobody else is asked after the end of the context")
}

// LLM-35, LLM-E16: the dialect is the first client's, with the smallest window,
// so that what fits the Fallback fits each; each is asked as it is.
func TestFallbackDialect(t *testing.T) {
	dialect := func(windows ...int) llm.Dialect {
		f := &llm.Fallback{}
		for i, w := range windows {
			s := scripted()
			s.dialect = llm.Dialect{Name: string(rune('a' + i)), Window: w, Images: i == 0}
			f.Clients = append(f.Clients, llm.Named{Client: s})
		}
		return f.Dialect()
	}
	require.Equal(t, llm.Dialect{Name: "a", Window: 1000, Images: true}, dialect(5000, 1000, 3000))
	require.Equal(t, llm.Dialect{Name: "a", Window: 1000, Images: true}, dialect(1000, 5000))
	require.Equal(t, llm.DefaultWindow, dialect(1_000_000, 0).Window, "an unknown window counts as the default")
	require.Equal(t, llm.DefaultWindow, dialect(0, 1_000_000).ContextWindow())
	require.Equal(t, 1000, dialect(0, 1000).Window)
}

// Without a name the client's dialect, or else its type, says who is asked.
func TestFallbackNames(t *testing.T) {
	named := scripted(fails(status(503)))
	named.dialect.Name = "glm"
	f := &llm.Fallback{Clients: []llm.Named{{Client: scripted(fails(status(503)))}, {Client: named}, {Client: parrot{}}}}
	chunks, err := watch(t.Context(), f, hello())
	require.NoError(t, err)
	require.Equal(t, "glm", of[llm.RetryNotice](chunks)[0].Next)
	require.Equal(t, "llm_test.parrot", of[llm.RetryNotice](chunks)[1].Next)
	require.Equal(t, 2, of[llm.RetryNotice](chunks)[1].Attempt)
}
