package tool_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

func asks(name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: "id-" + name, Name: name, Arguments: arguments}
}

// plain returns a tool without a schema that runs run.
func plain(name string, access tool.Access, run func(context.Context, tool.Call) (tool.Result, error)) tool.Tool {
	return tool.Tool{Spec: llm.Spec{Name: name}, Access: access, Run: run}
}

// says returns a read-only tool that says text.
func says(name, text string) tool.Tool {
	return plain(name, tool.ReadOnly, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Text(text), nil
	})
}

// listOf returns the list of a registry of tools.
func listOf(t testing.TB, tools ...tool.Tool) *tool.List {
	t.Helper()
	registry := tool.NewRegistry(tools...)
	require.NoError(t, registry.Err())
	return registry.List()
}

// echo returns a tool with a schema that says the arguments that it is given.
func echo(schema string) tool.Tool {
	t := plain("echo", tool.ReadOnly, func(_ context.Context, call tool.Call) (tool.Result, error) {
		return tool.Text(string(call.Arguments)), nil
	})
	t.Schema = json.RawMessage(schema)
	return t
}

// run checks a call and runs it.
func run(t testing.TB, list *tool.List, call llm.ToolCall) tool.Result {
	t.Helper()
	check := list.Check(call, nil)
	if check.Stopped() {
		return check.Result()
	}
	found, ok := list.Find(call.Name)
	require.True(t, ok)
	ending := found.Do(t.Context(), tool.Call{ID: call.ID, Name: call.Name, Arguments: check.Arguments})
	require.Nil(t, ending.Signal)
	return ending.Result
}

// runAll runs the calls of one reply.
func runAll(t testing.TB, r *tool.Runner, calls ...llm.ToolCall) []tool.Result {
	t.Helper()
	results, err := r.Run(t.Context(), nil, calls)
	require.NoError(t, err)
	require.Len(t, results, len(calls))
	return results
}

func texts(results []tool.Result) []string {
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.Text
	}
	return out
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
