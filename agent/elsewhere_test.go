package agent_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
)

// SES-02, SES-15: a run that waits here is answered elsewhere, below, and goes on here.
func TestAnsweredElsewhere(t *testing.T) {
	for _, kind := range []string{"memory", "dir", "leased"} {
		for _, levels := range []int{0, 1, 2} {
			var store journal.Journal = &journal.Memory{}
			switch kind {
			case "dir":
				d, err := journal.Open(t.TempDir())
				require.NoError(t, err)
				store = d
			case "leased":
				store = &journal.Leased{Store: &journal.MemoryStore{}}
			}
			done := 0
			a, err := deep(levels, &done).Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), a, nil))
			id := a.Result().Questions[0].ID

			b, err := deep(levels, &done).Open(t.Context(), agent.Scope{Journal: store, ID: "run"}, "go")
			require.NoError(t, err)
			require.NoError(t, b.Answer(id, agent.Approve()))

			err = agent.Drain(t.Context(), a, nil)
			if levels > 0 && a.Result().Reason == agent.Waits {
				require.NoError(t, a.Answer(id, agent.Approve()))
				require.NoError(t, agent.Drain(t.Context(), a, nil))
				require.Equal(t, agent.Completed, a.Result().Reason)
			}
			if levels > 0 && kind != "leased" {
				require.NoError(t, err)
				require.Equal(t, agent.Completed, a.Result().Reason)
			}
			if levels == 0 && kind != "leased" {
				require.True(t, errors.Is(err, journal.ErrConflict))
			}
		}
	}
}
