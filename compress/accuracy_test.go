package compress

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A recording is what a real provider was asked, and what it counted.
type recording struct {
	provider string
	request  llm.Request
	prompt   int // tokens reported of the request
	output   int // and of the reply
	position int // of the request in its conversation
	estimate int
	media    bool // it holds what is no text
}

type recordedBody struct {
	Messages []struct {
		Role      string
		Content   json.RawMessage
		ToolCalls []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
		ToolCallID       string `json:"tool_call_id"`
		ReasoningContent string `json:"reasoning_content"`
	}
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
}

func (b recordedBody) request() (req llm.Request, media bool) {
	for _, t := range b.Tools {
		req.Tools = append(req.Tools, llm.Spec{Name: t.Function.Name, Description: t.Function.Description, Schema: compactJSON(t.Function.Parameters)})
	}
	for _, m := range b.Messages {
		text, other := contentOf(m.Content)
		media = media || other
		message := llm.Message{Role: llm.Role(m.Role)}
		if m.ReasoningContent != "" {
			message.Parts = append(message.Parts, llm.Reasoning{Text: m.ReasoningContent})
		}
		switch {
		case m.Role == "tool":
			message.Parts = append(message.Parts, llm.ToolResult{CallID: m.ToolCallID, Text: text})
		case text != "":
			message.Parts = append(message.Parts, llm.Text(text))
		}
		for _, c := range m.ToolCalls {
			message.Parts = append(message.Parts, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, message)
	}
	return req, media
}

// compactJSON returns JSON as it was sent, which the recording has indented.
func compactJSON(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// contentOf returns the text of a message and whether it has anything else.
func contentOf(raw json.RawMessage) (text string, other bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(raw, &parts) // null is no text
	for _, p := range parts {
		text, other = text+p.Text, other || p.Type != "text"
	}
	return text, other
}

var (
	promptTokens = regexp.MustCompile(`"prompt_tokens": ?(\d+)`)
	outputTokens = regexp.MustCompile(`"completion_tokens": ?(\d+)`)
)

// recordings reads those in $TRIAD_TRANSCRIPTS that tell what was counted.
func recordings(t *testing.T) (all []recording) {
	root := os.Getenv("TRIAD_TRANSCRIPTS")
	if root == "" {
		t.Skip("ACCURACY IS NOT TESTED: set TRIAD_TRANSCRIPTS to the folder of recorded requests")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var one struct {
			Exchanges []struct {
				Request  struct{ Body json.RawMessage }
				Response struct{ Body string }
			}
		}
		require.NoError(t, json.Unmarshal(data, &one), file)
		position := 0
		for _, e := range one.Exchanges {
			var body recordedBody
			if json.Unmarshal(e.Request.Body, &body) != nil || len(body.Messages) == 0 {
				continue
			}
			r := recording{provider: filepath.Base(filepath.Dir(file)), prompt: lastCount(promptTokens, e.Response.Body), output: lastCount(outputTokens, e.Response.Body)}
			r.request, r.media = body.request()
			if position > 0 && len(all) > 0 && extends(r.request, all[len(all)-1].request) {
				r.position = position
			} else {
				position = 0
			}
			if r.prompt > 0 {
				all = append(all, r)
				position++
			}
		}
	}
	return all
}

func lastCount(form *regexp.Regexp, body string) (n int) {
	for _, m := range form.FindAllStringSubmatch(body, -1) {
		v, found := 0, m[1]
		for _, c := range found {
			v = 10*v + int(c-'0')
		}
		n = max(n, v)
	}
	return n
}

// extends tells whether a request goes on with the conversation of one before.
func extends(req, before llm.Request) bool {
	return len(req.Messages) > len(before.Messages) && told(req.Messages[:len(before.Messages)]) == told(before.Messages)
}

// Against the prompt tokens that real providers reported. Most of these requests
// are very short, and providers add to them what no request shows: the template
// of a chat, instructions for tools, a standing prompt of their own (the table
// says how much). So the whole request is compared where it has enough text of
// its own, each but once; and the whole again once the last reply's usage is
// known, which is what a run goes by (CMP-25).
func TestAccuracy(t *testing.T) {
	d := llm.Dialect{EchoReasoning: llm.EchoAll}
	var before recording
	var plain, long, calibrated []float64
	seen := map[[2]int]bool{}
	providers := map[string][]recording{}
	memory := &Memory{}
	for _, r := range recordings(t) {
		if r.media { // pictures are charged by the pixel
			continue
		}
		n := Count(nil, r.request, d)
		r.estimate = n
		plain = append(plain, float64(n)/float64(r.prompt))
		if key := [2]int{n, r.prompt}; n >= enough && !seen[key] {
			seen[key], long = true, append(long, float64(n)/float64(r.prompt))
		}
		providers[r.provider] = append(providers[r.provider], r)
		if r.position == 0 {
			memory = &Memory{}
		} else if r.prompt > before.prompt {
			v := View{Request: r.request, Dialect: d, Memory: memory, Reported: before.prompt + before.output, Covers: len(before.request.Messages) + 1}
			calibrated = append(calibrated, float64((&Tiers{}).estimate(v))/float64(r.prompt))
		}
		before = r
	}
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		hidden := 0
		for _, r := range providers[name] {
			hidden += r.prompt - r.estimate
		}
		t.Logf("%-18s %3d requests; reported less estimated: %5d tokens a request", name, len(providers[name]), hidden/len(providers[name]))
	}
	report(t, "whole requests", plain)
	own := report(t, "those of enough", long)
	known := report(t, "calibrated", calibrated)
	require.LessOrEqual(t, own, 0.15)
	require.Greater(t, long[0], 0.5)
	require.Less(t, long[len(long)-1], 2.0)
	require.LessOrEqual(t, known, 0.05)
}

const enough = 400 // tokens of its own, so that what a provider adds does not decide

// report logs how ratios of estimated to reported tokens lie, and returns the
// median of the errors.
func report(t *testing.T, name string, ratios []float64) float64 {
	errors := make([]float64, len(ratios))
	for i, r := range ratios {
		errors[i] = math.Abs(r - 1)
	}
	slices.Sort(errors)
	slices.Sort(ratios)
	at := func(s []float64, q float64) float64 { return s[int(q*float64(len(s)-1))] }
	t.Logf("%-18s %3d requests; error %.1f %% at the median, %.1f %% at nine tenths; ratio %.2f to %.2f, median %.2f",
		name, len(ratios), 100*at(errors, 0.5), 100*at(errors, 0.9), ratios[0], ratios[len(ratios)-1], at(ratios, 0.5))
	return at(errors, 0.5)
}
