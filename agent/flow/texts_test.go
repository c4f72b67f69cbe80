package flow

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// GEN-09: with every text replaced, none of the English ones reaches a model.
func TestTexts(t *testing.T) {
	var all Texts
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString("«" + v.Type().Field(i).Name + "»")
	}
	all.Before, all.Meanwhile = "«Before»{answer}", "«Meanwhile»{answer}"
	all.Handover = "«Handover»{findings}"
	asked := llmtest.Script(
		llmtest.Call("k1", EscalateName, `{"reason":"r"}`),
		llmtest.Calls(llmtest.Call("k2", EscalateName, `{"reason":"r"}`), llmtest.Call("k3", "no_such_tool", `{}`)),
		llmtest.Text("plain"))
	done := llmtest.Script(llmtest.Text("p1"), llmtest.Text("p2"), llmtest.Text("p3"))
	var s Session
	r := &Router{React: &agent.Loop{Client: asked, Tools: tool.NewRegistry()}, Plan: &agent.Loop{Client: done}, Choice: s.Choice, Texts: all}
	run, err := r.Open(t.Context(), agent.Scope{}, "one")
	require.NoError(t, err)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	for _, say := range []string{"two", "three"} {
		require.NoError(t, run.Say(say))
		require.NoError(t, agent.Drain(t.Context(), run, nil))
	}
	s.Choose(Plan)
	require.NoError(t, run.Say("four"))
	require.NoError(t, agent.Drain(t.Context(), run, nil))

	var told strings.Builder
	for _, req := range append(append([]llm.Request{}, asked.Requests()...), done.Requests()...) {
		for _, spec := range req.Tools {
			told.WriteString(spec.Description + string(spec.Schema))
		}
		for _, m := range req.Messages {
			told.WriteString(m.Text() + "\n")
			for _, result := range m.Results() {
				told.WriteString(result.Text + "\n")
			}
		}
	}
	for i := range v.NumField() {
		name, text := v.Type().Field(i).Name, reflect.ValueOf(english).Field(i).String()
		if name != "NoAnswer" {
			require.Contains(t, told.String(), "«"+name+"»")
		}
		for part := range strings.SplitSeq(text, "{") {
			if _, after, ok := strings.Cut(part, "}"); ok {
				part = after
			}
			if part = strings.TrimSpace(part); len(part) > 8 {
				require.NotContains(t, told.String(), part)
			}
		}
	}
	require.Equal(t, "«NoAnswer»", all.answer(exchange{}))
	require.Equal(t, english, Texts{}.complete())
}
