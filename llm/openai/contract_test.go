package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// LLM-01: the client keeps the contract, on real sockets, in good and bad hours.
func TestContract(t *testing.T) {
	serve := func(handler http.HandlerFunc) *Client {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			handler(w, r)
		}))
		t.Cleanup(server.Close)
		return &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	}
	good := serve(func(w http.ResponseWriter, r *http.Request) {
		say(w, "data: {\"choices\":[{\"delta\":{\"reasoning\":\"Hm.\",\"content\":\"The sea\"}}]}\n\n")
		say(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}}]}\n\n")
		say(w, "%s", bye)
	})
	failing := serve(func(w http.ResponseWriter, r *http.Request) {
		say(w, "%sdata: {\"error\":{\"code\":502,\"message\":\"Upstream fell over\"}}\n\n", delta("The s"))
	})
	silent := serve(func(w http.ResponseWriter, r *http.Request) {
		say(w, "%s", delta("The s"))
		<-r.Context().Done()
	})
	llmtest.TestClient(t, good)
	llmtest.Contract{Client: good, Failing: failing, Silent: silent}.Test(t)
}

// LLM-30: an optional parameter that the server refuses by name is left out: two
// requests, then one each time. Once something was shown nothing is tried again.
func TestRejectedParameter(t *testing.T) {
	var bodies []map[string]any
	late := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		require.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		bodies = append(bodies, body)
		refusal := `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature","code":"unsupported_parameter"}}`
		switch _, sent := body["temperature"]; {
		case sent && late:
			say(w, "%sdata: %s\n\n", delta("Hal"), strings.Replace(refusal, `{"error":{`, `{"error":{"status":400,`, 1))
		case sent:
			w.WriteHeader(400)
			io.WriteString(w, refusal)
		default:
			io.WriteString(w, hello)
		}
	}))
	defer server.Close()
	warm := 0.5
	req := ask
	req.Temperature = &warm
	c := &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	require.Equal(t, "Hello", read(t, c, req).text)
	require.Len(t, bodies, 2)
	require.Equal(t, "Hello", read(t, c, req).text)
	require.Len(t, bodies, 3)
	require.Equal(t, 0.5, *req.Temperature, "the request is not changed")

	late = true
	c = &Client{Model: "m", BaseURL: server.URL, HTTP: server.Client()}
	e := read(t, c, req).err
	require.ErrorIs(t, e, llm.ErrBadRequest)
	require.Equal(t, "temperature", e.Param)
	require.Len(t, bodies, 4)
}

// B107, B246, LLM-26, LLM-E7: a bad request, a spent quota, a filter and a refusal
// are one request each.
func TestOneRequestEach(t *testing.T) {
	for body, status := range map[string]int{
		`{"error":{"message":"invalid request","type":"invalid_request_error"}}`:                          400,
		`{"error":{"message":"none left","code":"insufficient_quota"}}`:                                   429,
		`data: {"choices":[{"delta":{"content":""},"finish_reason":"content_filter"}]}` + "\n\n":          200,
		`data: {"choices":[{"delta":{"refusal":"I would rather not."},"finish_reason":"stop"}]}` + "\n\n": 200,
	} {
		asked := 0
		c := stubbed(transport(func(r *http.Request) (*http.Response, error) {
			asked++
			return answering(status, http.Header{}, []byte(body), inPieces["whole"])(r)
		}), llm.Dialect{})
		r := read(t, &llm.Retry{Client: c}, ask)
		require.Equal(t, 1, asked, body)
		if r.reply != nil {
			require.Equal(t, llm.FinishRefused, r.reply.Finish)
		}
	}
}

// B042, B063, LLM-10: what was read goes out again as providers want it, by the
// same client: arguments with one level of encoding, reasoning verbatim, the
// generated id on call and result.
func TestReadThenSent(t *testing.T) {
	var sent struct {
		Messages []struct {
			Role             string
			ReasoningContent string          `json:"reasoning_content"`
			ToolCallID       string          `json:"tool_call_id"`
			ToolCalls        json.RawMessage `json:"tool_calls"`
		}
	}
	answer := `data: {"choices":[{"delta":{"reasoning_content":"r1","tool_calls":[{"index":0,"function":{"name":"look","arguments":"\"{\\\"q\\\":1}\""}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	rt := transport(func(r *http.Request) (*http.Response, error) {
		require.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
		return answering(200, http.Header{}, []byte(answer), inPieces["whole"])(r)
	})
	c := stubbed(rt, llm.Dialect{Name: "test", EchoReasoning: llm.EchoCalls})
	req := ask
	req.Tools = []llm.Spec{{Name: "look"}}
	reply := read(t, c, req).reply
	require.Equal(t, `"{\"q\":1}"`, reply.Message.Calls()[0].Arguments)
	req.Messages = append(req.Messages, reply.Message, llm.Results(llm.ToolResult{CallID: reply.Message.Calls()[0].ID, Text: "42"}))
	read(t, c, req)
	require.Len(t, sent.Messages, 3)
	require.Equal(t, "r1", sent.Messages[1].ReasoningContent)
	require.JSONEq(t, `[{"id":"new-1","type":"function","function":{"name":"look","arguments":"{\"q\":1}"}}]`, string(sent.Messages[1].ToolCalls))
	require.Equal(t, "new-1", sent.Messages[2].ToolCallID)
}
