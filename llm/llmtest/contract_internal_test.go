package llmtest

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// streamFunc makes a client of what it does with each stream.
func streamFunc(f func(ctx context.Context, yield func(llm.Chunk, error) bool)) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) { f(ctx, yield) }
	})
}

var poem = Text("The sea, the sea.").Reply

// piped is a second kind of client: its words come from another goroutine, as
// they do where a connection is read.
var piped = streamFunc(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	words := make(chan llm.Chunk)
	go func() {
		defer close(words)
		for _, chunk := range append(deltas(poem.Message), poem) {
			select {
			case words <- chunk:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() {
		cancel()
		for range words { // until the goroutine has ended
		}
	}()
	for chunk := range words {
		if ctx.Err() != nil {
			break
		}
		if !yield(chunk, nil) {
			return
		}
		if _, last := chunk.(llm.Reply); last {
			return
		}
	}
	yield(nil, &llm.Error{Kind: llm.ErrCanceled, Err: ctx.Err()})
})

// LLM-01: two different clients pass.
func TestClientsThatKeepTheContract(t *testing.T) {
	scripted := Calls(Text("I look at the sea."), Call("k1", "look", "{}"))
	scripted.Reply.Message.Parts = append(llm.Parts{llm.Reasoning{Text: "The sea?"}}, scripted.Reply.Message.Parts...)
	for name, contract := range map[string]Contract{
		"scripted": {
			Client:  ByHistory(scripted),
			Failing: Fail(&llm.Error{Kind: llm.ErrUnavailable}, llm.TextDelta("The s")),
			Silent:  Hang(llm.TextDelta("The s")),
		},
		"piped": {Client: piped, Silent: Hang()},
		"silent by delay": {
			Client:  Func(func(llm.Request) Answer { return Answer{Reply: poem} }),
			Failing: Fail(&llm.Error{Kind: llm.ErrIncomplete}, llm.TextDelta("old"), llm.Restart{Attempt: 2}, llm.TextDelta("new")),
			Silent:  Answer{Reply: poem, Delay: time.Hour},
		},
	} {
		t.Run(name, contract.Test)
	}
	t.Run("TestClient", func(t *testing.T) { TestClient(t, piped) })
}

// LLM-01: and so do the wrappers of package llm around them.
func TestWrappersKeepTheContract(t *testing.T) {
	failing := Fail(&llm.Error{Kind: llm.ErrUnavailable}, llm.TextDelta("The s"))
	silent := Hang(llm.TextDelta("The s"))
	for name, wrap := range map[string]func(llm.Client) llm.Client{
		"Retry":    func(c llm.Client) llm.Client { return &llm.Retry{Client: c, FailAfterOutput: true} },
		"Limit":    func(c llm.Client) llm.Client { return &llm.Limit{Client: c, AtOnce: 4} },
		"Fallback": func(c llm.Client) llm.Client { return &llm.Fallback{Clients: []llm.Named{{Name: "one", Client: c}}} },
		"Record":   func(c llm.Client) llm.Client { return &llm.Record{Client: c, To: io.Discard} },
		"Strict":   Strict,
	} {
		t.Run(name, Contract{Client: wrap(piped), Failing: wrap(failing), Silent: wrap(silent)}.Test)
	}
}

// broken clients, each with the check that it fails and the reason told.
var broken = []struct {
	name   string
	client llm.Client
	check  string
	reason string
}{
	{"ends with nothing", Answer{}, "deltas then one reply", "neither a reply nor an error"},
	{"always fails", Fail(&llm.Error{Kind: llm.ErrAuth}), "deltas then one reply", "no test is possible: llm: not authorized"},
	{"two replies", Answer{Chunks: append(deltas(poem.Message), poem), Reply: poem}, "deltas then one reply", "went on after its reply"},
	{"a delta after the reply", Answer{Chunks: append(deltas(poem.Message), poem, llm.TextDelta("x"))}, "deltas then one reply", "went on after its reply"},
	{"a nil chunk", Answer{Chunks: []llm.Chunk{nil}, Reply: poem}, "deltas then one reply", "a chunk was nil"},
	{"a pointer", Answer{Chunks: append(deltas(poem.Message), &poem)}, "deltas then one reply", "a chunk was a pointer: *llm.Reply"},
	{"a chunk with an error", streamFunc(func(_ context.Context, yield func(llm.Chunk, error) bool) {
		yield(poem, errors.New("half"))
	}), "deltas then one reply", "together with an error"},
	{"goes on after an error", streamFunc(func(_ context.Context, yield func(llm.Chunk, error) bool) {
		yield(nil, errors.New("half"))
		yield(poem, nil)
	}), "deltas then one reply", "went on after its error"},
	{"no deltas", Answer{Chunks: []llm.Chunk{}, Reply: poem}, "deltas then one reply", `the deltas say "" and the reply "The sea, the sea."`},
	{"a lost delta", Answer{Chunks: deltas(poem.Message)[1:], Reply: poem}, "deltas then one reply", `the deltas say "sea, the sea."`},
	{"a restart forgotten", Answer{Chunks: append([]llm.Chunk{llm.TextDelta("The s"), llm.Restart{Attempt: 2}}, deltas(poem.Message)[1:]...), Reply: poem}, "deltas then one reply", `the deltas say "sea, the sea."`},
	{"reasoning as an afterthought", Answer{Chunks: append(deltas(poem.Message), llm.ReasoningDelta("hm")), Reply: poem}, "deltas then one reply", `the reasoning deltas say "hm" and the reply ""`},
	{"a call that vanishes", Answer{Chunks: append(deltas(poem.Message), llm.CallDelta{Name: "look"}), Reply: poem}, "deltas then one reply", `call 0 was shown as "look"`},
	{"a call without id", Call("", "look", "{}"), "deltas then one reply", `the id ""`},
	{"a reply of the user", reply(func(r *llm.Reply) { r.Message.Role = llm.User }), "deltas then one reply", `role "user" and origin "model"`},
	{"a reply of unknown origin", reply(func(r *llm.Reply) { r.Message.Origin = "" }), "deltas then one reply", `origin ""`},
	{"a reply without end", reply(func(r *llm.Reply) { r.Finish = "" }), "deltas then one reply", "no finish reason"},
	{"a reply with a result", reply(func(r *llm.Reply) {
		r.Message.Parts = append(r.Message.Parts, llm.ToolResult{CallID: "k"})
	}), "deltas then one reply", "holds llm.ToolResult"},
	{"usage that is none", reply(func(r *llm.Reply) { r.Usage = llm.Usage{Input: 1, Cached: 2} }), "deltas then one reply", "does not have"},
	{"a panic", streamFunc(func(context.Context, func(llm.Chunk, error) bool) { panic("oh") }), "deltas then one reply", "panicked: oh"},
	{"a stream without end", streamFunc(func(context.Context, func(llm.Chunk, error) bool) { select {} }), "deltas then one reply", "did not end within"},
	{"answers once", Script(Answer{Reply: poem}), "the same request twice", "request 2"},
	{"writes into the request", llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		req.Messages[0] = llm.UserText("!")
		return Answer{Reply: poem}.Stream(ctx, req)
	}), "the same request twice", "changed the request"},
	{"streams once", llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return Script(Answer{Reply: poem}).Stream(ctx, req)
	}), "one stream ranged over twice", "request 2"},
	{"answers seven", Script(make7()...), "many at once", "request 8"},
	{"speaks to nobody", streamFunc(func(_ context.Context, yield func(llm.Chunk, error) bool) {
		for _, chunk := range append(deltas(poem.Message), poem) {
			yield(chunk, nil)
		}
	}), "the reader leaves", "after its reader had left"},
	{"leaves a goroutine behind", streamFunc(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		lost := make(chan llm.Chunk)
		go func() { lost <- nil }()
		Answer{Reply: poem}.Stream(ctx, llm.Request{})(yield)
	}), "the reader leaves", "goroutines are left behind"},
	{"never looks at the context", streamFunc(func(_ context.Context, yield func(llm.Chunk, error) bool) {
		Answer{Reply: poem}.Stream(context.Background(), llm.Request{})(yield)
	}), "the context has ended", "went on to its reply"},
	{"looks at the context once", streamFunc(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
			return
		}
		Answer{Reply: poem}.Stream(context.Background(), llm.Request{})(yield)
	}), "the context ends", "went on to its reply"},
	{"another error than the context's", streamFunc(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		yield(nil, errors.New("oops"))
	}), "the context has ended", "does not wrap its own"},
}

func reply(change func(*llm.Reply)) Answer {
	a := Answer{Reply: poem}
	change(&a.Reply)
	return a
}

func make7() (answers []llm.Client) {
	for range 7 {
		answers = append(answers, Answer{Reply: poem})
	}
	return answers
}

// LLM-01: each broken client fails, for the right reason.
func TestBrokenClients(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			require.ErrorContains(t, run(t, Contract{Client: b.client, Limit: 50 * time.Millisecond}, b.check), b.reason)
		})
	}
}

func run(t *testing.T, c Contract, name string) error {
	t.Helper()
	for _, check := range c.checks() {
		if check.name == name {
			return check.run()
		}
	}
	t.Fatalf("no check %q", name)
	return nil
}

func TestBrokenErrors(t *testing.T) {
	cases := []struct {
		name     string
		contract Contract
		check    string
		reason   string
	}{
		{"no failure", Contract{Failing: Text("fine")}, "the provider fails", "ended in a reply"},
		{"a plain error", Contract{Failing: Fail(errors.New("oops"))}, "the provider fails", "no *llm.Error"},
		{"an error of no kind", Contract{Failing: Fail(&llm.Error{})}, "the provider fails", "no kind"},
		{"partial text lost", Contract{Failing: streamFunc(func(_ context.Context, yield func(llm.Chunk, error) bool) {
			_ = yield(llm.TextDelta("The s"), nil) && yield(nil, &llm.Error{Kind: llm.ErrIncomplete})
		})}, "the provider fails", `the error's partial text is ""`},
		{"a bad end of a failure", Contract{Failing: Answer{}}, "the provider fails", "neither a reply nor an error"},
		{"deaf while silent", Contract{Silent: streamFunc(func(context.Context, func(llm.Chunk, error) bool) { select {} }), Limit: 100 * time.Millisecond},
			"the provider falls silent", "did not end within"},
		{"an end in silence", Contract{Silent: streamFunc(func(ctx context.Context, _ func(llm.Chunk, error) bool) { <-ctx.Done() })},
			"the provider falls silent", "neither a reply nor an error"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.contract.Client = Answer{Reply: poem}
			require.ErrorContains(t, run(t, c.contract, c.check), c.reason)
		})
	}
}

// A client whose replies are calls alone shows nothing to cancel at.
func TestNothingToCancelAt(t *testing.T) {
	silent := Call("k", "look", "{}")
	silent.Chunks = []llm.Chunk{}
	require.NoError(t, run(t, Contract{Client: silent}, "the context ends"))
}

const child = "LLMTEST_BROKEN_CHILD"

// LLM-01: TestClient itself fails its test, in a process of its own.
func TestClientFails(t *testing.T) {
	if os.Getenv(child) != "" {
		TestClient(t, Answer{Chunks: []llm.Chunk{nil}})
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestClientFails$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Contains(t, string(out), "--- FAIL: TestClientFails/deltas_then_one_reply")
	require.Contains(t, string(out), "llmtest: a chunk was nil")
}
