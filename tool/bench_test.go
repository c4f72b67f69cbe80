package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

type searchIn struct {
	Query  string   `json:"query" jsonschema:"description=What to look for"`
	Kinds  []string `json:"kinds,omitempty" jsonschema:"enum=code,enum=text"`
	Limit  int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100"`
	Within struct {
		Path  string `json:"path"`
		Depth int    `json:"depth,omitempty"`
	} `json:"within"`
}

const searchArguments = `{"query":"needle","kinds":["code","text"],"limit":20,"within":{"path":"src/lib","depth":3}}`

func searchNothing(context.Context, searchIn) (string, error) { return "ok", nil }

// A call of a typed tool that does nothing, through all gates: at most 1.5
// times what validator, decoding and function cost by themselves, and as much
// in a registry of 1,000 tools as in one of 1.
func BenchmarkCall(b *testing.B) {
	ctx := context.Background()
	search := tool.New("search", "Searches.", searchNothing, tool.ReadOnly)
	b.Run("floor", func(b *testing.B) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(search.Schema)))
		require.NoError(b, err)
		c := jsonschema.NewCompiler()
		require.NoError(b, c.AddResource("tool:///x", doc))
		schema := c.MustCompile("tool:///x")
		b.ReportAllocs()
		for b.Loop() {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(searchArguments))
			if err != nil || schema.Validate(v) != nil {
				b.Fatal("refused")
			}
			var in searchIn
			if err := json.Unmarshal([]byte(searchArguments), &in); err != nil {
				b.Fatal(err)
			}
			if out, err := searchNothing(ctx, in); out != "ok" || err != nil {
				b.Fatal(out)
			}
		}
	})
	for _, size := range []int{1, 1000} {
		b.Run(fmt.Sprintf("gates/tools=%d", size), func(b *testing.B) {
			registry := tool.NewRegistry(search)
			for i := range size - 1 {
				other := search
				other.Name = fmt.Sprintf("search_%d", i)
				require.NoError(b, registry.Add(other))
			}
			b.ReportAllocs()
			for b.Loop() {
				list := registry.List()
				check := list.Check(llm.ToolCall{ID: "1", Name: "search", Arguments: searchArguments}, nil)
				t, _ := list.Find("search")
				ending := t.Do(ctx, tool.Call{ID: "1", Name: "search", Arguments: check.Arguments})
				if ending.Result.Text != "ok" {
					b.Fatal(ending.Result.Text)
				}
			}
		})
	}
}

// Do by itself: what running a function under a limit costs.
func BenchmarkDo(b *testing.B) {
	t := tool.Tool{Run: func(context.Context, tool.Call) (tool.Result, error) { return tool.Text("ok"), nil }}
	b.ReportAllocs()
	for b.Loop() {
		t.Do(context.Background(), tool.Call{})
	}
}

// A scheduling of 256 calls with keys: under 100 µs, and not quadratic.
func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		uses := make([]tool.Use, n)
		for i := range uses {
			uses[i] = tool.Use{Keyed: true, Keys: tool.Keys{
				Reads:  []string{fmt.Sprintf("shared/%d", i%7)},
				Writes: []string{fmt.Sprintf("file/%d", i)},
			}}
		}
		b.Run(fmt.Sprintf("keyed/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ready := 0
				for range tool.Order(uses).Ready(func(int) bool { return false }) {
					ready++
				}
				if ready != n {
					b.Fatal(ready)
				}
			}
		})
	}
	b.Run("reads/calls=8", func(b *testing.B) {
		uses := make([]tool.Use, 8)
		for i := range uses {
			uses[i].Access = tool.ReadOnly
		}
		b.ReportAllocs()
		for b.Loop() {
			for range tool.Order(uses).Ready(func(int) bool { return false }) {
			}
		}
	})
}

// 8 reads of 20 ms with room for 8: at most 21 ms.
func BenchmarkParallelReads(b *testing.B) {
	read := tool.New("read", "Reads.", func(context.Context, struct{}) (string, error) {
		time.Sleep(20 * time.Millisecond)
		return "ok", nil
	}, tool.ReadOnly)
	runner := &tool.Runner{Tools: tool.NewRegistry(read), Parallel: 8}
	calls := make([]llm.ToolCall, 8)
	for i := range calls {
		calls[i].Name = "read"
	}
	for b.Loop() {
		if _, err := runner.Run(context.Background(), nil, calls); err != nil {
			b.Fatal(err)
		}
	}
}
