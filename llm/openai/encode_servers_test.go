package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A body is what a server got.
type body struct {
	raw        string
	Messages   []wireMessage
	Tools      []json.RawMessage
	ToolChoice json.RawMessage `json:"tool_choice"`
	members    map[string]json.RawMessage
}

type wireMessage struct {
	Role      string
	Content   json.RawMessage
	Reasoning string     `json:"reasoning_content"`
	Other     string     `json:"reasoning"`
	Details   []any      `json:"reasoning_details"`
	ToolCalls []wireCall `json:"tool_calls"`
	CallID    string     `json:"tool_call_id"`
}

type wireCall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

// A particular server takes only what refuses says nothing against.
type particular struct {
	*httptest.Server
	mu  sync.Mutex
	got []body
}

// refusing starts a server that answers 400 with the words of refuses, and OK
// where it has none. A message of the form "PARAM: words" names the parameter.
func refusing(t *testing.T, refuses func(body) string) *particular {
	p := &particular{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		b := body{raw: string(raw)}
		if json.Unmarshal(raw, &b) != nil || json.Unmarshal(raw, &b.members) != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		p.mu.Lock()
		p.got = append(p.got, b)
		p.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		if words := refuses(b); words != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, words)
			return
		}
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *particular) client(d llm.Dialect) *Client {
	return &Client{Model: "m", BaseURL: p.URL, Speaks: &d}
}

func (p *particular) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got)
}

// taken tells whether the server answers the request, and checks that it is
// asked once.
func (p *particular) taken(t *testing.T, d llm.Dialect, req llm.Request) bool {
	before := p.requests()
	reply, err := llm.Generate(t.Context(), p.client(d), req)
	require.Equal(t, 1, p.requests()-before, "a refusal is not tried again")
	if err != nil {
		require.ErrorIs(t, err, llm.ErrBadRequest)
		return false
	}
	require.Equal(t, "fine", reply.Message.Text())
	return true
}

// looked is a history with reasoning, a call without text, and its result.
func looked() []llm.Message {
	return []llm.Message{
		llm.UserText("look"),
		{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Reasoning{Text: "r1"}, llm.ToolCall{ID: "functions.look:0", Name: "look", Arguments: "{}"}}},
		llm.Results(llm.ToolResult{CallID: "functions.look:0", Name: "look", Text: "a cat"}),
	}
}

var look = []llm.Spec{{Name: "look"}}

// LLM-E12, B056: each of three servers takes one form of a message without
// text. A refusal is no reason to ask again.
func TestEachFormOfEmptyContentIsTaken(t *testing.T) {
	forms := map[llm.EmptyContent]string{llm.ContentNull: "null", llm.ContentEmpty: `""`, llm.ContentNone: ""}
	for takes, want := range forms {
		server := refusing(t, func(b body) string {
			if string(b.Messages[1].Content) != want {
				return "messages[1].content: wrong form"
			}
			return ""
		})
		for sent := range forms {
			d := llm.Dialect{Wire: llm.Wire{EmptyContent: sent}}
			require.Equal(t, sent == takes, server.taken(t, d, llm.Request{Messages: looked(), Tools: look}), "%q to %q", sent, takes)
		}
	}
	official, _ := DialectNamed("openai")
	require.Equal(t, llm.ContentNull, official.Wire.EmptyContent, "the default suits the official API")
}

// B242: exactly one of the two spellings is sent.
func TestOneSpellingOfTheLimit(t *testing.T) {
	has := func(b body, name string) bool { _, ok := b.members[name]; return ok }
	for _, name := range []string{maxTokens, maxCompletionTokens} {
		server := refusing(t, func(b body) string {
			if has(b, maxTokens) == has(b, maxCompletionTokens) || !has(b, name) {
				return "set one of the two"
			}
			return ""
		})
		require.True(t, server.taken(t, llm.Dialect{Wire: llm.Wire{MaxTokens: name}}, llm.Request{Messages: looked()[:1], MaxTokens: 5}))
	}
}

// LLM-E13: a server that answers 400 to a history with results and no tools.
func TestHistoryWithResultsWithoutTools(t *testing.T) {
	server := refusing(t, func(b body) string {
		for _, m := range b.Messages {
			if (len(m.ToolCalls) > 0 || m.Role == "tool") && len(b.Tools) == 0 {
				return "tools must be defined"
			}
		}
		if len(b.Tools) > 0 && string(b.ToolChoice) != `"none"` {
			return "the model might call"
		}
		return ""
	})
	req := llm.Request{Messages: append(looked(), llm.UserText("Sum it up."))}
	require.False(t, server.taken(t, llm.Dialect{}, req))
	require.True(t, server.taken(t, llm.Dialect{Wire: llm.Wire{ToolsForResults: "keep"}}, req))
	require.True(t, server.taken(t, llm.Dialect{Wire: llm.Wire{ToolsForResults: "text"}}, req))
	require.True(t, server.taken(t, DialectFor("https://unknown.test/v1", "m"), req))
}

// LLM-10, B042: a server that wants the reasoning of calls, in every later
// request and after a resume from JSON. LLM-11, B044, LLM-E16: one that takes
// no unknown member gets the same history without it, and the history keeps it.
func TestReasoningGoesToThoseWhoWantIt(t *testing.T) {
	wants := refusing(t, func(b body) string {
		for _, m := range b.Messages {
			if len(m.ToolCalls) > 0 && m.Reasoning != "r1" {
				return "calls must be passed back with their thoughts"
			}
		}
		return ""
	})
	refuses := refusing(t, func(b body) string {
		for raw := range value(b.raw).member("messages").list() {
			for name := range raw.members() {
				if !strings.Contains(" role content tool_calls tool_call_id ", " "+string(name)+" ") {
					return "unknown member"
				}
			}
		}
		return ""
	})
	history := append(looked(), llm.AssistantText("A cat."), llm.UserText("And now?"))
	stored, err := json.Marshal(history)
	require.NoError(t, err)
	var resumed []llm.Message
	require.NoError(t, json.Unmarshal(stored, &resumed))
	deepseek, _ := DialectNamed("deepseek")
	openai, _ := DialectNamed("openai")
	for _, messages := range [][]llm.Message{history, resumed} {
		req := llm.Request{Messages: messages, Tools: look}
		require.True(t, wants.taken(t, deepseek, req))
		require.False(t, wants.taken(t, openai, req))
		require.True(t, refuses.taken(t, openai, req))
		require.False(t, refuses.taken(t, deepseek, req))
	}
	after, err := json.Marshal(history)
	require.NoError(t, err)
	require.JSONEq(t, string(stored), string(after))
}

// B238: a server that answers 400 to images in tool messages; the session goes on.
func TestImagesOfResults(t *testing.T) {
	server := refusing(t, func(b body) string {
		for _, m := range b.Messages {
			if m.Role == "tool" && strings.Contains(string(m.Content), "image_url") {
				return "tool messages hold text"
			}
		}
		return ""
	})
	history := looked()
	history[2] = llm.Results(llm.ToolResult{CallID: "functions.look:0", Text: "a plot", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}}})
	openai, _ := DialectNamed("openai")
	require.True(t, server.taken(t, openai, llm.Request{Messages: history, Tools: look}))
	require.Contains(t, server.got[0].raw, "data:image/png;base64,cG5n")
	history = append(history, llm.AssistantText("A plot."), llm.UserText("plain text"))
	require.True(t, server.taken(t, openai, llm.Request{Messages: history, Tools: look}))
	blind := openai
	blind.Images = false
	require.True(t, server.taken(t, blind, llm.Request{Messages: history, Tools: look}))
	require.Contains(t, server.got[2].raw, "1 image left out")
	require.False(t, server.taken(t, llm.Dialect{Images: true, ToolImages: true}, llm.Request{Messages: history, Tools: look}))
}

// LLM-E16: a history written at one provider goes on at another that takes
// other ids only; the history is unchanged.
func TestIDsAreMappedForTheReceiver(t *testing.T) {
	server := refusing(t, func(b body) string {
		calls := map[string]bool{}
		for _, m := range b.Messages {
			for _, c := range m.ToolCalls {
				if len(c.ID) != 9 || !only(c.ID, isAlnum) || calls[c.ID] {
					return "ids are nine letters or digits"
				}
				calls[c.ID] = true
			}
			if m.Role == "tool" && !calls[m.CallID] {
				return "result without a call"
			}
		}
		return ""
	})
	history := append(looked(), llm.Message{Role: llm.Assistant, Parts: llm.Parts{
		llm.ToolCall{ID: "functions.look:1", Name: "look", Arguments: "{}"}, llm.ToolCall{ID: strings.Repeat("x", 400), Name: "look", Arguments: "{}"},
		llm.ToolCall{ID: "abcDEF123", Name: "look", Arguments: "{}"},
	}}, llm.Results(llm.ToolResult{CallID: "functions.look:1"}, llm.ToolResult{CallID: strings.Repeat("x", 400)}, llm.ToolResult{CallID: "abcDEF123"}))
	mistral, _ := DialectNamed("mistral")
	kimi, _ := DialectNamed("kimi")
	require.True(t, server.taken(t, mistral, llm.Request{Messages: history, Tools: look}))
	require.Contains(t, server.got[0].raw, `"abcDEF123"`, "an id that fits stays")
	require.False(t, server.taken(t, kimi, llm.Request{Messages: history, Tools: look}))
	require.Contains(t, server.got[1].raw, `"functions.look:1"`)
	openai, _ := DialectNamed("openai")
	server.taken(t, openai, llm.Request{Messages: history, Tools: look})
	for i, most := range map[int]int{1: 64, 2: 40} {
		for _, m := range server.got[i].Messages {
			for _, c := range m.ToolCalls {
				require.LessOrEqual(t, len(c.ID), most)
			}
		}
	}
	require.Equal(t, "functions.look:0", history[1].Calls()[0].ID)
}

// LLM-15, B058, B059: a server whose template raises an error unless there is
// one system message, at the head, and user and assistant take turns.
func TestStrictServers(t *testing.T) {
	server := refusing(t, func(b body) string {
		before := "system"
		for i, m := range b.Messages {
			switch {
			case m.Role == "system" && i > 0:
				return "only one system message, at the head"
			case m.Role == "user" && before == "user", m.Role == "assistant" && (before == "assistant" || before == "system"):
				return "roles must alternate"
			}
			before = m.Role
		}
		return ""
	})
	req := llm.Request{System: "S", Messages: append(looked(), llm.SystemText("a note"), llm.UserText("stop"), llm.UserText("go on"), llm.SystemText("a plan")), Tools: look}
	require.False(t, server.taken(t, llm.Dialect{}, req))
	for _, name := range []string{"strict", "vllm", "llamacpp", "hunyuan"} {
		d, ok := DialectNamed(name)
		require.True(t, ok)
		require.True(t, server.taken(t, d, req), name)
		got := server.got[len(server.got)-1]
		require.JSONEq(t, `"S\n\na note\n\na plan"`, string(got.Messages[0].Content))
		require.JSONEq(t, `"stop\n\ngo on"`, string(got.Messages[len(got.Messages)-1].Content))
	}
}
