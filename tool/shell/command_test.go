//go:build unix

package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

// B235, TOOL-25: every exit code is a result with its code, no error of the run.
func TestExitCodes(t *testing.T) {
	for command, want := range map[string]struct {
		text    string
		outcome tool.Outcome
	}{
		"true":                   {"exit code: 0\n(no output)", tool.OK},
		"false":                  {"exit code: 1\n(no output)", tool.Failed},
		"exit 3":                 {"exit code: 3\n(no output)", tool.Failed},
		"exit 255":               {"exit code: 255\n(no output)", tool.Failed},
		"kill -9 $$":             {"ended by signal: killed\n(no output)", tool.Failed},
		"echo out":               {"exit code: 0\nstdout:\nout", tool.OK},
		"echo err >&2; exit 4":   {"exit code: 4\nstderr:\nerr", tool.Failed},
		"echo out; echo err >&2": {"exit code: 0\nstdout:\nout\nstderr:\nerr", tool.OK},
		"printf ''":              {"exit code: 0\n(no output)", tool.OK},
		"printf '\\n'":           {"exit code: 0\nstdout:\n", tool.OK},
		"printf 'a\\n\\n  b\\n'": {"exit code: 0\nstdout:\na\n\n  b", tool.OK},
		"cd / && pwd":            {"exit code: 0\nstdout:\n/", tool.OK},
		"printf 'é🔬'":            {"exit code: 0\nstdout:\né🔬", tool.OK},
		"printf 'a\\377b'":       {"exit code: 0\nstdout:\na\uFFFDb", tool.OK},
	} {
		t.Run("B235 "+command, func(t *testing.T) {
			r := run(t, t.Context(), shell.Shell{}, command)
			require.Equal(t, want.text, r.Text)
			require.Equal(t, want.outcome, r.Outcome)
		})
	}
	t.Run("a program that is not there", func(t *testing.T) {
		r := run(t, t.Context(), shell.Shell{}, "no-such-program --help")
		require.Equal(t, tool.Failed, r.Outcome)
		require.Contains(t, r.Text, "exit code: 127")
		require.Contains(t, r.Text, "not found")
	})
}

// B230, TOOL-25: standard input is empty, so what reads it ends at once; and
// there is no terminal to ask a question on.
func TestEmptyInput(t *testing.T) {
	for _, command := range []string{"cat", "sh", "read x; echo got=$x", "wc -c"} {
		t.Run("B230 "+command, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			r := run(t, ctx, shell.Shell{}, command)
			require.Contains(t, r.Text, "exit code: 0")
		})
	}
	r := run(t, t.Context(), shell.Shell{}, "(echo asking > /dev/tty) 2>/dev/null")
	require.Equal(t, tool.Failed, r.Outcome)
}

// B233: a full standard error does not block a program that has yet to write
// to standard output.
func TestErrorOutputFirst(t *testing.T) {
	r := run(t, t.Context(), shell.Shell{},
		"echo first >&2; head -c 1000000 /dev/zero | tr '\\0' e >&2; echo last >&2; echo result")
	require.Equal(t, tool.OK, r.Outcome)
	require.Contains(t, r.Text, "stdout:\nresult\nstderr:\nfirst\neee")
	require.True(t, strings.HasSuffix(r.Text, "eeelast"))
	require.Less(t, len(r.Text), shell.DefaultMaxOutput+100)
}

// B232, TOOL-40: memory stays bounded whatever is written; head and tail are
// kept, and what is left out is counted.
func TestBoundedOutput(t *testing.T) {
	t.Run("B232 200 MB without a newline", func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := run(t, t.Context(), shell.Shell{},
			"printf HEAD; head -c 200000000 /dev/zero | tr '\\0' x; printf TAIL")
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
		require.Contains(t, r.Text, "stdout:\nHEADxxx")
		require.True(t, strings.HasSuffix(r.Text, "xxxTAIL"))
		const kept = shell.DefaultMaxOutput - len("\n[... 200000008 bytes left out ...]\n")
		require.Contains(t, r.Text, "xxx\n[... 199983660 bytes left out ...]\nxxx")
		require.Equal(t, 200000008-199983660, kept)
	})
	t.Run("B232 yes with a limit of 5 s", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		r := run(t, ctx, shell.Shell{MaxOutput: 1000}, "echo group=$$; exec yes")
		require.Equal(t, tool.TimedOut, r.Outcome)
		require.Regexp(t, `^ended from outside after 5(\.\d)?s`, r.Text)
		require.Regexp(t, `y\n+\[\.\.\. \d{6,} bytes left out \.\.\.\]\n+y`, r.Text)
		require.Less(t, len(r.Text), 1200)
		requireGone(t, r.Text)
	})
	t.Run("TOOL-E21 binary output is described", func(t *testing.T) {
		r := run(t, t.Context(), shell.Shell{}, `printf '\211PNG\r\n\032\n\000\000\000\rIHDR'`)
		require.Equal(t, "exit code: 0\nstdout:\n(binary output, 16 bytes: not shown)", r.Text)
	})
}

// A command sees the variables of every program and those that are named, and
// none of the host's keys.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret-1")
	t.Setenv("DEPLOY_TOKEN", "secret-2")
	t.Setenv("LANG", "C.UTF-8")
	r := run(t, t.Context(), shell.Shell{}, "env")
	require.NotContains(t, r.Text, "secret")
	for _, name := range []string{"PATH=", "HOME=", "LANG=C.UTF-8"} {
		require.Contains(t, r.Text, name)
	}
	r = run(t, t.Context(), shell.Shell{Env: []string{"DEPLOY_TOKEN", "NO_SUCH_NAME", "MODE=test=1", "LANG=C"}}, "env")
	require.Contains(t, r.Text, "DEPLOY_TOKEN=secret-2")
	require.Contains(t, r.Text, "MODE=test=1")
	require.Contains(t, r.Text, "LANG=C\n")
	require.NotContains(t, r.Text, "secret-1")
	require.NotContains(t, r.Text, "NO_SUCH_NAME")
}

func TestDirAndInterpreter(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := run(t, t.Context(), shell.Shell{Dir: dir}, "pwd; echo here > file")
	require.Contains(t, r.Text, dir)
	require.FileExists(t, filepath.Join(dir, "file"))

	call := tool.Call{Arguments: arguments(t, map[string]any{"command": "echo $0"})}
	r = runCall(t, t.Context(), shell.Shell{Interpreter: []string{"/bin/sh", "-ec"}}.Tool(), call)
	require.Equal(t, "exit code: 0\nstdout:\n/bin/sh", r.Text)

	_, err = shell.Shell{Dir: filepath.Join(dir, "missing")}.Tool().Run(t.Context(), call)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "working directory")
	_, err = shell.Shell{Interpreter: []string{"/no/such/sh", "-c"}}.Tool().Run(t.Context(), call)
	require.ErrorContains(t, err, `program "/no/such/sh" was not found`)
	_, err = shell.Shell{}.Tool().Run(t.Context(), tool.Call{Arguments: arguments(t, map[string]any{"command": "a\x00b"})})
	require.ErrorContains(t, err, "zero byte")
}

// TOOL-23: lines are told while the command runs, and a flood of them is thinned.
func TestProgress(t *testing.T) {
	var lines []string
	call := tool.Call{
		Arguments: arguments(t, map[string]any{"command": "echo; echo 'first é'; seq 100000"}),
		Report:    func(text string) { lines = append(lines, text) },
	}
	runCall(t, t.Context(), shell.Shell{}.Tool(), call)
	require.Equal(t, "first é", lines[0])
	require.Less(t, len(lines), 1000)

	// A reader that panics does so on the goroutine that waits for the call.
	call.Report = func(string) { panic("no room") }
	require.PanicsWithValue(t, "no room", func() { shell.Shell{}.Tool().Do(t.Context(), call) })
}

// GEN-09: a host can say it in its own words.
func TestTexts(t *testing.T) {
	s := shell.Shell{Texts: shell.Texts{ExitCode: "Rückgabewert {code}", NoOutput: "(nichts)"}}
	require.Equal(t, "Rückgabewert 3\n(nichts)", run(t, t.Context(), s, "exit 3").Text)
}
