package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

var errDead = errors.New("the process is dead")

// A flaky journal belongs to a process that may be dead: it keeps nothing then.
type flaky struct {
	*journal.Memory
	dead atomic.Bool
}

func (f *flaky) Append(ctx context.Context, id string, at int, entries ...journal.Entry) error {
	if f.dead.Load() {
		return errDead
	}
	return f.Memory.Append(ctx, id, at, entries...)
}

// The tools are always the same; their schemas are looked at elsewhere.
var simRules = llmtest.Rules{Except: []llmtest.Rule{llmtest.Arguments}}

// A simWorld decides by the seed and the place, never by chance: what a run is
// told at a place is the same however often it gets there. It serves one
// schedule after the other, so that its tools are made once.
type simWorld struct {
	*sim
	tools [3]*tool.Registry // by level

	mu   sync.Mutex
	done map[string]int // side effects, by the call's key
}

func (w *simWorld) act(key string, once bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !once || w.done[key] == 0 {
		w.done[key]++
	}
}

func (w *simWorld) has(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[key] > 0
}

func newWorld(t *testing.T) *simWorld {
	w := &simWorld{}
	for level := range w.tools {
		w.tools[level] = w.registry(level)
		require.NoError(t, w.tools[level].Err())
	}
	return w
}

func (w *simWorld) pick(n int, place ...any) int {
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, place)
	return int(h.Sum64() % uint64(n))
}

// takes lets fake time pass, a different span at each place.
func (w *simWorld) takes(ctx context.Context, place ...any) error {
	d := time.Duration(w.pick(3000, append(place, "time")...)) * time.Millisecond
	if w.pick(12, append(place, "hang")...) == 0 && !w.calm {
		d = 10 * time.Minute // more than any limit
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *simWorld) registry(level int) *tool.Registry {
	read := scripted("look read seen")
	read.Run = func(ctx context.Context, call tool.Call) (tool.Result, error) {
		if err := w.takes(ctx, call.Key); err != nil {
			return tool.Result{}, err
		}
		switch w.pick(6, call.Key, "end") {
		case 0:
			return tool.Result{}, errors.New("cannot look")
		case 1:
			panic("looked too hard")
		}
		return tool.Text(fmt.Sprint("seen ", w.pick(3, call.Key))), nil
	}
	ask := scripted("form write ask: who?")
	tools := []tool.Tool{read, w.effect("save", 0), w.effect("send", 1), w.effect("mark", 2), ask}
	if level+1 < len(w.tools) {
		child := agent.WorkerFunc(func(ctx context.Context, s agent.Scope, prompts ...string) (*agent.Run, error) {
			return w.loops[level+1].Open(ctx, s, prompts...)
		})
		tools = append(tools, agent.AsTool(child, "child", "Helps."))
	}
	return tool.NewRegistry(tools...)
}

// effect is a side effect: 0 can be asked about, 1 can't, 2 may be repeated
// under its key.
func (w *simWorld) effect(name string, kind int) tool.Tool {
	t := scripted(name + " write done")
	t.Repeatable = kind == 2
	t.Run = func(ctx context.Context, call tool.Call) (tool.Result, error) {
		if err := w.takes(ctx, call.Key); err != nil {
			return tool.Result{}, err
		}
		w.act(call.Key, kind == 2)
		if w.pick(6, call.Key, "end") == 0 {
			return tool.Result{}, errors.New("done, and sorry")
		}
		return tool.Text("done"), nil
	}
	if kind == 0 {
		t.Reconcile = func(_ context.Context, call tool.Call) (tool.Reconciled, error) {
			return tool.Reconciled{Happened: w.has(call.Key), Result: tool.Text("done")}, nil
		}
	}
	return t
}

// A simClient is a model that answers by how far the history has come.
type simClient struct {
	*sim
	level    int
	attempts atomic.Int64
}

func (c *simClient) Stream(ctx context.Context, req llm.Request) iterChunks {
	return func(yield func(llm.Chunk, error) bool) {
		if err := simRules.Validate(llm.Request{System: req.System, Messages: req.Messages}); err != nil {
			require.NoError(c.t, err)
		}
		if !c.calm && c.pick(8, "fault", c.attempts.Add(1)) == 0 {
			yield(nil, &llm.Error{Kind: llm.ErrUnavailable, Message: "down", Usage: llm.Usage{Input: 1}})
			return
		}
		place := []any{c.level, len(req.Messages), len(req.Tools)}
		if err := c.world.takes(ctx, place...); err != nil {
			yield(nil, &llm.Error{Kind: llm.ErrConnection, Err: err})
			return
		}
		if !yield(llm.TextDelta("."), nil) {
			return
		}
		yield(c.reply(len(req.Tools) > 0, place), nil)
	}
}

func (c *simClient) pick(n int, place ...any) int { return c.world.pick(n, place...) }

func (c *simClient) reply(tools bool, place []any) llm.Reply {
	r := llm.Reply{
		Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel},
		Finish:  llm.FinishStop, Usage: llm.Usage{Input: 8, Output: 2},
	}
	kind := c.pick(12, place, "kind")
	switch {
	case kind == 0:
		return r // empty
	case kind == 1:
		r.Finish = llm.FinishLength
	case kind == 2 && c.pick(3, place, "refuse") == 0:
		r.Finish = llm.FinishRefused
	}
	if kind < 4 || !tools {
		r.Message.Parts = llm.Parts{llm.Text(fmt.Sprint("text ", place))}
		return r
	}
	names := []string{"look", "look", "save", "send", "mark", "form", "child", "nosuch"}
	for i := range 1 + c.pick(4, place, "calls") {
		name := names[c.pick(len(names), place, i)]
		arguments, _ := json.Marshal(map[string]any{"task": "help", "n": c.pick(3, place, i, "n")})
		r.Message.Parts = append(r.Message.Parts, llm.ToolCall{ID: fmt.Sprint("k", i%2), Name: name, Arguments: string(arguments)})
	}
	return r
}
