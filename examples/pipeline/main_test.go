package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

// With this variable set the test binary is the example.
const asExample = "TRIAD_AS_EXAMPLE"

func TestMain(m *testing.M) {
	if os.Getenv(asExample) != "" {
		main()
	}
	os.Exit(m.Run())
}

func offline(t *testing.T) (dir, store string) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("TMPDIR", t.TempDir())
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n"), 0o644))
	return dir, t.TempDir()
}

func try(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	var d desk
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), d.run, append([]string{"pipeline"}, args...), strings.NewReader(""), &o, &e, cli.Keeps, d.flags)
	return status, o.String() + e.String()
}

const want = `# Report on a Go module: The state of it

## What is here

The folder holds 1 entries: go.mod.

## What go.mod says

go.mod begins with “module demo”.
`

// EX-01, SES-09: the eight stages, the last but one of them "done".
func TestPipeline(t *testing.T) {
	dir, _ := offline(t)
	status, out := try(t, "-dir", dir, "-json", "The state of it")
	require.Equal(t, 0, status, out)
	var stages []string
	var last struct{ Reason, Answer string }
	for line := range strings.Lines(out) {
		var e struct{ Type, Stage string }
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		if e.Type == "stage" {
			stages = append(stages, e.Stage)
		}
		require.NoError(t, json.Unmarshal([]byte(line), &last))
	}
	require.Equal(t, []string{"collecting", "template", "outline", "search", "schema", "render", "done"}, stages)
	require.Equal(t, "completed", last.Reason)
	require.Equal(t, want, last.Answer)
	text, err := os.ReadFile(filepath.Join(os.TempDir(), "triad-pipeline", "report.md"))
	require.NoError(t, err)
	require.Equal(t, want, string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder is only read")
}

// Where things are written is said, and can be chosen; a report is kept, and a
// run that is not there is not begun without a topic.
func TestPlaces(t *testing.T) {
	dir, store := offline(t)
	file := filepath.Join(t.TempDir(), "new", "r.md")
	args := []string{"-dir", dir, "-journal", store, "-run", "r1", "-report", file}
	status, out := try(t, append(args, "The state of it")...)
	require.Equal(t, 0, status, out)
	says := "(the stages are kept in " + filepath.Join(store, "r1") + ", the report goes to " + file + ")\n"
	require.True(t, strings.HasPrefix(out, says), out)
	require.FileExists(t, file)
	status, out = try(t, args...)
	require.Equal(t, 0, status, out)
	require.Equal(t, says+want, out)

	status, out = try(t, "-journal", store, "-run", "r4")
	require.Equal(t, 1, status)
	require.Equal(t, "pipeline: there is no run r4 in "+store+"\n", out)
}

// EX-01, SES-09, SES-10, SES-12: killed in render, it goes on in render.
func TestPipelineKilled(t *testing.T) {
	dir, store := offline(t)
	cmd := exec.Command(os.Args[0], "-dir", dir, "-journal", store, "-run", "r1", "-kill", "render", "The state of it")
	cmd.Env = append(os.Environ(), asExample+"=1")
	out, err := cmd.CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, "%v: %s", err, out)
	require.Equal(t, 137, exit.ExitCode(), string(out))
	require.True(t, strings.HasSuffix(string(out), "[render, attempt 1]\n"), string(out))

	status, text := try(t, "-dir", dir, "-journal", store, "-run", "r1")
	require.Equal(t, 0, status, text)
	require.True(t, strings.HasSuffix(text, ")\n[render, attempt 2]\n[done, attempt 1]\n"+want), text)
}

// SES-12: a stage that failed is gone on with, and an agent's run within a
// stage is not done twice.
func TestPipelineFails(t *testing.T) {
	dir, store := offline(t)
	status, out := try(t, "-dir", dir, "-journal", store, "-run", "r1", "-fail", "search", "The state of it")
	require.Equal(t, 1, status)
	require.Contains(t, out, "search → list_dir")
	require.Contains(t, out, "flow: stage search, attempt 1: it was asked to fail")
	status, out = try(t, "-dir", dir, "-journal", store, "-run", "r1")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, ")\n[search, attempt 2]\n[schema, attempt 1]\n")
}
