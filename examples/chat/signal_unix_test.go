//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// EX-01: real signals to the real program. The answer takes half a minute, so
// that it is under way when they come.
func TestSignals(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "chat")
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	dir := t.TempDir()
	for i := range 700 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file_%d", i)), nil, 0o644))
	}

	cmd := exec.CommandContext(t.Context(), binary, "-dir", dir, "What is here?")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()

	text := bufio.NewReader(out)
	until := func(words string) {
		var seen strings.Builder
		for !strings.HasSuffix(seen.String(), words) {
			r, _, err := text.ReadRune()
			require.NoError(t, err, seen.String())
			seen.WriteRune(r)
		}
	}
	for _, words := range []string{"The folder holds", "Ctrl-C again cancels)\n", "(canceled)\n(your turn)\n"} {
		until(words)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
	}
	err = cmd.Wait()
	require.Error(t, err)
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), "it has not completed")
}
