package openai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A transport answers requests in the process, for tests in which a socket
// would only cost time.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering returns a transport that answers every request with this, in pieces.
func answering(status int, header http.Header, body []byte, pieces func(io.Reader) io.Reader) transport {
	return func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		return &http.Response{
			StatusCode: status, Header: header, Request: r, ProtoMajor: 1, ProtoMinor: 1,
			Body: io.NopCloser(pieces(bytes.NewReader(body))),
		}, nil
	}
}

// The ways in which a body comes.
var inPieces = map[string]func(io.Reader) io.Reader{
	"whole":  func(r io.Reader) io.Reader { return r },
	"1 byte": func(r io.Reader) io.Reader { return pieces{r, func() int { return 1 }} },
	"7":      func(r io.Reader) io.Reader { return pieces{r, func() int { return 7 }} },
	"random": func(r io.Reader) io.Reader {
		random := rand.New(rand.NewPCG(1, 2))
		return pieces{r, func() int { return 1 + random.IntN(400) }}
	},
}

type pieces struct {
	r    io.Reader
	size func() int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.size())]) }

// ask is a request of which only the answer matters.
var ask = llm.Request{Messages: []llm.Message{llm.UserText("Well?")}}

// stubbed returns a client whose requests are answered by rt. The ids that it
// gives are new-1, new-2 and so on.
func stubbed(rt http.RoundTripper, dialect llm.Dialect) *Client {
	n := 0
	return &Client{
		Model: "test-model", BaseURL: "http://provider.test/v1", Speaks: &dialect,
		HTTP:  &http.Client{Transport: rt},
		NewID: func() string { n++; return "new-" + strconv.Itoa(n) },
	}
}

// A reading is all that a stream gave.
type reading struct {
	text, reasoning string
	deltas          []llm.Chunk
	reply           *llm.Reply
	err             *llm.Error
}

// read reads a stream to its end and holds it to the contract: deltas, then one
// reply or one typed error; the deltas are the reply's text and reasoning, or
// the error's partial text.
func read(t testing.TB, c llm.Client, req llm.Request) (r reading) {
	t.Helper()
	for chunk, err := range c.Stream(context.Background(), req) {
		require.Nil(t, r.reply, "something came after the reply")
		require.Nil(t, r.err, "something came after the error")
		if err != nil {
			require.ErrorAs(t, err, &r.err)
			require.NotEmpty(t, r.err.Kind)
			continue
		}
		switch chunk := chunk.(type) {
		case llm.Reply:
			r.reply = &chunk
			continue
		case llm.TextDelta:
			require.NotEmpty(t, chunk)
			r.text += string(chunk)
		case llm.ReasoningDelta:
			require.NotEmpty(t, chunk)
			r.reasoning += string(chunk)
		}
		r.deltas = append(r.deltas, chunk)
	}
	if r.reply == nil {
		require.NotNil(t, r.err, "neither a reply nor an error")
		require.Equal(t, r.text, r.err.Partial)
		return r
	}
	require.Equal(t, llm.Assistant, r.reply.Message.Role)
	require.Equal(t, llm.FromModel, r.reply.Message.Origin)
	require.Equal(t, r.text, r.reply.Message.Text())
	require.Equal(t, r.reasoning, r.reply.Message.Reasoning())
	for _, chunk := range r.deltas {
		if d, ok := chunk.(llm.CallDelta); ok {
			require.Less(t, d.Index, len(r.reply.Message.Calls()))
			require.Equal(t, d.Name, r.reply.Message.Calls()[d.Index].Name)
		}
	}
	return r
}

// dump tells of a reading, a line for each thing in it.
func (r reading) dump() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if e := r.err; e != nil {
		line("error %s", e.Kind)
		if e.Status != 0 {
			line("status %d", e.Status)
		}
		if e.Code != "" {
			line("code %s", e.Code)
		}
		if e.Param != "" {
			line("param %s", e.Param)
		}
		if e.RetryAfter != 0 {
			line("retry after %v", e.RetryAfter)
		}
		if e.Window != 0 || e.Input != 0 {
			line("window %d input %d", e.Window, e.Input)
		}
		if e.Partial != "" {
			line("partial %q", e.Partial)
		}
		if e.Usage != (llm.Usage{}) {
			line("usage %s", dumpUsage(e.Usage))
		}
		line("words %s", e.Message)
		return b.String()
	}
	for _, p := range r.reply.Message.Parts {
		switch p := p.(type) {
		case llm.Reasoning:
			line("reasoning %q", p.Text)
			dumpSeal(line, p.Seal)
		case llm.Text:
			line("text %q", string(p))
		case llm.ToolCall:
			line("call %s %s %s", p.ID, p.Name, p.Arguments)
			dumpSeal(line, p.Seal)
		}
	}
	line("finish %s (%s)", r.reply.Finish, r.reply.Label)
	if names := r.reply.TextCalls; len(names) > 0 {
		line("text calls %s", strings.Join(names, " "))
	}
	if r.reply.Model != "" {
		line("model %s", r.reply.Model)
	}
	line("usage %s", dumpUsage(r.reply.Usage))
	return b.String()
}

func dumpSeal(line func(string, ...any), s llm.Seal) {
	if s != (llm.Seal{}) {
		line("seal of %s %s", s.Maker, s.Data)
	}
}

func dumpUsage(u llm.Usage) string {
	if u.Estimated {
		return "estimated"
	}
	return fmt.Sprintf("%d (%d cached) %d (%d reasoning)", u.Input, u.Cached, u.Output, u.Reasoning)
}
