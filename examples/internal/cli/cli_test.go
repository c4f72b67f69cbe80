package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func parsed(t *testing.T, in string, args ...string) (*Options, error) {
	t.Helper()
	return parse("x", args, strings.NewReader(in), &bytes.Buffer{}, &bytes.Buffer{})
}

func TestFlags(t *testing.T) {
	t.Setenv("OPENAI_MODEL", "m")
	o, err := parsed(t, "unread", "-dir", "d", "-yes", "-max-turns", "0", "-timeout", "90s", "-idle-timeout", "5s", "-journal", "j", "-run", "r",
		"-answer", "7.1=approve", "-answer", "t/7.2=deny:not now: later", "-answer", `a=edit:{"n":1}`, "-answer", "b=text:a=b:c", "-json", "What", "is", "it?")
	require.NoError(t, err)
	require.Equal(t, "d m true j r true What is it?", strings.Join([]string{o.Dir, o.Model, yes(o.Yes), o.Journal, o.Run, yes(o.JSON), o.Prompt}, " "))
	require.Equal(t, budget.Budget{Turns: budget.Max(0), Time: budget.Max(90 * time.Second)}, o.Budget())
	require.Equal(t, 5*time.Second, o.IdleTimeout)
	require.Nil(t, o.Policy())
	require.Equal(t, []Answer{
		{"7.1", agent.Approve()},
		{"t/7.2", agent.Deny("not now: later")},
		{"a", agent.ApproveWith(json.RawMessage(`{"n":1}`))},
		{"b", agent.Words("a=b:c")},
	}, o.Answers)

	o, err = parsed(t, " from\nstandard input\n")
	require.NoError(t, err)
	require.Equal(t, "from\nstandard input", o.Prompt)
	require.Equal(t, budget.Budget{}, o.Budget())
	require.NotNil(t, o.Policy())

	for want, args := range map[string][]string{
		"must not be negative":  {"-max-turns", "-1", "p"},
		"invalid syntax":        {"-max-turns", "many", "p"},
		"must not be negative ": {"-timeout", "-1s", "p"},
		"must be positive":      {"-idle-timeout", "0", "p"},
		"needs -journal":        {"-run", "r", "p"},
		"needs -run":            {"-answer", "a=approve", "p"},
		"no prompt":             {},
		"want ID=ANSWER":        {"-answer", "approve", "p"},
		"is none of":            {"-answer", "a=edit:{", "p"},
		"is none of ":           {"-answer", "a=text:", "p"},
		"is none of  ":          {"-answer", "a=approve:yes", "p"},
		"not defined":           {"-verbose", "p"},
	} {
		_, err := parsed(t, "", args...)
		require.ErrorContains(t, err, strings.TrimSpace(want), args)
	}
}

func yes(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func TestTerminal(t *testing.T) {
	require.False(t, terminal(strings.NewReader("")))
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, terminal(null))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	require.False(t, terminal(r))
}

func TestClient(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	demo := llmtest.Script()
	require.Equal(t, llm.Client(demo), (&Options{}).Client(demo))
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	require.NotEqual(t, llm.Client(demo), (&Options{}).Client(demo))
}

// announcer is a loop whose model makes one call with a side effect.
func announcer(o *Options, said *[]string) *agent.Loop {
	announce := tool.New("announce", "Tells everybody.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		*said = append(*said, in.Text)
		return "told", nil
	})
	return &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Calls(llmtest.Text("I tell them."), llmtest.Call("k1", "announce", `{"text":"green"}`)),
			llmtest.Text("Done."),
		),
		Tools:  tool.NewRegistry(announce),
		Policy: o.Policy(),
		Budget: o.Budget(),
	}
}

// try runs an announcer with these arguments.
func try(t *testing.T, in string, args ...string) (status int, out, errs string, said []string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Run(t.Context(), func(ctx context.Context, o *Options) (agent.Result, error) {
		return o.Drive(ctx, announcer(o, &said))
	}, append([]string{"announcer"}, args...), strings.NewReader(in), &o, &e)
	return status, o.String(), e.String(), said
}

func TestDriveForPeople(t *testing.T) {
	status, out, errs, said := try(t, "", "-yes", "Tell them.")
	require.Equal(t, 0, status)
	require.Equal(t, []string{"green"}, said)
	require.Empty(t, errs)
	require.Equal(t, "I tell them.\n→ announce {\"text\":\"green\"}\n← announce: told\nDone.\n", out)
}

// A run pauses where nobody can be asked, and goes on in another process.
func TestDrivePauses(t *testing.T) {
	dir := t.TempDir()
	status, out, _, said := try(t, "", "-journal", dir, "-run", "r", "Tell them.")
	require.Equal(t, 3, status)
	require.Empty(t, said)
	require.Contains(t, out, "? 1.1: ")
	require.Contains(t, out, `? 1.1: Run announce with {"text":"green"}?`)
	require.Contains(t, out, "(paused: go on with -run r -answer 1.1=approve)")

	status, out, errs, said := try(t, "", "-journal", dir, "-run", "r", "-answer", "1.1=approve", "Tell them.")
	require.Equal(t, 0, status, errs)
	require.Equal(t, []string{"green"}, said)
	require.True(t, strings.HasSuffix(out, "Done.\n"), out)

	status, _, errs, _ = try(t, "", "-journal", dir, "-run", "r", "-answer", "9.9=approve")
	require.Equal(t, 1, status)
	require.Contains(t, errs, "answering 9.9: agent: no such question is open")

	for _, args := range [][]string{{"-answer", "1.1=approve"}, {"-answer", "1.1=approve", "Tell them."}, {}} {
		status, out, errs, _ = try(t, "", append([]string{"-journal", dir, "-run", "r4"}, args...)...)
		require.Equal(t, 1, status, args)
		require.Equal(t, "announcer: there is no run r4 in "+dir+"\n", errs)
		require.Empty(t, out)
	}
}

func TestDriveKeepsNothingWithoutJournal(t *testing.T) {
	status, out, _, _ := try(t, "", "Tell them.")
	require.Equal(t, 3, status)
	require.Contains(t, out, "(paused, and nothing was kept: run it with -journal)")
}

// With -json every line is an object with a type, and the last is the result.
func TestDriveJSON(t *testing.T) {
	status, out, _, _ := try(t, "", "-json", "-journal", t.TempDir(), "Tell them.")
	require.Equal(t, 3, status)
	var kinds []string
	var last map[string]any
	for line := range strings.Lines(out) {
		last = nil
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		kinds = append(kinds, last["type"].(string))
	}
	require.Equal(t, []string{"said", "text_delta", "text_delta", "text_delta", "call_delta", "replied", "paused", "result"}, kinds)
	require.Equal(t, "paused", last["reason"])
	require.Equal(t, false, last["partial"])
	require.Equal(t, float64(1), last["turns"])
	require.Contains(t, last["spent"], "main")
	require.NotEmpty(t, last["run"])
	require.Equal(t, "1.1", last["questions"].([]any)[0].(map[string]any)["id"])
	require.Equal(t, "", last["error"])

	status, out, _, _ = try(t, "", "-json", "-max-turns", "0", "Tell them.")
	require.Equal(t, 2, status)
	require.Contains(t, out, `{"type":"result","reason":"over_budget"`)
	require.Contains(t, out, `"questions":[]`)
}

func TestDriveAsksTheTerminal(t *testing.T) {
	for typed, want := range map[string]struct {
		said   int
		reason agent.Reason
	}{
		"y\n":                     {1, agent.Completed},
		"always\n":                {1, agent.Completed},
		"what?\n\nno it is not\n": {0, agent.Completed},
		"":                        {0, agent.Waits},
		"what?\n":                 {0, agent.Waits},
		"yes":                     {1, agent.Completed},
	} {
		var out bytes.Buffer
		o := &Options{Prompt: "Tell them.", Terminal: true, lines: bufio.NewReader(strings.NewReader(typed)), show: printer{out: &out}}
		var said []string
		result, err := o.Drive(t.Context(), announcer(o, &said))
		require.NoError(t, err)
		require.Equal(t, want.reason, result.Reason, typed)
		require.Len(t, said, want.said, typed)
		require.Contains(t, out.String(), "[y]es, [a]lways, [n]o why: ")
	}
}

func TestUnderstood(t *testing.T) {
	plan, words := agent.Question{About: agent.AboutPlan}, agent.Question{About: agent.AboutTool}
	for _, c := range []struct {
		q    agent.Question
		line string
		want agent.Answer
	}{
		{plan, "yes", agent.Approve()},
		{plan, "add a test", agent.Words("add a test")},
		{words, "yes", agent.Words("yes")},
		{agent.Question{About: agent.AboutGoingOn}, "no too dear", agent.Deny("too dear")},
	} {
		got, ok := Understood(c.q, c.line)
		require.True(t, ok)
		require.Equal(t, c.want, got)
	}
	_, ok := Understood(agent.Question{About: agent.AboutGoingOn}, "always")
	require.False(t, ok)

	outcome := agent.Question{About: agent.AboutOutcome, Choices: []string{agent.Happened, agent.DidNot, agent.StopTheRun}}
	got, ok := Understood(outcome, "Did not happen")
	require.True(t, ok)
	require.Equal(t, agent.Words(agent.DidNot), got)
	_, ok = Understood(outcome, "yes")
	require.False(t, ok)
}

func TestRunErrors(t *testing.T) {
	fail := func(ctx context.Context, o *Options) (agent.Result, error) {
		return o.Drive(ctx, &agent.Loop{Client: llmtest.Fail(&llm.Error{Kind: llm.ErrAuth, Message: "no key"})})
	}
	var out, errs bytes.Buffer
	require.Equal(t, 1, Run(t.Context(), fail, []string{"x", "-json", "hi"}, strings.NewReader(""), &out, &errs))
	require.Contains(t, out.String(), `{"type":"result","reason":"error"`)
	require.Contains(t, errs.String(), "no key")
	out.Reset()
	require.Equal(t, 1, Run(t.Context(), fail, []string{"x", "hi"}, strings.NewReader(""), &out, &errs))
	require.Empty(t, out.String(), "the error stands on the other stream")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hang := func(ctx context.Context, o *Options) (agent.Result, error) {
		return o.Drive(ctx, &agent.Loop{Client: llmtest.Hang()})
	}
	out.Reset()
	require.Equal(t, 2, Run(ctx, hang, []string{"x", "hi"}, strings.NewReader(""), &out, &errs))
	require.Contains(t, out.String(), "(canceled)")

	require.Equal(t, 0, Run(t.Context(), nil, []string{"x", "-h"}, strings.NewReader(""), &out, &errs))
	require.Equal(t, 1, Run(t.Context(), nil, []string{"x"}, strings.NewReader(""), &out, &errs))
}

func TestEncode(t *testing.T) {
	require.Equal(t, `{"type":"inner","path":"task_2/7.1","event":{"type":"text_delta","text":"a\"b"}}`,
		string(encode(agent.Inner{Path: "task_2/7.1", Event: agent.TextDelta(`a"b`)})))
	require.Equal(t, `{"type":"time_up"}`, string(encode(agent.TimeUp{})))
}
