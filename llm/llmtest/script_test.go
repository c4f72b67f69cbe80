package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.UserText(text)}}
}

// LLM-21: one reply a request, a log, and a clear error with the request's number.
func TestScript(t *testing.T) {
	client := llmtest.Script(llmtest.Call("k1", "look", `{"q":1}`), llmtest.Text("done"))

	reply, err := llm.Generate(t.Context(), client, ask("one"))
	require.NoError(t, err)
	require.Equal(t, []llm.ToolCall{{ID: "k1", Name: "look", Arguments: `{"q":1}`}}, reply.Message.Calls())
	require.Equal(t, llm.FinishCalls, reply.Finish)
	require.Positive(t, reply.Usage.Input)
	require.Positive(t, reply.Usage.Output)

	reply, err = llm.Generate(t.Context(), client, ask("llmtest: do not answer")) // words are not looked at
	require.NoError(t, err)
	require.Equal(t, "done", reply.Message.Text())
	require.Equal(t, llm.FinishStop, reply.Finish)

	_, err = llm.Generate(t.Context(), client, ask("three"))
	require.ErrorIs(t, err, llm.ErrNotAllowed)
	require.EqualError(t, err, "llm: llmtest: not allowed here: request 3 wants answer 3 of a script that has 2")

	var asked []string
	for _, req := range client.Requests() {
		asked = append(asked, req.Messages[0].Text())
	}
	require.Equal(t, []string{"one", "llmtest: do not answer", "three"}, asked)
}

// LLM-21: a stream that nobody reads uses up nothing.
func TestScriptCountsWhatIsRead(t *testing.T) {
	client := llmtest.Script(llmtest.Text("one"))
	client.Stream(t.Context(), ask("unread"))
	require.Empty(t, client.Requests())
	reply, err := llm.Generate(t.Context(), client, ask("read"))
	require.NoError(t, err)
	require.Equal(t, "one", reply.Message.Text())
}

func collect(t *testing.T, c llm.Client) (chunks []llm.Chunk, err error) {
	t.Helper()
	for chunk, err := range c.Stream(t.Context(), ask("go")) {
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// LLM-24: the deltas of a reply come before it, by kind.
func TestAnswerStreams(t *testing.T) {
	answer := llmtest.Calls(llmtest.Text("I look twice."), llmtest.Call("k1", "look", "{}"), llmtest.Call("k2", "stare", `{"q":2}`))
	answer.Reply.Message.Parts = append(llm.Parts{llm.Reasoning{Text: "hm"}}, answer.Reply.Message.Parts...)
	answer = answer.Costing(60, 30)
	chunks, err := collect(t, answer)
	require.NoError(t, err)
	require.Equal(t, []llm.Chunk{
		llm.ReasoningDelta("hm"),
		llm.TextDelta("I "), llm.TextDelta("look "), llm.TextDelta("twice."),
		llm.CallDelta{Index: 0, Name: "look", Bytes: 2}, llm.CallDelta{Index: 1, Name: "stare", Bytes: 7},
		answer.Reply,
	}, chunks)
	require.Equal(t, llm.Usage{Input: 60, Output: 30}, answer.Reply.Usage)
}

// LLM-21: a list of chunks, an error, a function, and nothing at all.
func TestAnswerKinds(t *testing.T) {
	cause := errors.New("line cut")
	chunks, err := collect(t, llmtest.Fail(&llm.Error{Kind: llm.ErrIncomplete, Err: cause},
		llm.TextDelta("gone"), llm.Restart{Attempt: 2}, llm.TextDelta("Hello "), llm.TextDelta("wo")))
	require.Len(t, chunks, 4)
	require.ErrorIs(t, err, llm.ErrIncomplete)
	require.ErrorIs(t, err, cause)
	require.Equal(t, "Hello wo", llm.AsError(err).Partial, "LLM-24: the partial text is in the error")

	_, err = collect(t, llmtest.Fail(cause))
	require.Equal(t, cause, err)

	chunks, err = collect(t, llmtest.Func(func(req llm.Request) llmtest.Answer {
		return llmtest.Text("you said " + req.Messages[0].Text())
	}))
	require.NoError(t, err)
	require.Equal(t, "you said go", chunks[len(chunks)-1].(llm.Reply).Message.Text())

	chunks, err = collect(t, llmtest.Answer{})
	require.NoError(t, err)
	require.Empty(t, chunks)
	_, err = llm.Generate(t.Context(), llmtest.Answer{}, ask("go"))
	require.ErrorIs(t, err, llm.ErrNoReply)
}

// Usage follows the sizes, so that what reads it sees a history grow.
func TestAnswerUsageGrows(t *testing.T) {
	req := ask("1234567890123456789")
	req.System = "s"
	req.Tools = []llm.Spec{{Name: "look", Schema: []byte(`{"type":"object"}`)}}
	first, err := llm.Generate(t.Context(), llmtest.Text("12345678"), req)
	require.NoError(t, err)
	require.Equal(t, llm.Usage{Input: 1 + (1+19+4+17)/4, Output: 1 + 8/4}, first.Usage)

	req.Messages = append(req.Messages, llmtest.Call("k", "look", `{"q":1}`).Reply.Message, llm.Results(llm.ToolResult{CallID: "k", Text: "12345"}))
	second, err := llm.Generate(t.Context(), llmtest.Text("12345678"), req)
	require.NoError(t, err)
	require.Equal(t, 1+(1+19+4+17+4+7+5)/4, second.Usage.Input)
}

// A delay is of the package time's clock, and ends with the context.
func TestAnswerDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := llmtest.Text("a b")
		answer.Delay = time.Hour
		start := time.Now()
		_, err := llm.Generate(t.Context(), answer, ask("go"))
		require.NoError(t, err)
		require.Equal(t, 3*time.Hour, time.Since(start))

		for _, after := range []time.Duration{30 * time.Minute, 90 * time.Minute, 150 * time.Minute} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			start = time.Now()
			_, err = llm.Generate(ctx, answer, ask("go"))
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, after, time.Since(start))
		}
	})
}

// LLM-21: runs beside each other each get the whole script, by their history.
func TestByHistory(t *testing.T) {
	client := llmtest.ByHistory(llmtest.Call("k1", "look", "{}"), llmtest.Text("done"))
	var all sync.WaitGroup
	ends := make([]error, 20)
	for i := range ends {
		all.Go(func() { ends[i] = run(t.Context(), client) })
	}
	all.Wait()
	require.NoError(t, errors.Join(ends...))
	require.Len(t, client.Requests(), 2*len(ends))

	req := ask("too long")
	req.Messages = append(req.Messages, llm.AssistantText("a"), llm.AssistantText("b"))
	_, err := llm.Generate(t.Context(), client, req)
	require.ErrorIs(t, err, llm.ErrNotAllowed)
	require.ErrorContains(t, err, "request 41 wants answer 3 of a script that has 2")
}

// run is a loop of two turns.
func run(ctx context.Context, client llm.Client) error {
	req := ask("go")
	for {
		reply, err := llm.Generate(ctx, client, req)
		if err != nil {
			return err
		}
		req.Messages = append(req.Messages, reply.Message)
		calls := reply.Message.Calls()
		if len(calls) == 0 {
			if got := reply.Message.Text(); got != "done" {
				return fmt.Errorf("said %q", got)
			}
			return nil
		}
		req.Messages = append(req.Messages, llm.Results(llm.ToolResult{CallID: calls[0].ID, Text: "ok"}))
	}
}

// The error of a context that ended wraps the context's, and why it ended.
func TestAnswerCanceled(t *testing.T) {
	why := errors.New("the person left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := llm.Generate(ctx, llmtest.Text("x"), ask("go"))
	require.ErrorIs(t, err, llm.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
}

func TestScriptSpeaks(t *testing.T) {
	client := llmtest.Script()
	client.Speaks = llm.Dialect{Window: 10_000}
	require.Equal(t, 10_000, llm.DialectOf(client).ContextWindow())
	require.Equal(t, 10_000, llm.DialectOf(llmtest.Strict(client)).ContextWindow())
}
