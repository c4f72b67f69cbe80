//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs one command of s and wants no error, which would be one of the run.
func run(t *testing.T, ctx context.Context, s shell.Shell, command string) tool.Result {
	t.Helper()
	return runCall(t, ctx, s.Tool(), tool.Call{Arguments: arguments(t, map[string]any{"command": command})})
}

func runCall(t *testing.T, ctx context.Context, tl tool.Tool, call tool.Call) tool.Result {
	t.Helper()
	r, err := tl.Run(ctx, call)
	require.NoError(t, err)
	return r
}

func arguments(t *testing.T, values map[string]any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(values)
	require.NoError(t, err)
	return b
}

var groupNumber = regexp.MustCompile(`group=(\d+)`)

// requireGone wants that no process is left of the group whose number the
// command wrote as "group=$$". One that has ended and was not yet waited for by
// the machine's first process is gone.
func requireGone(t *testing.T, text string) {
	t.Helper()
	m := groupNumber.FindStringSubmatch(text)
	require.NotNil(t, m, "no group in %q", text)
	all, err := exec.Command("ps", "-A", "-o", "pgid=", "-o", "stat=", "-o", "args=").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(all)) {
		fields := strings.Fields(line)
		require.False(t, fields[0] == m[1] && !strings.HasPrefix(fields[1], "Z"), "left: %s", line)
	}
}
