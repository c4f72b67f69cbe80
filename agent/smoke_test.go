package agent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func TestSmoke(t *testing.T) {
	echo := tool.New("echo", "Echoes.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	}, tool.ReadOnly)
	loop := &agent.Loop{
		Client: llmtest.Script(llmtest.Call("k1", "echo", `{"text":"hi"}`), llmtest.Text("done")),
		Tools:  tool.NewRegistry(echo),
	}
	run, err := loop.Open(t.Context(), agent.Scope{}, "go")
	require.NoError(t, err)
	for e, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		fmt.Printf("%s %+v\n", e.Kind(), e)
	}
	fmt.Printf("%+v\n", run.Result())
}
