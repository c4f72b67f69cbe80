package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

func TestMessageText(t *testing.T) {
	tests := []struct {
		name            string
		parts           llm.Parts
		text, reasoning string
	}{
		{"none", nil, "", ""},
		{"one", llm.Parts{llm.Text("a")}, "a", ""},
		{"empty ones", llm.Parts{llm.Text(""), llm.Text("a"), llm.Text("")}, "a", ""},
		{"several", llm.Parts{llm.Text("a"), llm.Text("b"), llm.Text("c")}, "abc", ""},
		{
			"mixed", llm.Parts{
				llm.Reasoning{Text: "r1"}, llm.Text("a"), llm.ToolCall{ID: "1", Name: "t", Arguments: "{}"},
				llm.Reasoning{Text: "r2"}, llm.Text("b"), llm.ToolResult{Text: "not text"},
			}, "ab", "r1r2",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := llm.Message{Parts: test.parts}
			require.Equal(t, test.text, m.Text())
			require.Equal(t, test.reasoning, m.Reasoning())
		})
	}
}

func TestMessageTextOfOnePartDoesNotAllocate(t *testing.T) {
	m := llm.Message{Parts: llm.Parts{llm.Reasoning{Text: "hm"}, llm.Text(strings.Repeat("x", 1000)), llm.ToolCall{ID: "1"}}}
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() { n += len(m.Text()) + len(m.Reasoning()) }))
	require.NotZero(t, n)
}

func TestMessageCalls(t *testing.T) {
	one, two := llm.ToolCall{ID: "1", Name: "a"}, llm.ToolCall{ID: "2", Name: "b"}
	m := llm.Message{Parts: llm.Parts{one, llm.Text("and"), two}}
	require.Equal(t, []llm.ToolCall{one, two}, m.Calls())
	require.Nil(t, m.Results())
	require.Nil(t, llm.UserText("hi").Calls())

	results := []llm.ToolResult{{CallID: "1", Text: "x"}, {CallID: "2", Text: "y", Failed: true}}
	answered := llm.Results(results...)
	require.Equal(t, llm.Tool, answered.Role)
	require.Equal(t, llm.FromTool, answered.Origin)
	require.Equal(t, results, answered.Results())
}

// LLM-38: each origin is stored with its message, apart from the role.
func TestOriginSurvivesJSON(t *testing.T) {
	origins := []llm.Origin{
		"", llm.FromUser, llm.FromModel, llm.FromTool, llm.FromReminder,
		llm.FromNudge, llm.FromFeedback, llm.FromSummary, llm.FromAnswer,
	}
	for _, origin := range origins {
		t.Run(string(origin), func(t *testing.T) {
			m := llm.Message{Role: llm.User, Origin: origin, Parts: llm.Parts{llm.Text("x")}}
			require.Equal(t, m, throughJSON(t, m))
		})
	}
	require.Equal(t, llm.FromUser, llm.UserText("x").Origin)
	require.Equal(t, llm.FromModel, llm.AssistantText("x").Origin)
}

// LLM-04: what a model wrote as arguments is kept byte for byte, whatever it is.
func TestArgumentsAreKeptByteForByte(t *testing.T) {
	tests := map[string]string{
		"spaces and order":  "{ \"b\" : 1,\n\t\"a\":2 }",
		"repeated key":      `{"a":1,"a":2}`,
		"big number":        `{"n":12345678901234567890.10}`,
		"escapes":           `{"s":"\u00e9\/\ud83d\ude00 é <&>  "}`,
		"cut":               `{"path": "A`,
		"no JSON":           `path=A`,
		"empty":             ``,
		"a lone surrogate":  `{"s":"\ud83d"}`,
		"NUL":               "{\"s\":\"\x00\"}",
		"not UTF-8":         "{\"s\":\"\xff\xfe\"}",
		"half a character":  "{\"s\":\"\xe2\x82",
		"a surrogate coded": "\xed\xa0\xbd",
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) {
			call := llm.ToolCall{ID: "c1", Name: "read_file", Arguments: arguments}
			m := throughJSON(t, llm.Message{Role: llm.Assistant, Parts: llm.Parts{call}})
			require.Equal(t, []llm.ToolCall{call}, m.Calls())
		})
	}
}

func throughJSON[T any](t *testing.T, v T) (back T) {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &back), string(data))
	return back
}
