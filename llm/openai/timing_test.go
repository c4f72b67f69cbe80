package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// took returns how long a reading takes, on the bubble's clock.
func took(t *testing.T, c llm.Client) (reading, time.Duration) {
	t.Helper()
	start := time.Now()
	r := read(t, c, ask)
	return r, time.Since(start)
}

// requireTimeout wants an error that says so, can be retried and came in time.
func requireTimeout(t *testing.T, r reading, took, limit time.Duration) {
	t.Helper()
	require.NotNil(t, r.err)
	require.ErrorIs(t, r.err, llm.ErrTimeout)
	require.True(t, r.err.Retryable())
	require.Contains(t, r.err.Error(), limit.String())
	require.GreaterOrEqual(t, took, limit)
	require.Less(t, took, limit+time.Second)
}

// LLM-17: a connection that is not made.
func TestNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		dead := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-over // net/http dials on, for another request to have
			return nil, net.ErrClosed
		}}
		c := stubbed(dead, llm.Dialect{})
		r, d := took(t, c)
		requireTimeout(t, r, d, DefaultConnectTimeout)
		c.ConnectTimeout = 3 * time.Second
		r, d = took(t, c)
		requireTimeout(t, r, d, 3*time.Second)
	})
}

// LLM-17, B041: a server that takes the request and never answers.
func TestNoAnswer(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	onWire(t, silent, func(t *testing.T, c *Client) {
		r, d := took(t, c)
		requireTimeout(t, r, d, DefaultSilence)
	})
}

// B041: headers and two chunks, then nothing. The time counts from the last.
func TestFallsSilent(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", delta("Hal"))
		time.Sleep(time.Minute)
		say(w, "%s", delta("lo"))
		<-r.Context().Done()
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		r, d := took(t, c)
		requireTimeout(t, r, d-time.Minute, DefaultSilence)
		require.Equal(t, "Hallo", r.err.Partial)
	})
}

// LLM-17, B041: the control: slow and steady is not cut, and there is no limit
// on the whole.
func TestSlowAndSteady(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		for range 200 {
			time.Sleep(50 * time.Millisecond)
			say(w, "%s", delta("x"))
		}
		say(w, "%s", bye)
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		c.Silence = time.Second
		require.Equal(t, strings.Repeat("x", 200), read(t, c, ask).text)
	})
}

// LLM-17, B025: comments count as life, before the first chunk and after.
func TestCommentsAreLife(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		for range 10 {
			time.Sleep(4 * time.Minute)
			say(w, ": PROCESSING\n\n")
		}
		say(w, "%s", delta("x"))
		for range 10 {
			time.Sleep(4 * time.Minute)
			say(w, ":\n")
		}
		say(w, "%s", bye)
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		require.Equal(t, "x", read(t, c, ask).text)
	})
}

// A reader that takes its time is not the server's silence.
func TestSlowReader(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			say(w, "%s", delta("x"))
		}
		say(w, "%s", bye)
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		for chunk, err := range c.Stream(t.Context(), ask) {
			require.NoError(t, err)
			require.NotNil(t, chunk)
			time.Sleep(time.Hour)
		}
	})
}

// The transport may tell of a request written when the answer has long begun;
// that does not start the clock again.
func TestLateTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		l := (&Client{}).limits(cancel)
		l.trace().GotConn(httptrace.GotConnInfo{})
		l.stop()
		l.trace().WroteRequest(httptrace.WroteRequestInfo{})
		time.Sleep(time.Hour)
		require.NoError(t, ctx.Err())
	})
}

// A page of failure without end is read to a bound.
func TestFloodOfFailure(t *testing.T) {
	flood := func(io.Reader) io.Reader { return &repeated{text: []byte("x ")} }
	for _, status := range []int{302, 500} {
		e := read(t, stubbed(answering(status, http.Header{}, nil, flood), llm.Dialect{}), ask).err
		require.Equal(t, status, e.Status)
		require.LessOrEqual(t, len(e.Message), maxWords)
	}
}

// A page of failure that never ends does not hold the request for ever.
func TestEndlessFailure(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		say(w, "<html>")
		<-r.Context().Done()
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		r, d := took(t, c)
		require.ErrorIs(t, r.err, llm.ErrUnavailable)
		require.Equal(t, 500, r.err.Status)
		require.Less(t, d, DefaultSilence+time.Second)
	})
}

// After the done marker a server that keeps the connection open is not waited for.
func TestOpenAfterDone(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", hello)
		<-r.Context().Done()
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		r, d := took(t, c)
		require.Equal(t, "Hello", r.text)
		require.LessOrEqual(t, d, linger)
	})
}

// A label makes a reply whole, however the stream then ends. LLM-33
func TestSilentAfterLabel(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", strings.TrimSuffix(bye, "data: [DONE]\n\n"))
		<-r.Context().Done()
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		require.Equal(t, llm.FinishStop, read(t, c, ask).reply.Finish)
	})
}

// LLM-24: the first delta is seen before the last is sent.
func TestDeltasComeWhileStreaming(t *testing.T) {
	seen := make(chan string)
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", delta("one"))
		if got := <-seen; got == "one" {
			say(w, "%s%s", delta("two"), bye)
		}
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		seen = make(chan string, 3) // within the bubble
		var texts []string
		for chunk, err := range c.Stream(t.Context(), ask) {
			require.NoError(t, err)
			if text, ok := chunk.(llm.TextDelta); ok {
				texts = append(texts, string(text))
				seen <- string(text)
			}
		}
		require.Equal(t, []string{"one", "two"}, texts)
	})
}

// LLM-24: one delta a kind, in the order in which they came; arguments are told
// of by their size, never shown before they are whole.
func TestDeltaKinds(t *testing.T) {
	body := "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Hm.\",\"content\":\"I look.\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"k1\",\"function\":{\"name\":\"look\",\"arguments\":\"\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}}]}\n\n" + bye
	r := read(t, stubbed(answering(200, http.Header{}, []byte(body), inPieces["whole"]), llm.Dialect{}), ask)
	require.Equal(t, []llm.Chunk{
		llm.ReasoningDelta("Hm."), llm.TextDelta("I look."),
		llm.CallDelta{Index: 0, Name: "look"}, llm.CallDelta{Index: 0, Name: "look", Bytes: 2},
	}, r.deltas)
}

// LLM-E10, B041: cancel after two deltas. The connection is gone at once, the
// partial text is reported and the partial call is not.
func TestCancel(t *testing.T) {
	gone := make(chan struct{})
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s%s", delta("Hal"), delta("lo"))
		say(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"k1\",\"function\":{\"name\":\"save\",\"arguments\":\"{}\"}}]}}]}\n\n")
		<-r.Context().Done()
		close(gone)
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		gone = make(chan struct{})
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user left")
		time.AfterFunc(time.Minute, func() { cancel(why) })
		start := time.Now()
		var last error
		for chunk, err := range c.Stream(ctx, ask) {
			require.NotEqual(t, "reply", kindOf(chunk))
			last = err
		}
		require.Equal(t, time.Minute, time.Since(start))
		require.ErrorIs(t, last, context.Canceled)
		require.ErrorIs(t, last, llm.ErrCanceled)
		require.ErrorIs(t, last, why)
		require.Equal(t, "Hallo", llm.AsError(last).Partial)
		require.False(t, llm.AsError(last).Retryable())
		<-gone
	})
}

func kindOf(c llm.Chunk) string {
	if c == nil {
		return ""
	}
	return c.Kind()
}

// A deadline of the caller's is the caller's, not the server's silence.
func TestDeadline(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	onWire(t, silent, func(t *testing.T, c *Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := llm.Generate(ctx, c, ask)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, llm.ErrCanceled)
	})
}

// LLM-E10: the reader leaves, at a delta and at the reply: the connection is
// let go of before Stream returns.
func TestReaderLeaves(t *testing.T) {
	gone := make(chan struct{})
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", delta("Hal"))
		<-r.Context().Done()
		close(gone)
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		gone = make(chan struct{})
		for range c.Stream(t.Context(), ask) {
			break
		}
		<-gone
	})
}

// The same where the reader panics, and where it leaves at the text that was
// kept back for the end: nothing more is yielded.
func TestReaderPanics(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", delta("Hal"))
		<-r.Context().Done()
	}
	onWire(t, handler, func(t *testing.T, c *Client) {
		require.PanicsWithValue(t, "oops", func() {
			for range c.Stream(t.Context(), ask) {
				panic("oops")
			}
		})
	})
}

func TestReaderLeavesAtTheEnd(t *testing.T) {
	c := stubbed(answering(200, http.Header{}, []byte(delta("<tool_call>look")+bye), inPieces["whole"]), llm.Dialect{Wire: llm.Wire{TextCalls: true}})
	req := ask
	req.Tools = []llm.Spec{{Name: "look"}}
	for chunk := range c.Stream(t.Context(), req) {
		require.Equal(t, llm.TextDelta("<tool_call>look"), chunk)
		break
	}
}

// B104, LLM-25: the adapter makes each request once, however it fails.
func TestNoRetriesOfItsOwn(t *testing.T) {
	for name, rt := range map[string]transport{
		"before the headers": func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"503":                answering(503, http.Header{"X-Should-Retry": {"true"}}, nil, inPieces["whole"]),
		"in the body":        answering(200, http.Header{}, []byte(": x\n\n"), func(r io.Reader) io.Reader { return io.MultiReader(r, failing{io.ErrUnexpectedEOF}) }),
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			c := stubbed(transport(func(r *http.Request) (*http.Response, error) { asked++; return rt(r) }), llm.Dialect{})
			e := read(t, c, ask).err
			require.True(t, e.Retryable(), e)
			require.Equal(t, 1, asked)
		})
	}
}
