package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// LLM-37: a request that differs is refused, with the exchange, the place and
// both values.
func TestReplayNamesTheDifference(t *testing.T) {
	long := strings.Repeat("x", 200)
	base := func() llm.Request {
		half := 0.5
		return llm.Request{
			System: "Be brief.", Temperature: &half,
			Messages: []llm.Message{
				llm.UserText("hello"),
				{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Text("hi"), llm.ToolCall{ID: "c1", Name: "look", Arguments: `{"at":1}`}}},
				llm.Results(llm.ToolResult{CallID: "c1", Text: long + "end" + long}),
				llm.UserText("größer"),
			},
			Tools: []llm.Spec{{Name: "look", Schema: json.RawMessage(`{"type":"object","properties":{"at":{"type":"number"}}}`)}},
		}
	}
	tests := []struct {
		name   string
		change func(*llm.Request)
		place  string
		values string
	}{
		{"one character", func(r *llm.Request) { r.Messages[3] = llm.UserText("größen") }, "messages[3].parts[0].text", `recorded "größer", asked "größen"`},
		{"system", func(r *llm.Request) { r.System = "" }, "system", `recorded "Be brief.", asked nothing`},
		{"arguments", func(r *llm.Request) {
			r.Messages[1].Parts = llm.Parts{llm.Text("hi"), llm.ToolCall{ID: "c1", Name: "look", Arguments: `{"at":2}`}}
		}, "messages[1].parts[1].call.arguments", `recorded "{\"at\":1}", asked "{\"at\":2}"`},
		{"within long text", func(r *llm.Request) {
			r.Messages[2] = llm.Results(llm.ToolResult{CallID: "c1", Text: long + "END" + long})
		}, "messages[2].parts[0].result.text", `recorded "…` + strings.Repeat("x", 20) + `end` + strings.Repeat("x", 57) + `…", asked "…` + strings.Repeat("x", 20) + "END"},
		{"one more", func(r *llm.Request) { r.Messages = append(r.Messages, llm.UserText("more")) }, "messages[4]", `recorded nothing, asked {"origin":"user","parts":[{"text":"more"}],"role":"user"}`},
		{"one fewer", func(r *llm.Request) { r.Messages = r.Messages[:3] }, "messages[3]", "asked nothing"},
		{"origin", func(r *llm.Request) { r.Messages[0].Origin = llm.FromNudge }, "messages[0].origin", `recorded "user", asked "nudge"`},
		{"another kind of part", func(r *llm.Request) { r.Messages[0].Parts = llm.Parts{llm.Image{}} }, "messages[0].parts[0].image", `recorded nothing`},
		{"number", func(r *llm.Request) { r.MaxTokens = 7 }, "max_tokens", "recorded nothing, asked 7"},
		{"pointer", func(r *llm.Request) { *r.Temperature = 0.25 }, "temperature", "recorded 0.5, asked 0.25"},
		{"schema", func(r *llm.Request) { r.Tools[0].Schema = json.RawMessage(`{"type":"object","properties":{}}`) }, "tools[0].schema.properties.at", `recorded {"type":"number"}, asked nothing`},
		{"type", func(r *llm.Request) { r.Tools[0].Schema = json.RawMessage(`{"type":["object"]}`) }, "tools[0].schema.properties", "asked nothing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &llm.Replay{Exchanges: []llm.Exchange{
				{Request: hello(), Chunks: llm.Chunks{replying("first")}},
				{Request: base(), Chunks: llm.Chunks{replying("second")}},
			}}
			_, err := watch(t.Context(), r, hello())
			require.NoError(t, err)
			req := base()
			test.change(&req)
			_, err = watch(t.Context(), r, req)
			require.ErrorIs(t, err, llm.ErrNotAllowed)
			require.Equal(t, test.place, failure(t, err).Param)
			require.ErrorContains(t, err, "exchange 2: "+test.place+": recorded ")
			require.ErrorContains(t, err, test.values)
			require.Less(t, len(err.Error()), 400)
			require.Equal(t, 1, r.Left(), "a refusal uses nothing up")
			_, err = watch(t.Context(), r, base())
			require.NoError(t, err)
		})
	}
}

// LLM-37: each exchange answers once. Equal requests get theirs in order, and
// requests of several workers need not come in the order of the recording.
func TestReplayTakesTheFirstThatFits(t *testing.T) {
	exchange := func(asked, said string) llm.Exchange {
		return llm.Exchange{Request: llm.Request{Messages: []llm.Message{llm.UserText(asked)}}, Chunks: llm.Chunks{replying(said)}}
	}
	r := &llm.Replay{Exchanges: []llm.Exchange{exchange("a", "a1"), exchange("b", "b1"), exchange("a", "a2")}}
	ask := func(text string) string {
		reply, err := llm.Generate(t.Context(), r, llm.Request{Messages: []llm.Message{llm.UserText(text)}})
		if err != nil {
			return err.Error()
		}
		return reply.Message.Text()
	}
	require.Equal(t, "b1", ask("b"))
	require.Equal(t, "a1", ask("a"))
	require.Contains(t, ask("b"), `exchange 3: messages[0].parts[0].text: recorded "a", asked "b"`)
	require.Equal(t, "a2", ask("a"))
	require.Contains(t, ask("a"), "exchange 4: the recording holds 3")
}

// LLM-37: the last line may be cut off anywhere; it is left out, and said.
func TestTornRecording(t *testing.T) {
	data := recorded(t)
	lines := bytes.SplitAfter(data, []byte("\n"))
	whole := len(lines[0]) + len(lines[1])
	for n := whole; n < len(data); n += 7 {
		r, err := llm.ReadReplay(bytes.NewReader(data[:n]))
		require.NoError(t, err)
		require.Len(t, r.Exchanges, 2)
		require.Equal(t, n > whole, r.Torn)
		_, err = conversation(t.Context(), r)
		require.ErrorContains(t, err, "exchange 3: the recording holds 2")
		require.Equal(t, n > whole, strings.Contains(err.Error(), "its last line is cut off"))
	}
	exchanges, err := llm.ReadExchanges(bytes.NewReader(data[:len(data)-20]))
	require.ErrorIs(t, err, llm.ErrTorn)
	require.Len(t, exchanges, 2)

	exchanges, err = llm.ReadExchanges(bytes.NewReader(data[:len(data)-1]))
	require.NoError(t, err, "only the end of the line is missing")
	require.Len(t, exchanges, 3)
}

// LLM-37: any other fault names its line, and nothing is answered from it.
func TestFaultyRecording(t *testing.T) {
	lines := strings.SplitAfter(string(recorded(t)), "\n")
	tests := map[string]struct{ line, want string }{
		"no JSON":         {"{\"version\":1,\n", "unexpected end of JSON"},
		"empty":           {"\n", "unexpected end of JSON"},
		"version":         {strings.Replace(lines[1], `"version":1`, `"version":2`, 1), "it has version 2, and only 1 is known"},
		"no version":      {"{}\n", "it has version 0"},
		"changed by hand": {strings.Replace(lines[1], `"text":"hello"`, `"text":"Hello"`, 1), "its digest differs"},
		"no end":          {"{\"version\":1,\"request\":{},\"chunks\":[{\"text_delta\":\"a\"}]}\n", "it needs a reply or an error"},
		"two ends":        {"{\"version\":1,\"request\":{},\"chunks\":[{\"reply\":{}}],\"error\":{\"kind\":\"refused\"}}\n", "it needs a reply or an error"},
		"early reply":     {"{\"version\":1,\"request\":{},\"chunks\":[{\"reply\":{}},{\"text_delta\":\"a\"}]}\n", "chunks[0] is a reply and not the last"},
		"unknown chunk":   {"{\"version\":1,\"request\":{},\"chunks\":[{\"video\":1}]}\n", "decoding chunk 0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := llm.ReadReplay(strings.NewReader(lines[0] + test.line + lines[2]))
			require.ErrorContains(t, err, "line 2: ")
			require.ErrorContains(t, err, test.want)
			require.Nil(t, r)
		})
	}
	_, err := llm.ReadReplay(io.MultiReader(strings.NewReader(lines[0]), iotest.ErrReader(errors.New("bad sector"))))
	require.ErrorContains(t, err, "line 2: bad sector")

	// Exchanges made by hand are held to the same.
	_, err = watch(t.Context(), &llm.Replay{Exchanges: []llm.Exchange{{Request: hello()}}}, hello())
	require.ErrorContains(t, err, "exchange 1: it needs a reply or an error")
}

// A recording may be changed by hand: without its digest a line is taken as it is.
func TestRecordingWithoutDigest(t *testing.T) {
	line := `{"version":1,"request":{"messages":[{"role":"user","origin":"user","parts":[{"text":"hello"}]}]},"chunks":[{"reply":{"message":{"role":"assistant","parts":[{"text":"hi"}]},"finish":"stop"}}]}`
	r, err := llm.ReadReplay(strings.NewReader(line))
	require.NoError(t, err)
	reply, err := llm.Generate(t.Context(), r, hello())
	require.NoError(t, err)
	require.Equal(t, "hi", reply.Message.Text())
}

// A replay ends with its context, as any client does.
func TestReplayEndsWithItsContext(t *testing.T) {
	e := llm.Exchange{Request: hello(), Chunks: llm.Chunks{llm.TextDelta("x"), llm.Restart{Attempt: 2}, llm.TextDelta("a"), llm.TextDelta("b"), replying("ab")}}
	r := &llm.Replay{Exchanges: []llm.Exchange{e, e}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failed error
	for chunk, err := range r.Stream(ctx, hello()) {
		failed = err
		if chunk == llm.TextDelta("a") {
			cancel()
		}
	}
	require.ErrorIs(t, failed, context.Canceled)
	require.Equal(t, "a", failure(t, failed).Partial)
	_, err := watch(ctx, r, hello())
	require.ErrorIs(t, err, llm.ErrCanceled)
}

func FuzzReadExchanges(f *testing.F) {
	f.Add([]byte(`{"version":1,"request":{"messages":null},"chunks":[{"reply":{}}]}` + "\n"))
	f.Add([]byte(`{"version":1,"request":{"messages":[{"parts":[{"text":"a"}]}]},"error":{"kind":"refused"}}`))
	f.Add([]byte("{\"version\":1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		exchanges, err := llm.ReadExchanges(bytes.NewReader(data))
		if err != nil && !errors.Is(err, llm.ErrTorn) {
			require.Nil(t, exchanges)
			return
		}
		r := &llm.Replay{Exchanges: exchanges}
		for _, e := range exchanges {
			chunks, err := watch(t.Context(), r, e.Request)
			if err == nil {
				require.NotEmpty(t, of[llm.Reply](chunks))
			}
		}
		require.Zero(t, r.Left())
	})
}
