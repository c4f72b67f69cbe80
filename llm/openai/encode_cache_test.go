package openai

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.young) + len(c.old)
}

// turns returns a history of n messages: n/2 calls with their results, each
// about bytes long on the wire.
func turns(n, bytes int) []llm.Message {
	filler := strings.Repeat("x", max(0, bytes-120))
	var out []llm.Message
	for i := range n / 2 {
		id := fmt.Sprintf("call_%024d", i)
		out = append(out,
			llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Text("I look."), llm.ToolCall{ID: id, Name: "look", Arguments: `{"a":"` + filler + `"}`}}},
			llm.Results(llm.ToolResult{CallID: id, Name: "look", Text: "line one\n" + filler}))
	}
	return out
}

// A message is encoded once in its life: what later requests send of it is the
// same memory.
func TestMessageIsEncodedOnce(t *testing.T) {
	var e encoder
	history := turns(20, 200)
	first := e.messages.encode(formOf(llm.Dialect{}), history, true)
	history = append(history, llm.UserText("more"))
	second := e.messages.encode(formOf(llm.Dialect{}), history, true)
	for i := range first {
		require.Same(t, first[i], second[i])
	}
	require.Equal(t, len(history), e.messages.len())
	runtime.KeepAlive(history)
}

// A generation is bounded, yet the history that is being sent is always known,
// also one that is larger than the bound.
func TestCacheIsBounded(t *testing.T) {
	var e encoder
	build := func(history []llm.Message) {
		_, err := e.body("m", llm.Dialect{}, llm.Request{Messages: history}, nil)
		require.NoError(t, err)
	}
	const size = 1 << 20
	for range 5 {
		build(turns(10, size)) // of runs that are over
	}
	require.LessOrEqual(t, e.messages.len(), 2*(maxCached/size+10))
	large := turns(2*maxCached/size, size)
	build(large)
	known := e.messages.encode(formOf(llm.Dialect{}), large, true)
	build(turns(2, 100))
	for i, w := range e.messages.encode(formOf(llm.Dialect{}), large, true) {
		require.Same(t, known[i], w)
	}
	for range 3 {
		build(large)
	}
	require.Equal(t, len(large), len(e.messages.young), "what is not used any more is gone")
}

// A client that is idle keeps nothing.
func TestIdleCacheIsEmptied(t *testing.T) {
	var e encoder
	_, err := e.body("m", llm.Dialect{}, llm.Request{Messages: turns(10, 200)}, nil)
	require.NoError(t, err)
	for range 5 {
		runtime.GC()
		runtime.Gosched()
	}
	require.Equal(t, 10, e.messages.len(), "not idle yet")
	e.messages.mu.Lock()
	e.messages.used = time.Now().Add(-2 * maxIdle)
	e.messages.mu.Unlock()
	for n := 0; n < 1000 && e.messages.len() > 0; n++ {
		runtime.GC()
		runtime.Gosched()
	}
	require.Zero(t, e.messages.len())
	_, err = e.body("m", llm.Dialect{}, llm.Request{Messages: turns(10, 200)}, nil)
	require.NoError(t, err)
	require.Equal(t, 10, e.messages.len())
}

// An entry never answers for a message of another role, for the beginning of
// another message, for another dialect, or for what takes the place of a
// message that is gone.
func TestCacheAnswersForItsMessageOnly(t *testing.T) {
	var e encoder
	build := func(d llm.Dialect, messages ...llm.Message) string {
		got, err := e.body("m", d, llm.Request{Messages: messages}, nil)
		require.NoError(t, err)
		var fresh encoder
		want, err := fresh.body("m", d, llm.Request{Messages: messages}, nil)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		return string(got)
	}
	parts := llm.Parts{llm.Text("one"), llm.Text("two"), llm.Reasoning{Text: "hm"}, llm.ToolCall{ID: "k1", Name: "look"}}
	build(llm.Dialect{}, llm.Message{Role: llm.User, Parts: parts[:2]})
	build(llm.Dialect{}, llm.Message{Role: llm.User, Parts: parts[:1]})
	build(llm.Dialect{}, llm.Message{Role: llm.System, Parts: parts[:1]})
	build(llm.Dialect{}, llm.Message{Role: llm.System, Parts: parts[:2]})
	build(llm.Dialect{}, llm.UserText("hi"), llm.Message{Role: llm.Assistant, Parts: parts})
	require.NotContains(t, build(llm.Dialect{}, llm.UserText("hi"), llm.Message{Role: llm.Assistant, Origin: llm.FromAborted, Parts: parts}), "one")
	require.Contains(t, build(llm.Dialect{EchoReasoning: llm.EchoAll}, llm.UserText("hi"), llm.Message{Role: llm.Assistant, Parts: parts}), "hm")
	for i := range 2000 { // many take the place of one that is gone
		build(llm.Dialect{}, llm.UserText(fmt.Sprint("message ", i)))
		if i%100 == 0 {
			runtime.GC()
		}
	}
	build(llm.Dialect{}, llm.Message{Role: llm.User, Parts: static})
}

// static stands in no memory that is ever freed.
var static = llm.Parts{llm.Text("static")}

// Many goroutines share one encoder, some with a dialect of their own.
func TestEncoderIsShared(t *testing.T) {
	var e encoder
	history := turns(40, 150)
	want := map[bool]string{}
	for _, strict := range []bool{true, false} {
		want[strict] = string(bodyOf(t, llm.Dialect{Strict: strict, EchoReasoning: echoIf(strict)}, llm.Request{Messages: history}))
	}
	var all sync.WaitGroup
	got := make([]string, 64)
	for i := range got {
		all.Go(func() {
			strict := i%3 == 0
			body, err := e.body("m", llm.Dialect{Strict: strict, EchoReasoning: echoIf(strict)}, llm.Request{Messages: history}, nil)
			if err == nil {
				got[i] = string(body)
			}
		})
	}
	all.Wait()
	for i := range got {
		require.Equal(t, want[i%3 == 0], got[i])
	}
}

func echoIf(yes bool) llm.Echo {
	if yes {
		return llm.EchoCalls
	}
	return llm.EchoNone
}

// LLM-02, B079: 50 builds of one request are byte-identical, in new encoders
// and in one that has seen it, and whoever made the request.
func TestFiftyBuildsAreOne(t *testing.T) {
	request := func() llm.Request {
		req := full()
		for i := range 12 {
			schema := `{"type":"object","properties":{`
			for j := range 6 {
				schema += fmt.Sprintf(`"p%d":{"type":"string","description":"property %d"},`, 7*j%6, j)
			}
			req.Tools = append(req.Tools, llm.Spec{Name: fmt.Sprint("tool", 5*i%12), Description: "Does.", Schema: []byte(schema[:len(schema)-1] + "}}")})
		}
		return req
	}
	var seen encoder
	for _, d := range Dialects() {
		extra := map[string]any{"b": 1, "a": map[string]int{"z": 1, "y": 2}, "temperature": 1}
		first, err := seen.body("m", d, request(), extra)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(first), `"temperature"`), "an extra member replaces")
		for range 50 {
			var fresh encoder
			for _, e := range []*encoder{&seen, &fresh} {
				again, err := e.body("m", d, request(), extra)
				require.NoError(t, err)
				require.Equal(t, string(first), string(again))
			}
		}
	}
}
