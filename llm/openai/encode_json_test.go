package openai

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// LLM-E11: invalid UTF-8, NUL and lone surrogates are replaced, in every place
// where text stands, and all other text is kept.
func TestTextThatNoServerTakes(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"né 你好 🌍 \u2028\u007f\b": "né 你好 🌍 \u2028\u007f\b",
		"a\x00b":                 "a\uFFFDb",
		"a\xffb":                 "a\uFFFDb",
		"a\xed\xa0\x80b":         "a\uFFFDb",
		"\xff\xfe":               "\uFFFD",
		"half \xe4\xbd":          "half \uFFFD",
		"kept \uFFFD":            "kept \uFFFD",
		"<a>&\"\\/\n\r\t\x1f":    "<a>&\"\\/\n\r\t\x1f",
	} {
		var got string
		quoted := appendString(nil, in)
		require.True(t, utf8.Valid(quoted))
		require.NoError(t, json.Unmarshal(quoted, &got))
		require.Equal(t, want, got)
	}
	bad := "a\x00b\xed\xa0\x80c"
	body := bodyOf(t, llm.Dialect{EchoReasoning: llm.EchoCalls, Wire: llm.Wire{CacheKey: true, IDs: idsAny}}, llm.Request{
		System: bad, CacheKey: bad, Stop: []string{bad},
		Messages: []llm.Message{
			llm.UserText(bad),
			{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: bad}, llm.ToolCall{ID: bad, Name: bad, Arguments: `{"a":"\ud800\u0000\udc00 \ud83c\udf0d \\ud800 ` + bad[4:] + `"}`}}},
			llm.Results(llm.ToolResult{CallID: bad, Text: bad}),
		},
		Tools: []llm.Spec{{Name: "look", Description: bad, Schema: json.RawMessage(`{"type":"object","properties":{"a":{"const":"\udfff\u0000"}}}`)}},
	})
	require.True(t, json.Valid(body) && utf8.Valid(body))
	require.Equal(t, 9, strings.Count(string(body), "a\uFFFDb\uFFFDc"), "system, user, reasoning, two ids, result, description, stop, key")
	require.Contains(t, string(body), `{\"a\":\"\\ufffd\\ufffd\\ufffd \\ud83c\\udf0d \\\\ud800 `, "pairs and escaped backslashes stay")
	require.Contains(t, string(body), `"const":"\ufffd\ufffd"`)
}

// LLM-29, B062, B063, B066 (the adapter's share): what goes out as arguments is
// always a JSON object, and the model's own words where they are one.
func TestArgumentsAreAnObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1, "a": 2.0}`:   `{"b": 1, "a": 2.0}`,
		" {} ":                 " {} ",
		"":                     `{}`,
		" \n":                  `{}`,
		"null":                 `{}`,
		`"{\"q\": 1}"`:         `{"q": 1}`,
		`{"path":"a","bo`:      `{"unreadable_arguments":"{\"path\":\"a\",\"bo"}`,
		`[1]`:                  `{"unreadable_arguments":"[1]"}`,
		`7`:                    `{"unreadable_arguments":"7"}`,
		`"text"`:               `{"unreadable_arguments":"\"text\""}`,
		`{"a":1}{"b":2}`:       `{"unreadable_arguments":"{\"a\":1}{\"b\":2}"}`,
		"{\"a\":\"\x00\"}":     "{\"unreadable_arguments\":\"{\\\"a\\\":\\\"\uFFFD\\\"}\"}",
		`{"n":0,"kind":null}`:  `{"n":0,"kind":null}`,
		`"\"{\\\"q\\\": 1}\""`: `{"unreadable_arguments":"\"\\\"{\\\\\\\"q\\\\\\\": 1}\\\"\""}`,
	} {
		require.Equal(t, want, arguments(in), in)
	}
}

// Bad input is refused at the door, by a typed error that names it.
func TestRequestsThatMakeNoSense(t *testing.T) {
	nan, below := math.NaN(), -1.0
	ok := []llm.Message{llm.UserText("hi")}
	for want, req := range map[string]llm.Request{
		"no message that says anything":         {Messages: []llm.Message{{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: "hm"}}}}},
		"temperature NaN":                       {Messages: ok, Temperature: &nan},
		"temperature -1":                        {Messages: ok, Temperature: &below},
		"-5 tokens":                             {Messages: ok, MaxTokens: -5},
		"there are no tools":                    {Messages: ok, Choice: llm.ChoiceRequired},
		`"lok", is not in the list`:             {Messages: ok, Choice: "lok", Tools: look},
		"listed twice":                          {Messages: ok, Tools: []llm.Spec{{Name: "a"}, {Name: "a"}}},
		"tool 0 has no name":                    {Messages: ok, Tools: []llm.Spec{{}}},
		`schema of tool "a": invalid`:           {Messages: ok, Tools: []llm.Spec{{Name: "a", Schema: []byte(`nonsense`)}}},
		"not a JSON Schema: 7":                  {Messages: ok, Tools: []llm.Spec{{Name: "a", Schema: []byte(`7`)}}},
		`message 0: unknown role "bot"`:         {Messages: []llm.Message{{Role: "bot", Parts: llm.Parts{llm.Text("hi")}}}},
		"message 0: unknown kind":               {Messages: []llm.Message{{Role: llm.User, Parts: llm.Parts{new(llm.Text)}}}},
		"message 0: unknown kind of part <nil>": {Messages: []llm.Message{{Role: llm.User, Parts: llm.Parts{nil}}}},
		"the reply's format":                    {Messages: ok, Format: &llm.Format{Name: "f", Schema: []byte(`{`)}},
	} {
		var e encoder
		_, err := e.body("m", llm.Dialect{Format: true}, req, nil)
		require.ErrorIs(t, err, llm.ErrBadRequest)
		require.ErrorContains(t, err, want)
	}
	var e encoder
	_, err := e.body("m", llm.Dialect{}, llm.Request{Messages: ok}, map[string]any{"messages": 1})
	require.ErrorContains(t, err, `extra member "messages"`)
	_, err = e.body("m", llm.Dialect{}, llm.Request{Messages: ok}, map[string]any{"f": func() {}})
	require.ErrorContains(t, err, `extra member "f"`)
}

// Whatever text a call's arguments are, they go out as an object, and text as
// itself but for what is replaced.
func FuzzText(f *testing.F) {
	for _, s := range []string{`{"a":"\ud800"}`, `"{}"`, "\xff\x00", `{"a":"\\u0000\u0000"}`, "{\"a\":\"\xed\xa0\x80\"}", `{"`, "\\u"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var object map[string]any
		args := arguments(s)
		require.NoError(t, json.Unmarshal([]byte(args), &object))
		require.True(t, utf8.ValidString(args))
		require.Equal(t, args, arguments(args), "it stays as it is")
		var text string
		require.NoError(t, json.Unmarshal(appendString(nil, s), &text))
		require.Equal(t, strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD"), text)
	})
}
