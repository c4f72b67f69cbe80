//go:build unix

package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

// B227, TOOL-40: a child in the background that holds the output open does not
// block the call, and the rule is that it ends with its command.
func TestBackgroundChild(t *testing.T) {
	for name, command := range map[string]string{
		"both outputs":      "sleep 60 & echo group=$$ done",
		"stdout only":       "sleep 60 2>/dev/null & echo group=$$ done",
		"stderr only":       "sleep 60 >/dev/null & echo group=$$ done",
		"none":              "sleep 60 >/dev/null 2>&1 & echo group=$$ done",
		"no hangup":         "nohup sleep 60 & echo group=$$ done",
		"several":           "for i in 1 2 3; do (sleep 60 & sleep 60) & done; echo group=$$ done",
		"an endless writer": "yes & echo group=$$ done",
		"deaf to SIGTERM":   "(trap '' TERM; sleep 60) & echo group=$$ done",
		"stopped":           "sh -c 'kill -STOP $$' & echo group=$$ done",
	} {
		t.Run("B227 "+name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			r := run(t, t.Context(), shell.Shell{}, command)
			require.Less(t, time.Since(begun), 10*time.Second)
			require.Equal(t, tool.OK, r.Outcome)
			require.Contains(t, r.Text, "done")
			require.Contains(t, r.Text, "(what it left running in the background was ended)")
			requireGone(t, r.Text)
		})
	}
	t.Run("B227 a short one may end by itself", func(t *testing.T) {
		t.Parallel()
		r := run(t, t.Context(), shell.Shell{}, "(sleep 0.1; echo late) & echo early")
		require.Equal(t, "exit code: 0\nstdout:\nearly\nlate", r.Text)
	})
	t.Run("B227 one that left the group lives on, unread", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "pid")
		begun := time.Now()
		r := run(t, t.Context(), shell.Shell{Env: []string{"FILE=" + file}},
			`setsid sh -c 'echo $$ > "$FILE.new"; mv "$FILE.new" "$FILE"; exec sleep 60' & while [ ! -e "$FILE" ]; do :; done; echo done`)
		require.Less(t, time.Since(begun), 10*time.Second)
		require.Equal(t, "exit code: 0\nstdout:\ndone", r.Text)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL), "it should have lived on")
	})
}

// B229, B112 (a), TOOL-40: at the limit, and when the run is canceled, every
// process of the group ends, the deaf ones after the grace.
func TestCutOff(t *testing.T) {
	for name, command := range map[string]string{
		"a child that is waited for": "echo group=$$; sh -c 'sleep 300 & wait'",
		"a child of a child":         "echo group=$$; sh -c 'sh -c \"sleep 300 & wait\" & wait'",
		"a pipeline":                 "echo group=$$; sleep 300 | cat",
		"deaf to SIGTERM":            "trap '' TERM; echo group=$$; sleep 300; sleep 300",
		"a deaf child":               "(trap '' TERM; sleep 300) & echo group=$$; sleep 300",
		"stopped":                    "echo group=$$; kill -STOP $$",
	} {
		t.Run("B229 limit, "+name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			begun := time.Now()
			r := run(t, ctx, shell.Shell{Grace: 300 * time.Millisecond}, command)
			require.Less(t, time.Since(begun), 10*time.Second)
			require.Equal(t, tool.TimedOut, r.Outcome)
			require.Contains(t, r.Text, "ended from outside after ")
			requireGone(t, r.Text)
		})
		t.Run("B229, B112 (a) canceled, "+name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			call := tool.Call{
				Arguments: arguments(t, map[string]any{"command": command}),
				Report:    func(string) { cancel(errors.New("a person stopped it")) }, // it has begun
			}
			begun := time.Now()
			r := runCall(t, ctx, shell.Shell{Grace: 300 * time.Millisecond}.Tool(), call)
			require.Less(t, time.Since(begun), 10*time.Second)
			require.Equal(t, tool.Canceled, r.Outcome)
			requireGone(t, r.Text)
		})
	}
	t.Run("TOOL-40 a child that obeys may clean up", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		call := tool.Call{
			Arguments: arguments(t, map[string]any{
				"command": `sh -c 'trap "echo cleaned; exit 0" TERM; echo group=$PPID; sleep 300 & wait'; true`,
			}),
			Report: func(string) { cancel() },
		}
		r := runCall(t, ctx, shell.Shell{}.Tool(), call)
		require.Equal(t, tool.Canceled, r.Outcome)
		require.Contains(t, r.Text, "cleaned")
		requireGone(t, r.Text)
	})
	t.Run("nothing starts when it was canceled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		file := filepath.Join(t.TempDir(), "file")
		_, err := shell.Shell{}.Tool().Run(ctx, tool.Call{Arguments: arguments(t, map[string]any{"command": "touch " + file})})
		require.ErrorIs(t, err, context.Canceled)
		require.NoFileExists(t, file)
	})
}
