package openai

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	official "github.com/openai/openai-go/v3"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

var update = flag.Bool("update", false, "write the golden bodies anew")

// Each file under testdata/encode holds a request and its body in some dialects:
// a section named for a dialect, or "zero", or one that a section
// "dialect NAME" defines. The names of the files, and the comments on top of
// them, tell the requirement ids.
//
// LLM-02, LLM-10, LLM-11, LLM-13, LLM-14, LLM-15, LLM-16, LLM-29, LLM-38,
// LLM-E12, LLM-E13, LLM-E16, TOOL-05, B042, B044, B053, B055, B056, B058, B059,
// B073, B074, B076, B078, B238, B242
func TestGoldenBodies(t *testing.T) {
	files, err := filepath.Glob("testdata/encode/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	var req llm.Request
	own := map[string]llm.Dialect{"zero": {}}
	bodies := 0
	for i := range archive.Files {
		section := &archive.Files[i]
		name, defines := strings.CutPrefix(section.Name, "dialect ")
		switch {
		case section.Name == "request":
			require.NoError(t, json.Unmarshal(section.Data, &req))
		case defines:
			var d llm.Dialect
			require.NoError(t, json.Unmarshal(section.Data, &d))
			own[name] = d
		default:
			bodies++
			d, ok := own[name]
			if !ok {
				d, ok = DialectNamed(name)
			}
			require.True(t, ok, "dialect %q", name)
			body := bodyOf(t, d, req)
			officialReads(t, body)
			if *update {
				section.Data = []byte(inLines(body))
				continue
			}
			require.Equal(t, string(section.Data), inLines(body), "dialect %s", name)
		}
	}
	require.NotZero(t, bodies)
	if *update {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
}

// inLines returns the bytes of a body with a line to each message, tool and
// other member.
func inLines(body []byte) string {
	var b strings.Builder
	for name, member := range value(body).members() {
		if !member.isList() || string(name) == "stop" {
			fmt.Fprintf(&b, "%s: %s\n", name, member)
			continue
		}
		for item := range member.list() {
			fmt.Fprintf(&b, "%s: %s\n", name, item)
		}
	}
	return b.String()
}

// bodyOf returns the body of a request, which a new encoder and one that has
// seen it write alike, and which leaves the request as it was.
func bodyOf(t require.TestingT, d llm.Dialect, req llm.Request) []byte {
	before, err := json.Marshal(req)
	require.NoError(t, err)
	var e encoder
	body, err := e.body("m", d, req, nil)
	require.NoError(t, err)
	again, err := e.body("m", d, req, nil)
	require.NoError(t, err)
	require.Equal(t, string(body), string(again))
	after, err := json.Marshal(req)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the request was changed")
	return body
}

// officialReads checks that the types of the official SDK, which had no part in
// writing the body, read it and find in it what stands in it.
func officialReads(t require.TestingT, body []byte) {
	var params official.ChatCompletionNewParams
	require.NoError(t, json.Unmarshal(body, &params))
	var plain struct {
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls []struct{ ID string } `json:"tool_calls"`
			CallID    string                `json:"tool_call_id"`
		}
		Tools []json.RawMessage
	}
	require.NoError(t, json.Unmarshal(body, &plain))
	require.Len(t, params.Messages, len(plain.Messages))
	require.Len(t, params.Tools, len(plain.Tools))
	for i, m := range params.Messages {
		require.NotNil(t, m.GetRole())
		require.Equal(t, plain.Messages[i].Role, *m.GetRole())
		require.Len(t, m.GetToolCalls(), len(plain.Messages[i].ToolCalls))
		if id := m.GetToolCallID(); id != nil {
			require.Equal(t, plain.Messages[i].CallID, *id)
		}
	}
}

// LLM-38: no origin changes a byte of what is sent.
func TestOriginIsNeverSent(t *testing.T) {
	history := func(user, model, tool llm.Origin) llm.Request {
		messages := looked()
		messages[0].Origin, messages[1].Origin, messages[2].Origin = user, model, tool
		return llm.Request{Messages: messages, Tools: look}
	}
	want := string(bodyOf(t, llm.Dialect{}, history("", "", "")))
	for _, o := range []llm.Origin{llm.FromUser, llm.FromModel, llm.FromTool, llm.FromReminder, llm.FromNudge, llm.FromFeedback, llm.FromSummary, llm.FromAnswer, "new"} {
		require.Equal(t, want, string(bodyOf(t, llm.Dialect{}, history(o, o, o))), o)
	}
}
