package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
)

// SES-E92, PLAN-34, PLAN-E60: who does not know may stop the task: it is canceled, what
// depends on it is skipped, and nothing is paid again.
func TestCallCutOffAndStopped(t *testing.T) {
	w, dir := &till{}, t.TempDir()
	w.cutOff(t, dir, true, payAndMore()...)
	require.NoError(t, agent.Drain(t.Context(), w.next(t, dir), nil)) // it is asked
	run := w.next(t, dir)
	require.NoError(t, run.Answer("a/1.1", agent.Words(agent.StopTheRun)))
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Incomplete, run.Result().Reason)
	require.Equal(t, "a canceled, b completed, c skipped", statuses(state(t, run)))
	require.Equal(t, 1, w.begun)
}
