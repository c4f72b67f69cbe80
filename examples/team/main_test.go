package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
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
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), example, append([]string{"team"}, args...), strings.NewReader(""), &o, &e, cli.Apart, cli.Keeps)
	return status, o.String() + e.String()
}

// EX-01: two workers really write, and the reviewer really sends the guide back
// once, because the example is missing.
func TestTeam(t *testing.T) {
	dir := t.TempDir()
	status, out := try(t, "-dir", dir, "-yes", "Write a guide and a list of questions for tiny")
	require.Equal(t, 0, status, out)
	require.Equal(t, 1, strings.Count(out, `step_1: sent back: ["It does not have an example."]`), out)
	require.Contains(t, out, "step_1: worker-1, try 2")
	require.Contains(t, out, "step_2: worker-2, try 1")
	step := 0
	for line := range strings.Lines(out) { // one task after the other, whatever the order of their work
		if m := task.FindStringSubmatch(line); m != nil {
			require.GreaterOrEqual(t, int(m[1][0]), step, out)
			step = int(m[1][0])
		}
	}
	require.Less(t, strings.Index(out, "step_2: worker-2, try 1"), strings.Index(out, "step_2/work → write_file"))
	require.Contains(t, out, "step_3 is approved")
	guide, err := os.ReadFile(filepath.Join(dir, "guide.md"))
	require.NoError(t, err)
	require.Contains(t, string(guide), "# Guide to tiny\n")
	require.Contains(t, string(guide), "## Example")
	require.FileExists(t, filepath.Join(dir, "questions.md"))
}

var task = regexp.MustCompile(`^step_(\d)`)

// The line of the manual makes a folder, and says where.
func TestMakesAFolder(t *testing.T) {
	status, out := try(t, "-yes", "Write a guide and a list of questions for tiny")
	require.Equal(t, 0, status, out)
	own := filepath.Join(os.TempDir(), "triad-team")
	require.True(t, strings.HasPrefix(out, "(the files go to "+own+", a new folder)\n"), out)
	require.FileExists(t, filepath.Join(own, "guide.md"))
}

// Nothing is written before a person says so, three levels down, in a process
// of its own; others go on meanwhile.
func TestAsks(t *testing.T) {
	dir, journal := t.TempDir(), t.TempDir()
	args := []string{"-dir", dir, "-journal", journal, "-run", "r"}
	status, out := try(t, append(args, "Write a guide and a list of questions for tiny")...)
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "? step_1/work/1.1: ")
	require.Contains(t, out, "? step_2/work/1.1: ")
	require.NoFileExists(t, filepath.Join(dir, "guide.md"))
	asked := regexp.MustCompile(`\? (\S+): `)
	for range 5 {
		answers := args
		for _, q := range asked.FindAllStringSubmatch(out, -1) {
			answers = append(answers[:len(answers):len(answers)], "-answer", q[1]+"=approve")
		}
		if status, out = try(t, answers...); status != 3 {
			break
		}
	}
	require.Equal(t, 0, status, out)
	require.FileExists(t, filepath.Join(dir, "questions.md"))
}
