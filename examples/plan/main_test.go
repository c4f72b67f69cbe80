package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

func try(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("TMPDIR", t.TempDir())
	var x example
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), x.run, append([]string{"plan"}, args...), strings.NewReader(""), &o, &e, cli.Apart, cli.Keeps, x.flags)
	return status, o.String() + e.String()
}

// EX-01: a small project is really written, read back and checked; the tasks are
// shown before and after.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	status, out := try(t, "-dir", dir, "-yes", "Create demoapp, read its pom.xml back, check the layout")
	require.Equal(t, 0, status, out)
	require.True(t, strings.HasPrefix(out, "  pending    task_1: Create the project demoapp.\n  pending    task_2: Read demoapp/pom.xml back. (after task_1)\n"), out)
	require.Contains(t, out, "\n  completed  task_4: Say whether all is there. (after task_2, task_3)\n")
	require.NotContains(t, out, "flowchart")
	require.Contains(t, out, "demoapp is created, reads back and has its files in place.")
	pom, err := os.ReadFile(filepath.Join(dir, "demoapp", "pom.xml"))
	require.NoError(t, err)
	require.Contains(t, string(pom), "<artifactId>demoapp</artifactId>")
	require.FileExists(t, filepath.Join(dir, "demoapp", "src", "main", "java", "App.java"))
}

// The line of the manual, in a folder that is not there: the graph before and
// after.
func TestGraph(t *testing.T) {
	status, out := try(t, "-yes", "-graph", "Create demoapp, read its pom.xml back, check the layout")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "flowchart TD\n    n0[\"task_1<br/>Create the project demoapp.<br/>(pending)\"]:::pending")
	require.Contains(t, out, "n3[\"task_4<br/>Say whether all is there.<br/>(completed)\"]:::completed")
	own := filepath.Join(os.TempDir(), "triad-plan")
	require.Contains(t, out, "(the files go to "+own+", a new folder)")
	require.FileExists(t, filepath.Join(own, "demoapp", "pom.xml"))
}

// PLAN-09, PLAN-E57: the review is a pause, which another process answers: with
// words first, then with a yes; nothing is written before.
func TestReview(t *testing.T) {
	dir, journal := t.TempDir(), t.TempDir()
	args := []string{"-dir", dir, "-journal", journal, "-run", "r"}
	status, out := try(t, append(args, "Create tiny")...)
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "? review_1: Goal: Create tiny\n")
	require.Equal(t, 1, strings.Count(out, "task_1: Create the project tiny."), "the review alone shows it")
	status, out = try(t, append(args, "-answer", "review_1=text:keep it small")...)
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "Additional requirement: keep it small")
	require.NoDirExists(t, filepath.Join(dir, "tiny"))
	status, out = try(t, append(args, "-answer", "review_2=approve")...)
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "? task_5/1.1: Run write_file with these arguments?\n  path: \"tiny/pom.xml\"\n  content:\n    | <project>\n")
	require.Equal(t, 1, strings.Count(out, "<artifactId>tiny</artifactId>"), "each file once")
	status, out = try(t, append(args, "-yes")...)
	require.Equal(t, 0, status, out)
	require.FileExists(t, filepath.Join(dir, "tiny", "pom.xml"))

	status, out = try(t, "-dir", dir, "-journal", journal, "-run", "s", "Create other")
	require.Equal(t, 3, status, out)
	status, out = try(t, "-dir", dir, "-journal", journal, "-run", "s", "-answer", "review_1=deny:no")
	require.Equal(t, 2, status, out)
	require.NoDirExists(t, filepath.Join(dir, "other"))
}
