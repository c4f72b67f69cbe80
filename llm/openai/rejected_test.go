package openai

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// full is a request with every optional parameter.
func full() llm.Request {
	half := 0.5
	return llm.Request{
		Messages: looked(), Tools: look, Choice: llm.ChoiceRequired, MaxTokens: 9, Temperature: &half, Effort: "high",
		Stop: []string{"END"}, Format: &llm.Format{Name: "f", Schema: []byte(`{"type":"object"}`)}, CacheKey: "run",
	}
}

// LLM-30: a 400 that names a parameter costs one more request, once.
// B243: so it is with the option that makes a server report usage.
func TestRefusedParameterStaysOff(t *testing.T) {
	everything := llm.Dialect{Format: true, EchoReasoning: llm.EchoCalls, Wire: llm.Wire{CacheKey: true, CacheMarks: true}}
	refusals := map[string]string{
		"reasoning_effort":      "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
		"temperature":           "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
		"stream_options":        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]",
		"prompt_cache_key":      "Unrecognized request argument supplied: prompt_cache_key",
		"response_format":       "This response_format type is unavailable now",
		"stop":                  "Unknown parameter: stop",
		"tool_choice":           "Thinking mode does not support this tool_choice",
		"cache_control":         "messages.0.content.0.cache_control: Extra inputs are not permitted",
		"reasoning_content":     "'messages.1': property 'reasoning_content' is unsupported",
		"max_completion_tokens": "Unknown field: max_completion_tokens. Use `max_tokens`.",
	}
	for name, words := range refusals {
		t.Run(name, func(t *testing.T) {
			server := refusing(t, func(b body) string {
				if strings.Contains(b.raw, `"`+name+`":`) {
					return words
				}
				return ""
			})
			client := server.client(everything)
			for _, want := range []int{2, 3, 4} {
				reply, err := llm.Generate(t.Context(), client, full())
				require.NoError(t, err)
				require.Equal(t, "fine", reply.Message.Text())
				require.Equal(t, want, server.requests())
			}
			require.Equal(t, everything, client.Dialect(), "what the host set is not changed")
			_, err := llm.Generate(t.Context(), server.client(everything), full())
			require.NoError(t, err)
			require.Equal(t, 6, server.requests(), "another client finds out for itself")
		})
	}
}

// B242, LLM-30: a spelling that is refused gives way to the other one, and both
// refused to none.
func TestTheOtherSpelling(t *testing.T) {
	both := false
	server := refusing(t, func(b body) string {
		if _, sent := b.members[maxTokens]; sent {
			return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
		}
		if _, sent := b.members[maxCompletionTokens]; sent && both {
			return "unknown field max_completion_tokens"
		}
		return ""
	})
	d := llm.Dialect{Wire: llm.Wire{MaxTokens: maxTokens}}
	_, err := llm.Generate(t.Context(), server.client(d), full())
	require.NoError(t, err)
	require.Equal(t, "9", string(server.got[1].members[maxCompletionTokens]))
	both = true
	_, err = llm.Generate(t.Context(), server.client(d), full())
	require.NoError(t, err)
	require.Equal(t, 5, server.requests())
	require.NotContains(t, server.got[4].raw, "tokens\":9")
}

// LLM-30: nothing is switched off that was not sent, whose value was the
// mistake, or for another kind of error; and not for words that only sound alike.
func TestWhatIsNoRefusal(t *testing.T) {
	sent, bare := full(), llm.Request{Messages: looked()}
	for _, c := range []struct {
		why  string
		err  llm.Error
		req  llm.Request
		want bool
	}{
		{"named by param", llm.Error{Param: "temperature", Message: "no"}, sent, true},
		{"named as a part", llm.Error{Param: "stream_options.include_usage", Message: "no"}, sent, true},
		{"not sent", llm.Error{Message: "Unsupported parameter: 'temperature'"}, bare, false},
		{"nothing named", llm.Error{Message: "invalid request"}, sent, false},
		{"value too large", llm.Error{Param: "max_completion_tokens", Message: "max_completion_tokens is too large: 9. This model supports at most 8"}, sent, false},
		{"value below", llm.Error{Message: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0"}, sent, false},
		{"an ordinary word", llm.Error{Message: "stop sending so much"}, sent, false},
		{"the word in quotes", llm.Error{Message: "'stop' is not supported with this model"}, sent, true},
		{"part of another name", llm.Error{Message: "unknown parameter my_temperature_x"}, sent, false},
		{"a prompt that wants the reasoning", llm.Error{Message: "reasoning_content must be passed back"}, sent, false},
	} {
		c.err.Kind, c.err.Status = llm.ErrBadRequest, http.StatusBadRequest
		var r rejected
		d := llm.Dialect{Format: true, EchoReasoning: llm.EchoCalls}
		require.Equal(t, c.want, r.reject(&c.err, d, c.req), c.why)
		after, _ := r.apply(d, c.req)
		require.Equal(t, !c.want, r.off == nil && after.EchoReasoning == llm.EchoCalls, c.why)
		c.err.Kind = llm.ErrContextLength
		require.False(t, new(rejected).reject(&c.err, d, c.req), "another kind")
		c.err.Kind, c.err.Status = llm.ErrBadRequest, 0
		require.False(t, new(rejected).reject(&c.err, d, c.req), "no answer of a server")
	}
	require.False(t, new(rejected).reject(nil, llm.Dialect{}, sent))
}

// LLM-30: never after output was delivered: an error event in mid-stream that
// names a parameter ends the request.
func TestNoRefusalAfterOutput(t *testing.T) {
	requests := 0
	rt := transport(func(r *http.Request) (*http.Response, error) {
		requests++
		return answering(200, http.Header{"Content-Type": {"text/event-stream"}}, []byte(
			`data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}`+"\n\n"+
				`data: {"error":{"code":400,"message":"Unsupported parameter: 'temperature'","param":"temperature"}}`+"\n\n"), inPieces["whole"])(r)
	})
	_, err := llm.Generate(t.Context(), stubbed(rt, llm.Dialect{}), full())
	require.Error(t, err)
	require.Equal(t, "Hel", llm.AsError(err).Partial)
	require.Equal(t, 1, requests)
}

// LLM-30: requests that are refused at the same time are each made once more.
func TestRefusalsSideBySide(t *testing.T) {
	const n = 8
	var together sync.WaitGroup
	together.Add(n)
	server := refusing(t, func(b body) string {
		if _, sent := b.members["reasoning_effort"]; sent {
			together.Done()
			together.Wait()
			return "Unsupported parameter: 'reasoning_effort'"
		}
		return ""
	})
	client := server.client(llm.Dialect{})
	var done sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		done.Go(func() { _, errs[i] = llm.Generate(t.Context(), client, full()) })
	}
	done.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, 2*n, server.requests())
}
