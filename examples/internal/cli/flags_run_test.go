package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// with runs an example whose loop has this client.
func with(t *testing.T, client llm.Client, args ...string) (status int, out string) {
	t.Helper()
	var o, e bytes.Buffer
	status = Run(t.Context(), func(ctx context.Context, o *Options) (agent.Result, error) {
		return o.Drive(ctx, &agent.Loop{Client: o.Client(client), Budget: o.Budget()})
	}, append([]string{"x"}, args...), strings.NewReader(""), &o, &e)
	return status, o.String() + e.String()
}

// SES-05: -run of a run that has ended gives its stored result, and asks nobody.
func TestRunOfAnEndedRun(t *testing.T) {
	dir := t.TempDir()
	status, out := with(t, llmtest.Text("Forty-two."), "-journal", dir, "-run", "r", "What is it?")
	require.Equal(t, 0, status, out)

	for _, args := range [][]string{{}, {"What is it?"}} {
		status, out = with(t, llmtest.Script(), append([]string{"-journal", dir, "-run", "r"}, args...)...)
		require.Equal(t, 0, status, out)
		require.Equal(t, "(this run has ended before, with this result)\nForty-two.\n", out)
	}
	status, out = with(t, llmtest.Script(), "-json", "-journal", dir, "-run", "r")
	require.Equal(t, 0, status)
	require.True(t, strings.HasPrefix(out, `{"type":"result","reason":"completed","answer":"Forty-two.","partial":false,"turns":1,`), out)
}

// A limit ends with status 2 and says what was used; the wrap-up is shown.
func TestMaxTurns(t *testing.T) {
	client := llmtest.ByHistory(llmtest.Calls(llmtest.Text("I look."), llmtest.Call("k1", "look", "{}")), llmtest.Text("I did not find it."))
	status, out := with(t, client, "-max-turns", "1", "Find it.")
	require.Equal(t, 2, status)
	require.Equal(t, "I look.\n← look (unknown_tool): There is no tool named look, and nothing was run. No tools are on offer.\nI did not find it.\n(over_budget: 1 of 1 turns)\n", out)
}

// -timeout is active time: it ends a model that hangs.
func TestTimeout(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	synctest.Test(t, func(t *testing.T) {
		status, out := with(t, llmtest.Hang(), "-timeout", "90s", "Hello?")
		require.Equal(t, 2, status)
		require.Equal(t, "(timed_out: 90 of 90 seconds)\n", out)
	})
}

// -idle-timeout gives up a stream that is silent; it is asked again.
func TestIdleTimeout(t *testing.T) {
	asked := 0
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if asked++; asked == 1 {
			w.(http.Flusher).Flush()
			<-over
			return
		}
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"Here."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	defer close(over)
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv("OPENAI_BASE_URL", server.URL)
	status, out := with(t, nil, "-model", "m", "-idle-timeout", "50ms", "Are you there?")
	require.Equal(t, 0, status, out)
	require.True(t, strings.HasPrefix(out, "(attempt 1 failed: "), out)
	require.True(t, strings.HasSuffix(out, "\nHere.\n"), out)
	require.Equal(t, 2, asked)
}

// A client need not show deltas; what it says is shown all the same, once.
func TestTextWithoutDeltas(t *testing.T) {
	quiet := llm.ClientFunc(func(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			yield(llm.Reply{Message: llm.AssistantText("At once."), Finish: llm.FinishStop}, nil)
		}
	})
	status, out := with(t, quiet, "Say it.")
	require.Equal(t, 0, status)
	require.Equal(t, "At once.\n", out)
}

// An example may have flags of its own, and read standard input itself.
func TestSetup(t *testing.T) {
	var loud bool
	var prompt, rest string
	e := func(ctx context.Context, o *Options) (agent.Result, error) {
		prompt = o.Prompt
		rest, _ = o.lines.ReadString('\n')
		return agent.Result{Reason: agent.Completed}, nil
	}
	setup := func(o *Options, flags *flag.FlagSet) {
		o.Chats = true
		flags.BoolVar(&loud, "loud", false, "say it loud")
	}
	var out, errs bytes.Buffer
	require.Equal(t, 0, Run(t.Context(), e, []string{"x", "-loud"}, strings.NewReader("first\n"), &out, &errs, setup), errs.String())
	require.True(t, loud)
	require.Empty(t, prompt)
	require.Equal(t, "first\n", rest)
}
