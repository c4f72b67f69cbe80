package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/openai"
	"github.com/triad-go/triad/tool"
)

// A recording is a conversation of another program with a real provider.
type recording struct {
	Exchanges []struct {
		Request  struct{ Body *recordedBody }
		Response struct {
			Status  int
			Headers map[string]string
			Body    string
		}
	}
}

type recordedBody struct {
	Messages []recordedMessage
	Tools    []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
}

type recordedMessage struct {
	Role       string
	Content    json.RawMessage
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct {
			Name      string
			Arguments json.RawMessage
		}
	} `json:"tool_calls"`
}

// calls returns the message's calls as "name(arguments)", arguments as JSON.
func (m recordedMessage) calls() (calls []string) {
	for _, c := range m.ToolCalls {
		calls = append(calls, c.Function.Name+plain(c.Function.Arguments))
	}
	return calls
}

// plain is arguments as JSON in one form, whether they came as text or not.
func plain(arguments json.RawMessage) string {
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		arguments = json.RawMessage(text)
	}
	var v any
	if json.Unmarshal(arguments, &v) != nil || v == nil {
		return "{}"
	}
	data, _ := json.Marshal(v)
	return string(data)
}

// texts returns the results that a request tells, by call id.
func (b recordedBody) results() map[string]string {
	results := map[string]string{}
	for _, m := range b.Messages {
		if m.Role == "tool" {
			var text string
			if json.Unmarshal(m.Content, &text) != nil {
				text = string(m.Content)
			}
			results[m.ToolCallID] = text
		}
	}
	return results
}

// TestRecordedConversations replays recorded conversations with calls through
// a Loop and the adapter, with stand-ins for the tools: what the loop asks next
// carries the calls and the results that the recording client sent, and the run
// ends with the recorded answer. AGT-01, LLM-16, TOOL-15.
func TestRecordedConversations(t *testing.T) {
	root := os.Getenv("TRIAD_TRANSCRIPTS")
	if root == "" {
		t.Skip("NOT TESTED ON RECORDED CONVERSATIONS: set TRIAD_TRANSCRIPTS to their folder")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	require.NoError(t, err)
	ran := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var r recording
		require.NoError(t, json.Unmarshal(data, &r), file)
		if turns := r.conversation(); turns > 1 {
			ran++
			t.Run(filepath.Base(file), func(t *testing.T) { r.replay(t, turns) })
		}
	}
	require.Greater(t, ran, 40)
}

// conversation returns how many exchanges, from the first, are one conversation
// whose calls have recorded results.
func (r recording) conversation() int {
	n := 0
	for i, e := range r.Exchanges {
		if e.Response.Status != http.StatusOK || e.Request.Body == nil {
			break
		}
		if i > 0 && (len(e.Request.Body.Messages) < len(r.Exchanges[i-1].Request.Body.Messages)+2 || !answered(e.Request.Body.Messages)) {
			break
		}
		n++
	}
	return n
}

// answered tells whether the messages end with results of calls.
func answered(messages []recordedMessage) bool {
	return len(messages) > 0 && messages[len(messages)-1].Role == "tool"
}

func (r recording) replay(t *testing.T, turns int) {
	var asked []recordedBody
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		data, err := io.ReadAll(req.Body)
		var body recordedBody
		if err != nil || json.Unmarshal(data, &body) != nil || len(asked) == turns {
			http.Error(w, `{"error":{"message":"not recorded"}}`, http.StatusBadRequest)
			return
		}
		answer := r.Exchanges[len(asked)].Response
		asked = append(asked, body)
		for name, value := range answer.Headers {
			if strings.EqualFold(name, "content-type") {
				w.Header().Set(name, value)
			}
		}
		_, _ = io.WriteString(w, answer.Body)
	}))
	defer server.Close()
	client := openai.New("recorded")
	client.BaseURL, client.Key = server.URL, "none"
	loop := &agent.Loop{Client: client, Tools: r.standIns(turns), Parallel: 1, NoNudge: true}
	res, err := agent.Do(t.Context(), loop, "go")
	if err != nil { // the recording ends before the conversation does
		require.ErrorContains(t, err, "not recorded")
	}
	require.Len(t, asked, turns)
	for i := 1; i < turns; i++ {
		want, got := lastCalls(r.Exchanges[i].Request.Body.Messages), lastCalls(asked[i].Messages)
		require.Equal(t, want.calls(), got.calls(), "turn %d", i)
		wantResults, gotResults := r.Exchanges[i].Request.Body.results(), asked[i].results()
		for j, c := range got.ToolCalls {
			require.Equal(t, strings.TrimSpace(wantResults[want.ToolCalls[j].ID]), strings.TrimSpace(strings.TrimSuffix(gotResults[c.ID], "(no output)")), "turn %d call %d", i, j)
		}
	}
	if err == nil {
		require.Contains(t, []agent.Reason{agent.Completed, agent.Refused, agent.Failed}, res.Reason)
		require.Equal(t, turns, res.Turns)
		if res.Reason == agent.Completed {
			require.NotEmpty(t, res.Text)
		}
	}
}

// lastCalls returns the last assistant message with calls.
func lastCalls(messages []recordedMessage) (last recordedMessage) {
	for _, m := range messages {
		if len(m.ToolCalls) > 0 {
			last = m
		}
	}
	return last
}

// standIns are tools that say what the recording client was told of each call,
// in the order of the calls.
func (r recording) standIns(turns int) *tool.Registry {
	says := map[string][]string{}
	for i := 1; i < turns; i++ {
		results := r.Exchanges[i].Request.Body.results()
		for _, c := range lastCalls(r.Exchanges[i].Request.Body.Messages).ToolCalls {
			says[c.Function.Name] = append(says[c.Function.Name], results[c.ID])
		}
	}
	tools := tool.NewRegistry()
	for name := range says {
		_ = tools.Add(tool.Tool{
			Spec: llm.Spec{Name: name, Schema: json.RawMessage(`{"type":"object"}`)},
			Run: func(context.Context, tool.Call) (tool.Result, error) {
				if len(says[name]) == 0 {
					return tool.Result{}, fmt.Errorf("%s was not called so often", name)
				}
				text := says[name][0]
				says[name] = says[name][1:]
				return tool.Text(text), nil
			},
		})
	}
	return tools
}
