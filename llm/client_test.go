package llm_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// parrot is a second kind of client, which shares nothing with the script.
type parrot struct{}

func (parrot) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		said := req.Messages[len(req.Messages)-1].Text()
		if yield(llm.TextDelta(said), nil) {
			yield(replying(said), nil)
		}
	}
}

// LLM-01: a client is one method; a request goes in, a stream comes out and
// ends in one reply. What uses a client takes any.
func TestClientsAreOneInterface(t *testing.T) {
	for name, c := range map[string]llm.Client{
		"script": scripted(says("hello")), "parrot": parrot{},
		"function": llm.ClientFunc(parrot{}.Stream),
		"wrapped":  &llm.Retry{Client: &llm.Limit{Client: parrot{}, AtOnce: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			chunks, err := watch(t.Context(), c, hello())
			require.NoError(t, err)
			require.Equal(t, llm.Chunks{llm.TextDelta("hello"), replying("hello")}, chunks)
		})
	}
	reply, err := llm.Generate(t.Context(), parrot{}, hello())
	require.NoError(t, err)
	require.Equal(t, "hello", reply.Message.Text())
}

// LLM-24: deltas are there while the reply is still being written.
func TestChunksComeWhileTheReplyIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := llm.ClientFunc(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
			return func(yield func(llm.Chunk, error) bool) {
				for _, word := range []string{"a", "b", "c"} {
					if !yield(llm.TextDelta(word), nil) {
						return
					}
					time.Sleep(time.Second)
				}
				yield(replying("abc"), nil)
			}
		})
		wrapped := &llm.Fallback{Clients: []llm.Named{{Client: &llm.Retry{Client: &llm.Limit{Client: slow}}}}}
		start := time.Now()
		var seen []time.Duration
		for _, err := range wrapped.Stream(t.Context(), hello()) {
			require.NoError(t, err)
			seen = append(seen, time.Since(start))
		}
		require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}, seen)
	})
}

// LLM-24: the partial text is in the error, also where a client forgot it.
func TestPartialTextIsInTheError(t *testing.T) {
	broken := &llm.Error{Kind: llm.ErrMalformed, Message: "half a line"}
	for name, wrap := range map[string]func(llm.Client) llm.Client{
		"retry":    func(c llm.Client) llm.Client { return &llm.Retry{Client: c} },
		"fallback": func(c llm.Client) llm.Client { return &llm.Fallback{Clients: []llm.Named{{Client: c}}} },
	} {
		t.Run(name, func(t *testing.T) {
			c := wrap(scripted(fails(broken, llm.ReasoningDelta("hm"), llm.TextDelta("Hel"), llm.TextDelta("lo"))))
			_, err := watch(t.Context(), c, hello())
			require.Equal(t, "Hello", failure(t, err).Partial)
			require.ErrorIs(t, err, llm.ErrMalformed)
			require.Empty(t, broken.Partial, "an error is never changed once made")
		})
	}
}

type pointerClient struct{ chunk llm.Chunk }

func (p *pointerClient) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { yield(p.chunk, nil) }
}

type silentClient struct{}

func (silentClient) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(func(llm.Chunk, error) bool) {}
}

type streamless struct{}

func (streamless) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] { return nil }

// B240: a client that breaks its contract is named, through every wrapper, and
// is not asked again.
func TestBrokenClientsAreNamed(t *testing.T) {
	reply := replying("x")
	clients := map[string]struct {
		client  llm.Client
		culprit string
	}{
		"nothing":          {silentClient{}, "llm_test.silentClient ended its stream without a reply"},
		"nil chunk":        {&pointerClient{}, "*llm_test.pointerClient yielded neither a chunk nor an error"},
		"pointer to reply": {&pointerClient{&reply}, "*llm_test.pointerClient yielded a *llm.Reply"},
		"nil pointer":      {&pointerClient{(*llm.Reply)(nil)}, "yielded a *llm.Reply"},
		"no stream":        {streamless{}, "llm_test.streamless returned no stream"},
		"function":         {llm.ClientFunc(silentClient{}.Stream), "llm_test.silentClient.Stream"},
	}
	for name, test := range clients {
		for how, ask := range asking() {
			t.Run(name+"/"+how, func(t *testing.T) {
				requests := 0
				counted := llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
					requests++
					return test.client.Stream(ctx, req)
				})
				require.ErrorIs(t, ask(t.Context(), counted), llm.ErrNoReply)
				require.Equal(t, 1, requests)
				require.ErrorContains(t, ask(t.Context(), test.client), test.culprit)
			})
		}
	}
}

// B240: no client at all is told, and is no nil dereference.
func TestNoClient(t *testing.T) {
	for how, ask := range asking() {
		t.Run(how, func(t *testing.T) {
			require.ErrorContains(t, ask(t.Context(), nil), "there is no client")
			require.ErrorContains(t, ask(t.Context(), llm.ClientFunc(nil)), "there is no client")
		})
	}
	_, err := watch(t.Context(), &llm.Fallback{}, hello())
	require.ErrorContains(t, err, "there are no clients")
	_, err = watch(t.Context(), &llm.Record{Client: parrot{}}, hello())
	require.ErrorContains(t, err, "To is nil")
}

func asking() map[string]func(context.Context, llm.Client) error {
	through := func(c llm.Client) func(context.Context, llm.Client) error {
		return func(ctx context.Context, _ llm.Client) error {
			_, err := watch(ctx, c, hello())
			return err
		}
	}
	return map[string]func(context.Context, llm.Client) error{
		"generate": func(ctx context.Context, c llm.Client) error {
			_, err := llm.Generate(ctx, c, hello())
			return err
		},
		"ask": func(ctx context.Context, c llm.Client) error {
			_, _, err := llm.Asker[int]{Client: c}.Ask(ctx, hello())
			return err
		},
		"retry": func(ctx context.Context, c llm.Client) error {
			return through(&llm.Retry{Client: c})(ctx, c)
		},
		"fallback": func(ctx context.Context, c llm.Client) error {
			return through(&llm.Fallback{Clients: []llm.Named{{Client: c}, {Client: parrot{}}}})(ctx, c)
		},
		"limit": func(ctx context.Context, c llm.Client) error {
			return through(&llm.Limit{Client: c, AtOnce: 1})(ctx, c)
		},
		"record": func(ctx context.Context, c llm.Client) error {
			return through(&llm.Record{Client: c, To: discard{}})(ctx, c)
		},
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Every wrapper passes its client's dialect on.
func TestWrappersPassTheDialectOn(t *testing.T) {
	s := scripted()
	s.dialect = llm.Dialect{Name: "fake", Window: 9000, EchoReasoning: llm.EchoCalls}
	for _, c := range []llm.Client{
		&llm.Retry{Client: s}, &llm.Limit{Client: s}, &llm.Record{Client: s},
		&llm.Fallback{Clients: []llm.Named{{Client: s}}},
		&llm.Replay{Exchanges: []llm.Exchange{{Dialect: s.dialect}}},
	} {
		require.Equal(t, s.dialect, llm.DialectOf(c), "%T", c)
	}
	for _, c := range []llm.Client{&llm.Retry{}, &llm.Fallback{}, &llm.Replay{}, parrot{}, nil} {
		require.Equal(t, llm.Dialect{}, llm.DialectOf(c), "%T", c)
	}
	require.Equal(t, llm.DefaultWindow, llm.Dialect{}.ContextWindow())
	require.Equal(t, 9000, s.dialect.ContextWindow())
}

// A reader that leaves leaves nothing behind, and the reply is passed on when
// the client has let go already.
func TestReadersMayLeave(t *testing.T) {
	for n := range 3 {
		s := scripted(answer{chunks: []llm.Chunk{llm.TextDelta("a"), llm.TextDelta("b"), replying("ab")}})
		var file buffer
		c := &llm.Record{To: &file, Client: &llm.Fallback{Clients: []llm.Named{{Client: &llm.Retry{Client: &llm.Limit{Client: s, AtOnce: 1}}}}}}
		seen := 0
		for chunk, err := range c.Stream(t.Context(), hello()) {
			require.NoError(t, err)
			if _, ok := chunk.(llm.Reply); ok {
				require.Zero(t, s.busy, "the stream is over before its reply is seen")
			}
			if seen++; seen > n {
				break
			}
		}
		require.Equal(t, n+1, seen)
		require.Zero(t, s.busy)
		require.Equal(t, 1, s.requests())
	}
}

// The end of the context reaches the client through all wrappers.
func TestCancelReachesTheClient(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s := scripted(answer{chunks: []llm.Chunk{llm.TextDelta("a"), llm.TextDelta("b"), replying("ab")}}, says("again"))
	c := &llm.Fallback{Clients: []llm.Named{{Client: &llm.Retry{Client: &llm.Limit{Client: s}}}, {Client: s}}}
	var failed error
	for _, err := range c.Stream(ctx, hello()) {
		cancel(errors.New("enough"))
		failed = err
	}
	require.ErrorIs(t, failed, context.Canceled)
	require.ErrorIs(t, failed, llm.ErrCanceled)
	require.Equal(t, "a", failure(t, failed).Partial)
	require.Equal(t, 1, s.requests())
}
