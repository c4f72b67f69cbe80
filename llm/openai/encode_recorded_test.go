package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// What other programs sent to real providers, and those took, says the same
// after it was read into messages and written in that provider's dialect: the
// same texts, calls and results, in the same order.
func TestRecordedRequests(t *testing.T) {
	root := os.Getenv("TRIAD_TRANSCRIPTS")
	if root == "" {
		t.Skip("NOT TESTED AGAINST REAL REQUESTS: set TRIAD_TRANSCRIPTS to the folder of recorded streams")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	require.NoError(t, err)
	taken, all := map[string]int{}, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var recording struct {
			Provider, Model string
			Exchanges       []struct {
				Request  struct{ Body json.RawMessage }
				Response struct{ Status int }
			}
		}
		require.NoError(t, json.Unmarshal(data, &recording), file)
		for _, x := range recording.Exchanges {
			d := recordedDialect(recording.Provider, recording.Model)
			if x.Response.Status == 200 && wellFormed(x.Request.Body) && sameAgain(t, filepath.Base(file), d, x.Request.Body) {
				taken[recording.Provider]++
				all++
			}
		}
	}
	require.GreaterOrEqual(t, all, 300, "%v", taken)
	for _, provider := range []string{"azure", "dashscope", "deepseek", "gemini-compat", "groq", "llamacpp", "mistral", "ollama", "openai", "openrouter", "xai", "zai"} {
		require.NotZero(t, taken[provider], provider)
	}
}

// wellFormed leaves out what this package does not send: images by address,
// names of roles that few know, more than one message a call.
func wellFormed(body []byte) bool {
	text := string(body)
	return len(body) > 4 && !strings.Contains(text, `"url": "http`) && !strings.Contains(text, `"url":"http`) &&
		!strings.Contains(text, `elided`) && !strings.Contains(text, `"developer"`) && !strings.Contains(text, "input_audio")
}

func recordedDialect(provider, model string) llm.Dialect {
	for folder, name := range map[string]string{"dashscope": "qwen", "zai": "glm", "gemini-compat": "gemini", "azure-foundry": "azure", "ollama-cloud": "ollama"} {
		if provider == folder {
			provider = name
		}
	}
	d, ok := DialectNamed(provider)
	if !ok {
		d = DialectFor("https://unknown.test", model)
	}
	d.Strict = false // so that message stands beside message
	return d
}

func sameAgain(t *testing.T, file string, d llm.Dialect, recorded []byte) bool {
	req := fromWire(t, recorded)
	for i, m := range req.Messages {
		if m.Role == llm.Tool {
			for j, p := range m.Parts {
				if r := p.(llm.ToolResult); r.Text == "" && len(r.Images) == 0 {
					r.Text = noOutput
					req.Messages[i].Parts[j] = r
				}
			}
		}
	}
	if (llmtest.Rules{}).Validate(llm.Request{Messages: req.Messages}) != nil {
		return false // some hold what only their provider takes
	}
	d.Wire.ToolsForResults = ""
	again := fromWire(t, bodyOf(t, d, llm.Request{Messages: req.Messages, Tools: req.Tools}))
	require.Equal(t, said(d, req), said(d, again), file)
	require.Len(t, again.Tools, len(req.Tools), file)
	return true
}

// said is what a request says, in words that two forms of it share.
func said(d llm.Dialect, req llm.Request) (out []string) {
	for _, m := range req.Messages {
		text := string(m.Role) + ": " + strings.TrimSpace(m.Text())
		for _, c := range m.Calls() {
			text += " call " + mappedID(d.Wire.IDs, c.ID) + " " + c.Name + " " + strings.TrimSpace(c.Arguments)
		}
		for _, r := range m.Results() {
			text += " result " + mappedID(d.Wire.IDs, r.CallID) + " " + r.Text
		}
		out = append(out, text)
	}
	return out
}
