package openai

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// B146, B149, LLM-27: how providers say that a request is longer than the
// context, and the counts that are learned from it.
func TestOverflowPhrases(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		window int
		input  int
	}{
		{"the code", 400, `{"error":{"message":"Too long.","code":"context_length_exceeded"}}`, 0, 0},
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 128000, 130012},
		{"OpenAI, with the reply", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion)."}}`, 8192, 8000},
		{"OpenAI, responses", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}`, 0, 0},
		{"Anthropic", 400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, 200000, 210000},
		{"Anthropic, with the reply", 400, "{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length\"}}", 200000, 188240},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, 4096, 5000},
		{"llama.cpp, in words", 400, `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"}}`, 4096, 5000},
		{"SGLang", 400, `{"object":"error","message":"The input (40000 tokens) is longer than the model's context length (32768 tokens).","code":400}`, 32768, 40000},
		{"DashScope", 400, `{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 129024]"}}`, 129024, 0},
		{"Kimi", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144","type":"invalid_request_error"}}`, 262144, 0},
		{"GLM", 400, `{"error":{"code":"1261","message":"Prompt 超长"}}`, 0, 0},
		{"StepFun", 400, `{"error":{"message":"the input exceeds the maximum allowed input length"}}`, 0, 0},
		{"max_seq_len", 400, `{"error":{"message":"prompt length 9000 exceeds max_seq_len 8192"}}`, 8192, 9000},
		{"B149 two numbers", 400, `{"error":{"message":"prompt too long: input 400013, limit 262144"}}`, 262144, 400013},
		{"B149 two numbers, thousands marked", 413, `{"message":"Input of 400,013 exceeds the maximum allowed input length of 262,144 tokens"}`, 262144, 400013},
		{"Gemini", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576, 1200000},
		{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, 131072, 537812},
		{"Copilot", 400, `{"error":{"message":"prompt token count of 140000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, 128000, 140000},
		{"vLLM", 400, `{"object":"error","message":"The decoder prompt (length 10000) is longer than the maximum model length of 4096.","code":400}`, 4096, 10000},
		{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 0, 0},
		{"Perplexity", 400, `{"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens","code":400}}`, 0, 0},
		{"MiniMax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, 0, 0},
		{"Ollama", 400, `{"error":"prompt too long; exceeded max context length by 900 tokens"}`, 0, 0},
		{"a body too large", 413, "", 0, 0},
		{"as a fault of the server", 500, `{"error":{"code":500,"message":"the request exceeds the available context size"}}`, 0, 0},
		{"within a stream", 200, "data: {\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}\n\n", 200000, 210000},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := stubbed(answering(c.status, http.Header{}, []byte(c.body), inPieces["whole"]), llm.Dialect{})
			e := read(t, client, ask).err
			require.NotNil(t, e)
			require.ErrorIs(t, e, llm.ErrContextLength, e.Message)
			require.False(t, e.Retryable())
			require.Equal(t, c.window, e.Window, "the window")
			if c.input != 0 {
				require.Equal(t, c.input, e.Input, "the input")
			}
		})
	}
}

// LLM-27: what speaks of tokens and length, and is no overflow.
func TestNoOverflow(t *testing.T) {
	for i, c := range []struct {
		status int
		body   string
		want   error
	}{
		{429, `{"error":{"message":"Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s."}}`, llm.ErrRateLimit},
		{429, `{"error":{"message":"Request too large for gpt-5: Limit 30000, Requested 40000. The input or output tokens must be reduced."}}`, llm.ErrRateLimit},
		{413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRateLimit},
		{400, `{"message":"ThrottlingException: Too many tokens, please wait before trying again."}`, llm.ErrRateLimit},
		{503, `{"error":{"message":"Too many tokens in flight. Please wait."}}`, llm.ErrUnavailable},
		{400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens.","param":"max_tokens"}}`, llm.ErrBadRequest},
		{400, `{"error":{"message":"Invalid value for 'stop': too long"}}`, llm.ErrBadRequest},
		{402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 100."}}`, llm.ErrQuota},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			client := stubbed(answering(c.status, http.Header{}, []byte(c.body), inPieces["whole"]), llm.Dialect{})
			e := read(t, client, ask).err
			require.NotNil(t, e)
			require.ErrorIs(t, e, c.want)
			require.Zero(t, e.Window)
		})
	}
}
