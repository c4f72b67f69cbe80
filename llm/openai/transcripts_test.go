package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A transcript is what a real provider answered to another program.
type transcript struct {
	file      string
	Exchanges []struct {
		Request  struct{ Body recordedRequest }
		Response recordedAnswer
	}
}

type recordedAnswer struct {
	Status  int
	Headers map[string]string
	Body    string
}

func (a recordedAnswer) header() http.Header {
	h := http.Header{}
	for name, v := range a.Headers {
		if !slices.Contains([]string{"content-length", "content-encoding", "transfer-encoding", "connection"}, strings.ToLower(name)) {
			h.Set(name, v)
		}
	}
	return h
}

type recordedRequest struct {
	Messages []recordedMessage
	Tools    []struct{ Function struct{ Name string } }
}

type recordedMessage struct {
	Role      string
	Content   json.RawMessage
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
}

// transcripts reads the recordings in $TRIAD_TRANSCRIPTS, and skips the test
// where there are none.
func transcripts(t testing.TB) (all []transcript) {
	t.Helper()
	root := os.Getenv("TRIAD_TRANSCRIPTS")
	if root == "" {
		t.Skip("NOT TESTED AGAINST REAL PROVIDERS: set TRIAD_TRANSCRIPTS to the folder of recorded streams")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 208, "recordings are missing in %s", root)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		one := transcript{file: filepath.Base(file)}
		require.NoError(t, json.Unmarshal(data, &one), file)
		all = append(all, one)
	}
	return all
}

// failures are the recordings that are errors: what kind, and the provider's words.
var failures = map[string]struct {
	kind  llm.ErrorKind
	words string
}{
	"azure--openllmetry--azure-test-prompt-content-filtering.json 0":                                         {llm.ErrRefused, "triggering Azure Content management policy"},
	"azure-foundry--ruby_llm--chat-error-handling-with-azure-grok-4-1-fast-non-reasoning-raises-appr.json 0": {llm.ErrAuth, "invalid subscription key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 0":     {llm.ErrAuth, "You didn't provide an API key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 1":     {llm.ErrAuth, "You didn't provide an API key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 2":     {llm.ErrAuth, "You didn't provide an API key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 3":     {llm.ErrAuth, "You didn't provide an API key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 4":     {llm.ErrAuth, "You didn't provide an API key"},
	"dashscope--loongsuite-python-agent--error-scenarios-testerrorscenarios-test-api-key-missing.json 5":     {llm.ErrAuth, "You didn't provide an API key"},
	"deepseek--rig--wire-shape-matrix-chat-completion-rejects-an-unknown-model-with-the-pr.json 0":           {llm.ErrBadRequest, "The supported API model names are"},
	"deepseek--rig--wire-shape-matrix-forced-tool-choice-under-thinking-is-rejected-upstre.json 0":           {llm.ErrBadRequest, "does not support this tool_choice"},
	"deepseek--rig--wire-shape-matrix-forced-tool-choice-under-thinking-is-rejected-upstre.json 1":           {llm.ErrBadRequest, "does not support this tool_choice"},
	"deepseek--ruby_llm--chat-error-handling-with-deepseek-deepseek-chat-raises-appropriate-aut.json 0":      {llm.ErrAuth, "Authentication Fails"},
	"deepseek--ruby_llm--chat-real-error-scenarios-deepseek-deepseek-chat-handles-context-lengt.json 0":      {llm.ErrContextLength, "maximum context length is 1048565 tokens"},
	"groq--pydantic-ai--groq-test-tool-use-failed-error-streaming-with-text.json 0":                          {llm.ErrBadRequest, "model did not call a tool"},
	"groq--pydantic-ai--groq-test-tool-use-failed-error-with-text.json 0":                                    {llm.ErrBadRequest, "model did not call a tool"},
	"groq--pydantic-ai--model-name-suggestions-test-model-name-suggestion-groq.json 0":                       {llm.ErrBadRequest, "does not exist"},
	"groq--rig--response-identity-edge-auth-rejection-classifies-with-contract.json 0":                       {llm.ErrAuth, "Invalid API Key"},
	"llamacpp--rig--error-matrix-tools-without-jinja.json 0":                                                 {llm.ErrUnavailable, "requires --jinja"},
	"llamacpp--rig--multimodal-matrix-unfetchable-image-url.json 0":                                          {llm.ErrUnavailable, "cannot make GET request"},
	"mistral--ai--bad-request-response.json 0":                                                               {llm.ErrBadRequest, "Invalid model"},
	"mistral--rig--response-identity-edge-blocking-error-carries-the-correlation-id.json 0":                  {llm.ErrBadRequest, "Invalid model"},
	"mistral--ruby_llm--chat-error-handling-with-mistral-mistral-small-latest-raises-appropria.json 0":       {llm.ErrAuth, "Invalid API Key"},
	"ollama-cloud--ruby_llm--chat-error-handling-with-ollama-cloud-gpt-oss-120b-raises-appropriate.json 0":   {llm.ErrAuth, "Unauthorized"},
	"openai--ai-gateway--chat-bad-request.json 0":                                                            {llm.ErrBadRequest, "Unsupported parameter: 'max_tokens'"},
	"openai--ai-gateway--chat-no-messages.json 0":                                                            {llm.ErrBadRequest, "Invalid 'messages': empty array"},
	"openai--ai-gateway--chat-unknown-model.json 0":                                                          {llm.ErrBadRequest, "does not exist"},
	"openai--pydantic-ai--openai-test-openai-web-search-tool-model-not-supported.json 0":                     {llm.ErrBadRequest, "Web search options not supported"},
	"openrouter--pydantic-ai--openrouter-test-openrouter-errors-raised.json 0":                               {llm.ErrRateLimit, "temporarily rate-limited upstream"},
	"openrouter--pydantic-ai--openrouter-test-openrouter-errors-raised.json 1":                               {llm.ErrRateLimit, "temporarily rate-limited upstream"},
	"openrouter--pydantic-ai--openrouter-test-openrouter-errors-raised.json 2":                               {llm.ErrRateLimit, "temporarily rate-limited upstream"},
	"openrouter--pydantic-ai--openrouter-test-openrouter-stream-error.json 0":                                {llm.ErrBadRequest, "Token limit reached"},
	"openrouter--ruby_llm--chat-error-handling-with-openrouter-claude-haiku-4-5-raises-appropriat.json 0":    {llm.ErrAuth, "Missing Authentication header"},
	"openrouter--ruby_llm--chat-real-error-scenarios-openrouter-claude-haiku-4-5-handles-context.json 0":     {llm.ErrContextLength, "maximum context length is 200000 tokens"},
	"perplexity--ruby_llm--chat-real-error-scenarios-perplexity-sonar-handles-context-length-exce.json 0":    {llm.ErrContextLength, "The total length of all messages is too long"},
}

// differs are the recordings whose next request does not hold what the answer
// assembles to, and why.
var differs = map[string]string{
	"avian--fantasy--avian-kimi-multi-tool-streaming.json 0":                                   "its client sent a blank in place of the text beside the calls",
	"dashscope--loongsuite-python-agent--test-multi-agent-collaboration-example.json 1":        "the next request is that of the outer agent, which does not hold the inner one's reply",
	"gemini-compat--pydantic-ai--openai-test-compatible-api-with-tool-calls-without-id.json 0": "the call came without an id, and each client makes its own",
	"groq--rig--prompt-caching-streaming-probe.json 1":                                         "the test that was recorded sent a text of its own; the answer is cut within reasoning",
	"huggingface--chatlas--provider-huggingface-test-huggingface-data-extraction.json 0":       "its client wrote the JSON in the text anew, without blanks",
	"huggingface--chatlas--provider-huggingface-test-huggingface-data-extraction.json 1":       "its client wrote the JSON in the text anew, without blanks",
	"huggingface--chatlas--provider-huggingface-test-huggingface-data-extraction.json 2":       "its client wrote the JSON in the text anew, without blanks",
	"openrouter--fantasy--glm-multi-tool-streaming.json 0":                                     "its client lost the first piece of the details, which hold nothing but text, so that we keep no seal",
	"openrouter--fantasy--kimi-multi-tool-streaming.json 0":                                    "its client lost the first piece of the details, which hold nothing but text, so that we keep no seal",
	"openrouter--fantasy--kimi-tool-streaming.json 0":                                          "its client lost the first piece of the details, which hold nothing but text, so that we keep no seal",
	"openrouter--rig--reasoning-tool-order-matrix-streaming-signed-agent-roundtrip.json 0":     "its client dropped the details' format; the signature and its text are the same",
	"vercel-gateway--fantasy--gemini-3-pro-preview-thinking-streaming.json 0":                  "its client sent back the encrypted entry of the details and dropped the one in text",
}

// Every recording, whole through a local HTTP server and in pieces: one reply
// or one typed error, the same each time; the usage that was reported; the kind
// of each error; and, where the recording goes on, the message that its client
// made of the answer.
func TestTranscripts(t *testing.T) {
	all := transcripts(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		var file, exchange int
		fmt.Sscanf(r.URL.Path, "/%d/%d/", &file, &exchange)
		answer := all[file].Exchanges[exchange].Response
		maps.Copy(w.Header(), answer.header())
		w.WriteHeader(answer.Status)
		io.WriteString(w, answer.Body)
	}))
	defer server.Close()
	compared, failed := 0, 0
	for i, one := range all {
		t.Run(one.file, func(t *testing.T) {
			for j, e := range one.Exchanges {
				r := replay(t, e.Response, e.Request.Body, fmt.Sprintf("%s/%d/%d/", server.URL, i, j))
				name := fmt.Sprintf("%s %d", one.file, j)
				if want, ok := failures[name]; ok {
					failed++
					require.NotNil(t, r.err, name)
					require.ErrorIs(t, r.err, want.kind)
					require.Contains(t, r.err.Message, want.words)
					continue
				}
				require.Nil(t, r.err, name)
				if usage := naiveUsage(e.Response.Body); usage != (llm.Usage{}) {
					require.Equal(t, usage, r.reply.Usage)
				} else {
					require.True(t, r.reply.Usage.Estimated)
				}
				if next := one.next(j); next != nil {
					compared++
					if why := differs[name]; why != "" {
						require.NotEqual(t, next.told(), retold(r.reply.Message, *next), "%s: there is a reason to differ: %s", name, why)
						continue
					}
					assert.Equal(t, next.told(), retold(r.reply.Message, *next), name)
				}
			}
		})
	}
	require.Equal(t, len(failures), failed)
	require.Greater(t, compared, 150, "the recordings go on")
}

// replay reads an answer from the server, and in the process in pieces.
func replay(t *testing.T, answer recordedAnswer, request recordedRequest, url string) reading {
	t.Helper()
	req := ask
	for _, tool := range request.Tools {
		req.Tools = append(req.Tools, llm.Spec{Name: tool.Function.Name})
	}
	dialect := llm.Dialect{Name: "recorded"}
	overHTTP := stubbed(http.DefaultTransport, dialect)
	overHTTP.BaseURL = url
	whole := read(t, overHTTP, req)
	for way, pieces := range inPieces {
		r := read(t, stubbed(answering(answer.Status, answer.header(), []byte(answer.Body), pieces), dialect), req)
		require.Equal(t, whole.dump(), r.dump(), way)
	}
	return whole
}

// next returns the assistant message that follows the messages of exchange i in
// the next request; nil if that is not how the recording goes on.
func (tr transcript) next(i int) *recordedMessage {
	if i+1 >= len(tr.Exchanges) {
		return nil
	}
	before, after := tr.Exchanges[i].Request.Body.Messages, tr.Exchanges[i+1].Request.Body.Messages
	if len(before) == 0 || len(after) <= len(before) || after[len(before)].Role != "assistant" {
		return nil
	}
	m := after[len(before)]
	for _, more := range after[len(before)+1:] { // some keep text and calls apart
		if more.Role != "assistant" {
			break
		}
		m.ToolCalls = append(m.ToolCalls, more.ToolCalls...)
	}
	return &m
}

// told is a message as lines: its text, its calls and what is echoed beside them.
func (m recordedMessage) told() string {
	var b strings.Builder
	fmt.Fprintf(&b, "text %q\n", naivePlain(m.Content))
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "call %s %s %s\n", c.ID, c.Function.Name, canonical(c.Function.Arguments))
	}
	if echoed := cmp.Or(m.ReasoningContent, m.Reasoning); echoed != "" {
		fmt.Fprintf(&b, "reasoning %q\n", echoed)
	}
	if len(m.ReasoningDetails) > 0 {
		fmt.Fprintf(&b, "details %s\n", canonical(string(m.ReasoningDetails)))
	}
	return b.String()
}

// retold is the same of a message of ours, as far as like echoes it.
func retold(m llm.Message, like recordedMessage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "text %q\n", m.Text())
	for _, c := range m.Calls() {
		fmt.Fprintf(&b, "call %s %s %s\n", c.ID, c.Name, canonical(c.Arguments))
	}
	if like.ReasoningContent+like.Reasoning != "" {
		fmt.Fprintf(&b, "reasoning %q\n", m.Reasoning())
	}
	if len(like.ReasoningDetails) > 0 {
		for _, p := range m.Parts {
			if r, ok := p.(llm.Reasoning); ok {
				var seal struct {
					Details json.RawMessage `json:"reasoning_details"`
				}
				json.Unmarshal([]byte(r.Seal.Data), &seal)
				fmt.Fprintf(&b, "details %s\n", canonical(string(seal.Details)))
			}
		}
	}
	return b.String()
}

// canonical returns JSON with its members sorted; what is none stays as it is.
// No arguments and an empty object are the same.
func canonical(text string) string {
	if text == "" {
		return "{}"
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return string(out)
}
