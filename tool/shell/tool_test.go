//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

// TOOL-12, TOOL-26, TOOL-E18: a call may ask for its own limit, up to the cap;
// the description guides it, and the tool's grace is longer than the group's.
func TestLimits(t *testing.T) {
	do := func(s shell.Shell, seconds float64) tool.Ending {
		s.Grace = time.Second
		begun := time.Now()
		e := s.Tool().Do(t.Context(), tool.Call{Arguments: arguments(t, map[string]any{
			"command": "echo group=$$; sh -c 'sleep 300 & wait'", "timeout_seconds": seconds,
		})})
		require.Less(t, time.Since(begun), 10*time.Second)
		require.Nil(t, e.Late)
		requireGone(t, e.Result.Text)
		return e
	}
	t.Run("TOOL-26 500 s are cut to the cap", func(t *testing.T) {
		e := do(shell.Shell{LimitCap: 300 * time.Millisecond}, 500)
		require.Equal(t, tool.TimedOut, e.Result.Outcome)
		require.Contains(t, e.Result.Text, "limit of 300ms")
	})
	t.Run("TOOL-12, B229 a limit of 1 s is asked for", func(t *testing.T) {
		e := do(shell.Shell{}, 1)
		require.Equal(t, tool.TimedOut, e.Result.Outcome)
		require.Contains(t, e.Result.Text, "limit of 1s")
	})

	zero := shell.Shell{}.Tool()
	require.Equal(t, "run_command", zero.Name)
	require.Equal(t, tool.SideEffecting, zero.Access)
	require.Equal(t, 6*time.Second, zero.Grace)
	require.Zero(t, zero.Limit, "the usual one")
	require.Contains(t, zero.Description, "The time limit is 60 seconds; timeout_seconds asks for another, up to 300: ask for more where a project is configured")
	own := shell.Shell{Limit: 2 * time.Minute, LimitCap: 10 * time.Minute, Grace: time.Minute}.Tool()
	require.Contains(t, own.Description, "is 120 seconds; timeout_seconds asks for another, up to 600")
	require.Equal(t, 61*time.Second, own.Grace)
}

// B112 (a): the context of a running call is canceled; the call comes back
// canceled, with what was written until then, and its group is gone.
func TestCanceledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := shell.Shell{}.Tool().Do(ctx, tool.Call{
		Arguments: arguments(t, map[string]any{"command": "echo group=$$; sleep 300 | cat"}),
		Report:    func(string) { cancel() },
	})
	require.Equal(t, tool.Canceled, e.Result.Outcome)
	require.Nil(t, e.Late)
	requireGone(t, e.Result.Text)
}

// B235, TOOL-21: outcomes pass through unchanged, and no ending is a signal.
func TestOutcomes(t *testing.T) {
	for command, want := range map[string]tool.Outcome{
		"true": tool.OK, "exit 3": tool.Failed, "sudo id": tool.Refused,
	} {
		e := shell.Shell{}.Tool().Do(t.Context(), tool.Call{Arguments: arguments(t, map[string]any{"command": command})})
		require.Equal(t, want, e.Result.Outcome, command)
		require.Nil(t, e.Signal)
	}
	e := shell.Shell{Dir: "/no/such/folder"}.Tool().Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"command":"true"}`)})
	require.Equal(t, tool.Failed, e.Result.Outcome)
	require.Contains(t, e.Result.Text, `working directory "/no/such/folder"`)
}

// The schema is what the design promises, and bad bounds are told at the door.
func TestRegistration(t *testing.T) {
	zero := shell.Shell{}.Tool()
	require.NoError(t, tool.NewRegistry(zero).Err())
	require.JSONEq(t, `{
		"type": "object",
		"properties": {
			"command": {"type": "string", "minLength": 1, "description": "The command line"},
			"timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "description": "Time limit of this command"}
		},
		"required": ["command"],
		"additionalProperties": false
	}`, string(zero.Schema))
	for _, s := range []shell.Shell{{MaxOutput: -1}, {Grace: -1}, {Limit: -5}, {LimitCap: -1}} {
		require.ErrorIs(t, tool.NewRegistry(s.Tool()).Err(), tool.ErrBadLimit)
	}
}
