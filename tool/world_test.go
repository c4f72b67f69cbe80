package tool_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A world is what the calls of a batch read and write: texts by key.
type world struct {
	mu    sync.Mutex
	state map[string]string
}

// An act is a call: it reads some keys, takes its time, and writes others with
// what it read, so that any other order shows.
type act struct {
	ID            int
	Reads, Writes []string
	Ms            int
}

func (w *world) do(a act) string {
	w.mu.Lock()
	var saw strings.Builder
	for _, key := range append(a.Reads, a.Writes...) {
		fmt.Fprintf(&saw, "%s=%s;", key, w.state[key])
	}
	w.mu.Unlock()
	time.Sleep(time.Duration(a.Ms) * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range a.Writes {
		w.state[key] = fmt.Sprintf("%d(%x)", a.ID, len(saw.String())) + strings.ReplaceAll(w.state[key], "(", "")
		w.state[key] = w.state[key][:min(len(w.state[key]), 40)]
	}
	return saw.String()
}

// tools returns the ways to do an act: with declared keys, as a read, and as a
// side effect that says nothing of itself.
func (w *world) tools() []tool.Tool {
	fn := func(_ context.Context, a act) (string, error) { return w.do(a), nil }
	declared := tool.New("declared", "", fn)
	declared.Keys = tool.KeysOf(func(a act) tool.Keys { return tool.Keys{Reads: a.Reads, Writes: a.Writes} })
	return []tool.Tool{declared, tool.New("read", "", fn, tool.ReadOnly), tool.New("plain", "", fn)}
}

// TOOL-07, TOOL-09, TOOL-15: whatever the batch, the world ends as if its calls
// had been run one after another, each call saw what it would have seen, and it
// takes no longer than the rule of segments would.
func TestBatchesLeaveTheWorldAsOneByOne(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		oneByOne(draw, func(batch func()) { synctest.Test(t, func(*testing.T) { batch() }) })
	})
}

func oneByOne(t *rapid.T, inBubble func(func())) {
	n := rapid.IntRange(0, 10).Draw(t, "calls")
	parallel := rapid.IntRange(1, 8).Draw(t, "parallel")
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID)
	acts, calls := make([]act, n), make([]llm.ToolCall, n)
	var segments, segment time.Duration
	reading := false
	for i := range acts {
		a := act{ID: i, Reads: keys.Draw(t, "reads"), Writes: keys.Draw(t, "writes"), Ms: rapid.IntRange(1, 9).Draw(t, "ms")}
		name := rapid.SampledFrom([]string{"declared", "read", "plain"}).Draw(t, "tool")
		if name == "read" {
			a.Writes = []string{}
		}
		acts[i], calls[i] = a, asks(name, encoded(a))
		isRead := name == "read" || name == "declared" && len(a.Writes) == 0 && len(a.Reads) > 0
		ms := time.Duration(a.Ms) * time.Millisecond
		if isRead && reading {
			segment = max(segment, ms)
		} else {
			segments += segment
			segment = ms
		}
		reading = isRead
	}
	segments += segment

	model := &world{state: map[string]string{}}
	got := &world{state: map[string]string{}}
	var want []string
	var results []tool.Result
	var err error
	var took time.Duration
	inBubble(func() {
		for _, a := range acts {
			want = append(want, model.do(a))
		}
		began := time.Now()
		runner := &tool.Runner{Tools: tool.NewRegistry(got.tools()...), Parallel: parallel}
		results, err = runner.Run(context.Background(), nil, calls)
		took = time.Since(began)
	})
	require.NoError(t, err)
	for i := range want {
		if want[i] == "" {
			want[i] = "(no output)"
		}
		require.Equal(t, want[i], results[i].Text, "call %d saw another world", i)
	}
	require.Equal(t, slices.Sorted(maps.Keys(model.state)), slices.Sorted(maps.Keys(got.state)))
	require.Equal(t, model.state, got.state)
	if parallel >= n {
		require.LessOrEqual(t, took, segments)
	}
}
