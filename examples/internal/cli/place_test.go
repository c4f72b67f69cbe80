package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
)

// What an example writes goes to a folder of its own, which it names; one that
// is not there is made.
func TestApart(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	own := filepath.Join(temp, "triad-x")
	mine := filepath.Join(temp, "mine", "of it")
	for _, c := range []struct {
		args []string
		dir  string
		says string
	}{
		{nil, own, "(the files go to " + own + ", a new folder)\n"},
		{nil, own, "(the files go to " + own + ")\n"},
		{[]string{"-dir", mine}, mine, "(the files go to " + mine + ", a new folder)\n"},
		{[]string{"-dir", mine}, mine, ""},
	} {
		var out, errs bytes.Buffer
		status := Run(t.Context(), func(_ context.Context, o *Options) (agent.Result, error) {
			require.Equal(t, c.dir, o.Dir)
			require.Equal(t, filepath.Join(own, "runs"), o.Journal)
			return agent.Result{Reason: agent.Completed}, o.MakeDir()
		}, append(append([]string{"x"}, c.args...), "Write."), strings.NewReader(""), &out, &errs, Apart, Keeps)
		require.Equal(t, 0, status, errs.String())
		require.Equal(t, c.says, out.String())
		require.DirExists(t, c.dir)
	}
	require.NoError(t, os.WriteFile(filepath.Join(temp, "file"), nil, 0o600))
	require.Error(t, (&Options{Dir: filepath.Join(temp, "file", "x")}).MakeDir())
}
