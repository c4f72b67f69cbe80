package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
)

// SES-22: what was posted last holds: a message to a run that has ended, and then a stop.
func TestPostSayStop(t *testing.T) {
	for _, kind := range []string{"memory", "dir"} {
		var store interface {
			journal.Journal
			journal.Mailbox
		} = &journal.Memory{}
		if kind == "dir" {
			d, err := journal.Open(t.TempDir())
			require.NoError(t, err)
			store = d
		}
		client := llmtest.Script(llmtest.Text("one"), llmtest.Text("two"))
		l := &agent.Loop{Client: client}
		scope := agent.Scope{Journal: store, ID: "run"}
		run, err := l.Open(t.Context(), scope, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.NoError(t, agent.Post(t.Context(), store, "run", "", agent.StopAsked{Why: "too late"}))
		require.NoError(t, agent.Post(t.Context(), store, "run", "", agent.Said{Text: "more"}))
		require.NoError(t, agent.Post(t.Context(), store, "run", "", agent.StopAsked{Why: "no, leave it"}))
		run, err = l.Open(t.Context(), scope, "go")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, "no, leave it", run.Result().Detail)
		require.Len(t, client.Requests(), 1)
	}
}
