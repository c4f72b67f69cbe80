package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func TestPrintForPeople(t *testing.T) {
	var out bytes.Buffer
	o := &Options{show: printer{out: &out}}
	for _, e := range []agent.Event{
		agent.TextDelta("Hel"),
		agent.RetryNotice{Attempt: 1, Cause: &llm.Error{Kind: llm.ErrRateLimit}},
		agent.Restart{Attempt: 2, Cause: &llm.Error{Kind: llm.ErrIncomplete}},
		agent.Inner{Path: "task_2", Event: agent.TextDelta("hidden")},
		agent.Inner{Path: "task_2", Event: agent.CallStarted{Name: "look", Arguments: json.RawMessage("{}")}},
		agent.Progress{Text: strings.Repeat("é", 101)},
		agent.CallEnded{Name: "look", Result: tool.Result{Text: "a\nb\nc", Outcome: tool.Failed}},
		agent.Noted{Message: llm.Message{Role: llm.User, Origin: llm.FromNudge, Parts: llm.Parts{llm.Text("Go on.")}}},
		agent.Verified{Pass: true}, agent.Verified{Why: "red"},
		agent.Stopped{Reason: agent.Completed},
	} {
		o.Show(e)
	}
	o.show.result("", agent.Result{Reason: agent.Stalled, Detail: "in circles"})
	require.Equal(t, strings.Join([]string{
		"Hel", "(attempt 1 failed: llm: rate limited)", "(the answer begins again: llm: incomplete stream)",
		"task_2 → look {}", "  " + strings.Repeat("é", 100) + " …", "← look (failed): a … (2 more lines)",
		"(nudge: Go on.)", "(verified)", "(not verified: red)", "(stalled: in circles)", "",
	}, "\n"), out.String())
}

// Calls that the gates stop neither start nor end; they are shown all the same,
// and each reply has lines of its own.
func TestPrintStoppedCalls(t *testing.T) {
	look := tool.New("look", "Looks.", func(context.Context, struct{ Far int }) (string, error) { return "nothing", nil }, tool.ReadOnly)
	push := tool.New("push", "Pushes.", func(context.Context, struct{}) (string, error) { return "pushed", nil })
	loop := &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Calls(llmtest.Text("I look."),
				llmtest.Call("k1", "look", `{"Far":1}`), llmtest.Call("k2", "look", `{"Far":"far"}`), llmtest.Call("k3", "lok", "{}"), llmtest.Call("k4", "push", "{}")),
			llmtest.Calls(llmtest.Text("Again."), llmtest.Call("k5", "look", `{"Far":1}`)),
			llmtest.Text("Done."),
		),
		Tools:  tool.NewRegistry(look, push),
		Repeat: agent.RefuseAfter(1),
		Policy: func(t tool.Tool, _ tool.Call) tool.Verdict {
			if t.Name == "push" {
				return tool.Refuse("not here")
			}
			return tool.Allow()
		},
	}
	var out, errs bytes.Buffer
	status := Run(t.Context(), func(ctx context.Context, o *Options) (agent.Result, error) { return o.Drive(ctx, loop) },
		[]string{"x", "Look."}, strings.NewReader(""), &out, &errs)
	require.Equal(t, 0, status, errs.String())
	var lines []string
	for line := range strings.Lines(out.String()) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "): ")
		lines = append(lines, line)
	}
	require.Equal(t, []string{
		"I look.", "← look (bad_arguments", "← lok (unknown_tool", "← push (refused", `→ look {"Far":1}`, "← look: nothing",
		"Again.", "← look (repeated", "Done.",
	}, lines, out.String())
	require.Contains(t, out.String(), "← push (refused): ")
	require.Contains(t, out.String(), "not here")
}

// What a verifier says to a run is shown whole, and once.
func TestPrintUnverified(t *testing.T) {
	var out bytes.Buffer
	p := printer{out: &out}
	p.event("", agent.Verified{Why: "red:\nline 7"})
	p.result("", agent.Result{Reason: agent.Unverified, Detail: "red:\nline 7"})
	require.Equal(t, "(not verified: red:\nline 7)\n(unverified)\n", out.String())

	out.Reset()
	p = printer{out: &out} // a process that only shows the stored result
	p.result("", agent.Result{Reason: agent.Unverified, Detail: "red"})
	require.Equal(t, "(unverified: red)\n", out.String())
}

// How a question is answered depends on what it is about.
func TestPrintPaused(t *testing.T) {
	for about, want := range map[agent.QuestionKind]string{
		agent.AboutCall:    "? 1.1: Well?\n(paused: go on with -run r -answer 1.1=approve)\n",
		agent.AboutOutcome: "? 1.1: Well?\n  (happened | stop)\n(paused: go on with -run r -answer 1.1=text:ANSWER)\n",
	} {
		q := agent.Question{ID: "1.1", About: about, Text: "Well?"}
		if about == agent.AboutOutcome {
			q.Choices = []string{agent.Happened, agent.StopTheRun}
		}
		var out bytes.Buffer
		p := printer{out: &out}
		p.result("r", agent.Result{Reason: agent.Waits, Questions: []agent.Question{q}})
		require.Equal(t, want, out.String())
	}
}

// Arguments are shown once, and so that a person can judge them.
func TestPrintQuestion(t *testing.T) {
	page, err := json.Marshal(map[string]any{"path": "a<b.xml", "size": 3, "content": "<a>\n\tx\x1b[2J\n</a>\n"}) // with \u003c
	require.NoError(t, err)
	for name, c := range map[string]struct {
		q    agent.Question
		want string
	}{
		"short": {
			agent.Question{ID: "1.1", About: agent.AboutCall, Name: "send", Text: `Run send with {"to":"<all>"}?`, Arguments: json.RawMessage(`{"to":"\u003call\u003e"}`)},
			`? 1.1: Run send with {"to":"<all>"}?` + "\n",
		},
		"not told": {
			agent.Question{ID: "1.1", About: agent.AboutCall, Name: "send", Text: "May it?", Arguments: json.RawMessage(`{"to":"\u003call\u003e"}`)},
			"? 1.1: May it?\n  send {\"to\":\"<all>\"}\n",
		},
		"long": {
			agent.Question{ID: "1.1", About: agent.AboutCall, Name: "write_file", Text: "Run write_file with " + plain(page) + "?", Arguments: page},
			"? 1.1: Run write_file with these arguments?\n  path: \"a<b.xml\"\n  size: 3\n  content:\n    | <a>\n    | \"\\tx\\x1b[2J\"\n    | </a>\n",
		},
		"a tool's own": {
			agent.Question{ID: "1.1", About: agent.AboutTool, Name: "ask_human", Text: "Red?", Choices: []string{"yes", "no"}, Arguments: json.RawMessage(`{"question":"Red?"}`)},
			"? 1.1: Red?\n  (yes | no)\n",
		},
	} {
		var out bytes.Buffer
		p := printer{out: &out}
		p.question(c.q)
		require.Equal(t, c.want, out.String(), name)
	}
}
