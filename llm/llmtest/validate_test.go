package llmtest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

func calls(ids ...string) llm.Message {
	var answers []llmtest.Answer
	for _, id := range ids {
		answers = append(answers, llmtest.Call(id, "look", "{}"))
	}
	return llmtest.Calls(answers...).Reply.Message
}

func results(ids ...string) llm.Message {
	var out []llm.ToolResult
	for _, id := range ids {
		out = append(out, llm.ToolResult{CallID: id, Name: "look", Text: "ok"})
	}
	return llm.Results(out...)
}

func user(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.User, Parts: parts} }

var (
	hi    = llm.UserText("hi")
	hello = llm.AssistantText("hello")
	png   = llm.Image{MediaType: "image/png", Data: []byte{1}}
)

// LLM-16: 1, 2 and 5 calls that finished in any order are told in call order.
func TestValidateTakesGoodHistories(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprint("k", i))
		}
		finished := slices.Clone(ids)
		slices.Reverse(finished)
		require.NoError(t, llmtest.Validate(llm.Request{Messages: []llm.Message{hi, calls(ids...), results(ids...), hello}}))
		apart := []llm.Message{hi, calls(ids...)}
		for _, id := range ids {
			apart = append(apart, results(id))
		}
		require.NoError(t, llmtest.Validate(llm.Request{Messages: apart}), "a result a message")
		if n > 1 {
			require.Equal(t, []llmtest.Rule{llmtest.Order}, broken(t, llmtest.Rules{}, llm.Request{Messages: []llm.Message{hi, calls(ids...), results(finished...)}}))
		}
	}
	half := 0.5
	require.NoError(t, llmtest.Validate(llm.Request{
		System:   "Be brief.",
		Messages: []llm.Message{llm.SystemText("note"), user(llm.Text(""), png), hi, calls("a"), llm.Results(llm.ToolResult{CallID: "a", Images: []llm.Image{png}}), hello, hello},
		Tools:    []llm.Spec{{Name: "look", Schema: []byte(`{"type":"object"}`)}, {Name: "stare"}},
		Choice:   "stare", MaxTokens: 1, Temperature: &half,
		Format: &llm.Format{Name: "plan", Schema: []byte(`{"type":"object"}`)},
	}))
}

// broken returns the rules that the request breaks, each once, in order.
func broken(t *testing.T, r llmtest.Rules, req llm.Request) (rules []llmtest.Rule) {
	t.Helper()
	err := r.Validate(req)
	if err == nil {
		return nil
	}
	var faults llmtest.Faults
	require.ErrorAs(t, err, &faults)
	for _, f := range faults {
		require.NotEmpty(t, f.Reason)
		require.Contains(t, err.Error(), f.String())
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// GEN-05, LLM-16: each rule, broken alone, is named, and nothing else is.
func TestValidateNamesTheRule(t *testing.T) {
	nan, negative := math.NaN(), -1.0
	history := func(ms ...llm.Message) llm.Request { return llm.Request{Messages: ms} }
	with := func(change func(*llm.Request)) llm.Request {
		req := history(hi)
		change(&req)
		return req
	}
	oneCall := func(c llm.ToolCall) llm.Request {
		return history(hi, llm.Message{Role: llm.Assistant, Parts: llm.Parts{c}}, llm.Results(llm.ToolResult{CallID: c.ID, Text: "ok"}))
	}
	cases := []struct {
		name string
		req  llm.Request
		rule llmtest.Rule
		at   int
	}{
		{"no messages", history(), llmtest.Empty, -1},
		{"a role nobody knows", history(hi, llm.Message{Role: "developer", Parts: llm.Parts{llm.Text("x")}}), llmtest.Role, 1},
		{"an image of the assistant", history(hi, llm.Message{Role: llm.Assistant, Parts: llm.Parts{png}}), llmtest.Part, 1},
		{"an image in system text", history(llm.Message{Role: llm.System, Parts: llm.Parts{png}}, hi), llmtest.Part, 0},
		{"text beside results", history(hi, calls("a"), llm.Message{Role: llm.Tool, Parts: append(results("a").Parts, llm.Text("x"))}), llmtest.Part, 2},
		{"a nil part", history(hi, llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Text("x"), nil}}), llmtest.Part, 1},
		{"an image of no kind", history(user(llm.Image{Data: []byte{1}})), llmtest.Image, 0},
		{"an image of no bytes", history(user(llm.Image{MediaType: "image/png"})), llmtest.Image, 0},
		{"an empty image in a result", history(hi, calls("a"), llm.Results(llm.ToolResult{CallID: "a", Images: []llm.Image{{}}})), llmtest.Image, 2},
		{"an empty user message", history(hi, user()), llmtest.Empty, 1},
		{"a blank user message", history(user(llm.Text(" \n"))), llmtest.Empty, 0},
		{"an empty assistant message", history(hi, llm.AssistantText("")), llmtest.Empty, 1},
		{"reasoning alone", history(hi, llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: "hm"}}}), llmtest.Empty, 1},
		{"an empty result", history(hi, calls("a"), llm.Results(llm.ToolResult{CallID: "a"})), llmtest.Empty, 2},
		{"a tool message of nothing", history(hi, llm.Results()), llmtest.Empty, 1},
		{"a call without id", oneCall(llm.ToolCall{Name: "look", Arguments: "{}"}), llmtest.ID, 1},
		{"B053: one id twice in a message", history(hi, calls("a", "a"), results("a", "a")), llmtest.ID, 1},
		{"one id twice in a history", history(hi, calls("a"), results("a"), calls("a"), results("a")), llmtest.ID, 3},
		{"a call of a bad name", oneCall(llm.ToolCall{ID: "a", Name: "look at", Arguments: "{}"}), llmtest.Name, 1},
		{"arguments of nothing", oneCall(llm.ToolCall{ID: "a", Name: "look"}), llmtest.Arguments, 1},
		{"arguments null", oneCall(llm.ToolCall{ID: "a", Name: "look", Arguments: "null"}), llmtest.Arguments, 1},
		{"arguments in a list", oneCall(llm.ToolCall{ID: "a", Name: "look", Arguments: `[{}]`}), llmtest.Arguments, 1},
		{"cut arguments", oneCall(llm.ToolCall{ID: "a", Name: "look", Arguments: `{"q":`}), llmtest.Arguments, 1},
		{"arguments and more", oneCall(llm.ToolCall{ID: "a", Name: "look", Arguments: `{} {}`}), llmtest.Arguments, 1},
		{"B050: no result", history(hi, calls("a")), llmtest.Missing, 1},
		{"one result of two", history(hi, calls("a", "b"), results("b")), llmtest.Missing, 1},
		{"a result too late", history(hi, calls("a"), hi), llmtest.Missing, 1},
		{"B048: a result without its call", history(hi, results("a"), hello), llmtest.Orphan, 1},
		{"a result of an older call", history(hi, calls("a"), results("a"), calls("b"), results("b", "a")), llmtest.Orphan, 4},
		{"a result of another tool", history(hi, calls("a"), llm.Results(llm.ToolResult{CallID: "a", Name: "stare", Text: "x"})), llmtest.Orphan, 2},
		{"two results", history(hi, calls("a"), results("a", "a")), llmtest.Twice, 2},
		{"results out of order", history(hi, calls("a", "b"), results("b"), results("a")), llmtest.Order, 3},
		{"broken text", history(user(llm.Text("a\xff"))), llmtest.Encoding, 0},
		{"NUL in a result", history(hi, calls("a"), llm.Results(llm.ToolResult{CallID: "a", Text: "a\x00b"})), llmtest.Encoding, 2},
		{"broken reasoning", history(hi, llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: "\xff"}, llm.Text("x")}}), llmtest.Encoding, 1},
		{"broken system text", with(func(r *llm.Request) { r.System = "\xff" }), llmtest.Encoding, -1},
		{"a broken description", with(func(r *llm.Request) { r.Tools = []llm.Spec{{Name: "a", Description: "\xff"}} }), llmtest.Encoding, -1},
		{"a tool of no name", with(func(r *llm.Request) { r.Tools = []llm.Spec{{}} }), llmtest.Name, -1},
		{"a tool of 65 letters", with(func(r *llm.Request) { r.Tools = []llm.Spec{{Name: string(make65())}} }), llmtest.Name, -1},
		{"two tools of one name", with(func(r *llm.Request) { r.Tools = []llm.Spec{{Name: "a"}, {Name: "a"}} }), llmtest.Tool, -1},
		{"a schema that is none", with(func(r *llm.Request) { r.Tools = []llm.Spec{{Name: "a", Schema: []byte(`true`)}} }), llmtest.Tool, -1},
		{"a schema of an array", with(func(r *llm.Request) { r.Tools = []llm.Spec{{Name: "a", Schema: []byte(`{"type":"array"}`)}} }), llmtest.Tool, -1},
		{"a choice nobody has", with(func(r *llm.Request) { r.Choice = "look" }), llmtest.Choice, -1},
		{"a call required of nothing", with(func(r *llm.Request) { r.Choice = llm.ChoiceRequired }), llmtest.Choice, -1},
		{"fewer than no tokens", with(func(r *llm.Request) { r.MaxTokens = -1 }), llmtest.Option, -1},
		{"no temperature", with(func(r *llm.Request) { r.Temperature = &nan }), llmtest.Option, -1},
		{"frost", with(func(r *llm.Request) { r.Temperature = &negative }), llmtest.Option, -1},
		{"a format without a name", with(func(r *llm.Request) { r.Format = &llm.Format{Schema: []byte(`{}`)} }), llmtest.Option, -1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, []llmtest.Rule{c.rule}, broken(t, llmtest.Rules{}, c.req))
			var faults llmtest.Faults
			require.ErrorAs(t, llmtest.Validate(c.req), &faults)
			require.True(t, faults.Has(c.rule))
			require.Equal(t, c.at, faults[0].Message)
			require.NoError(t, llmtest.Rules{Except: []llmtest.Rule{c.rule}}.Validate(c.req))
		})
	}
}

func make65() []byte {
	name := make([]byte, 65)
	for i := range name {
		name[i] = 'a'
	}
	return name
}

// LLM-15, B058, B059: what single dialects want besides.
func TestValidateDialects(t *testing.T) {
	strict := llmtest.Rules{Dialect: llm.Dialect{Strict: true}}
	thinking := llm.Message{Role: llm.Assistant, Parts: append(llm.Parts{llm.Reasoning{Text: "hm"}}, calls("a").Parts...)}
	cases := []struct {
		name  string
		rules llmtest.Rules
		req   llm.Request
		want  []llmtest.Rule
	}{
		{"turns", strict, llm.Request{System: "s", Messages: []llm.Message{hi, calls("a"), results("a"), hello, hi, calls("b"), results("b"), hi, hello, hi}}, nil},
		{"a system message as head", strict, llm.Request{Messages: []llm.Message{llm.SystemText("s"), hi}}, nil},
		{"B059: two users", strict, llm.Request{Messages: []llm.Message{hi, hi}}, []llmtest.Rule{llmtest.Alternate}},
		{"two assistants", strict, llm.Request{Messages: []llm.Message{hi, hello, hello}}, []llmtest.Rule{llmtest.Alternate}},
		{"the assistant begins", strict, llm.Request{Messages: []llm.Message{hello, hi}}, []llmtest.Rule{llmtest.Alternate}},
		{"B058: a note in the middle", strict, llm.Request{Messages: []llm.Message{hi, llm.SystemText("note"), hello, hi}}, []llmtest.Rule{llmtest.Head}},
		{"two heads", strict, llm.Request{System: "s", Messages: []llm.Message{llm.SystemText("s"), hi}}, []llmtest.Rule{llmtest.Head}},
		{"LLM-E15: a call without reasoning", llmtest.Rules{Dialect: llm.Dialect{EchoReasoning: llm.EchoCalls}}, llm.Request{Messages: []llm.Message{hi, calls("a"), results("a"), hello}}, []llmtest.Rule{llmtest.Echo}},
		{"a call with reasoning", llmtest.Rules{Dialect: llm.Dialect{EchoReasoning: llm.EchoCalls}}, llm.Request{Messages: []llm.Message{hi, thinking, results("a"), hello}}, nil},
		{"text without reasoning", llmtest.Rules{Dialect: llm.Dialect{EchoReasoning: llm.EchoAll}}, llm.Request{Messages: []llm.Message{hi, hello}}, []llmtest.Rule{llmtest.Echo}},
		{"LLM-E13: results and no tools", llmtest.Rules{Dialect: llm.Dialect{Wire: llm.Wire{ToolsForResults: "list"}}}, llm.Request{Messages: []llm.Message{hi, calls("a"), results("a")}}, []llmtest.Rule{llmtest.Tools}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, broken(t, c.rules, c.req))
			if !slices.Contains(c.want, llmtest.Head) {
				require.NoError(t, llmtest.Validate(c.req), "the default dialect takes it")
			}
		})
	}
}

// GEN-05: every fault is told, not the first alone, in the order of the messages.
func TestValidateTellsEveryFault(t *testing.T) {
	err := llmtest.Validate(llm.Request{
		MaxTokens: -1,
		Messages:  []llm.Message{results("z"), hi, calls("a", "b"), results("b"), user(), calls("a")},
	})
	require.EqualError(t, err, `llmtest: a provider would refuse the request:
	request: option: max tokens is -1
	messages[0].parts[0]: orphan: no call "z" directly before it
	messages[2].parts[0]: missing: call "a" has no result directly after its message
	messages[4]: empty: the user message says nothing
	messages[5].parts[0]: id: a second call "a"
	messages[5].parts[0]: missing: call "a" has no result directly after its message`)
}

func TestStrictGuards(t *testing.T) {
	client := llmtest.ByHistory(llmtest.Text("a"))
	guarded := llmtest.Strict(client)
	_, err := llm.Generate(t.Context(), guarded, ask("hi"))
	require.NoError(t, err)

	_, err = llm.Generate(t.Context(), guarded, llm.Request{Messages: []llm.Message{hi, results("a")}})
	require.ErrorIs(t, err, llm.ErrBadRequest)
	var faults llmtest.Faults
	require.ErrorAs(t, err, &faults)
	require.True(t, faults.Has(llmtest.Orphan))
	require.False(t, faults.Has(llmtest.Order))
	require.Len(t, client.Requests(), 1, "the bad request goes no further")

	client.Speaks.Strict = true
	_, err = llm.Generate(t.Context(), llmtest.Strict(client), llm.Request{Messages: []llm.Message{hi, hi}})
	require.ErrorIs(t, err, llm.ErrBadRequest)
	_, err = llm.Generate(t.Context(), llmtest.Rules{}.Client(client), llm.Request{Messages: []llm.Message{hi, hi}})
	require.NoError(t, err)
}

// GEN-05: a history made by the rules passes, and dropping, doubling or
// swapping any one message that has to do with calls is seen.
func TestValidateSeesEveryDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms []llm.Message
		next := 0
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			ms = append(ms, hi)
			if n := rapid.IntRange(0, 4).Draw(t, "calls"); n > 0 {
				var ids []string
				for range n {
					ids = append(ids, fmt.Sprint("k", next))
					next++
				}
				ms = append(ms, calls(ids...), results(ids...))
			}
			ms = append(ms, hello)
		}
		if err := llmtest.Validate(llm.Request{Messages: ms}); err != nil {
			t.Fatal(err)
		}
		i := rapid.IntRange(0, len(ms)-1).Draw(t, "place")
		if ms[i].Role == llm.User || len(ms[i].Parts) == 0 || ms[i].Text() != "" {
			return
		}
		var damaged []llm.Message
		switch rapid.SampledFrom([]string{"drop", "double", "swap", "drop a part"}).Draw(t, "damage") {
		case "drop":
			damaged = slices.Delete(slices.Clone(ms), i, i+1)
		case "double":
			damaged = slices.Insert(slices.Clone(ms), i, ms[i])
		case "swap": // with the one after it: calls never stand last
			damaged = slices.Clone(ms)
			damaged[i], damaged[i+1] = damaged[i+1], damaged[i]
		case "drop a part":
			damaged = slices.Clone(ms)
			damaged[i].Parts = damaged[i].Parts[1:]
		}
		if llmtest.Validate(llm.Request{Messages: damaged}) == nil {
			t.Fatalf("taken: %v", damaged)
		}
	})
}
