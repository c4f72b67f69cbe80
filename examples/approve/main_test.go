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

// A place is a folder with announcements, and a journal with one run.
type place struct {
	*testing.T
	dir, runs string
}

func newPlace(t *testing.T) place {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	return place{t, t.TempDir(), t.TempDir()}
}

func (p place) args(more ...string) []string {
	return append([]string{"-dir", p.dir, "-journal", p.runs, "-run", "r1"}, more...)
}

// try is the program in this process.
func (p place) try(args ...string) (status int, out string) {
	p.Helper()
	var a approval
	var o, e bytes.Buffer
	status = cli.Run(p.Context(), a.run, append([]string{"approve"}, p.args(args...)...), strings.NewReader(""), &o, &e, cli.Apart, cli.Keeps, a.flags)
	return status, o.String() + e.String()
}

// announced returns what everybody was told.
func (p place) announced() string {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, "announcements.txt"))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(p, err)
	return string(data)
}

const prompt = "Announce that the build is green."

// EX-01, SES-05, SES-15: one process pauses and ends, another answers and goes
// on; the side effect takes place once, and asking again gives the stored result.
func TestTwoProcesses(t *testing.T) {
	p := newPlace(t)
	binary := filepath.Join(t.TempDir(), "approve")
	build, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(build))
	run := func(args ...string) (status int, out string) {
		cmd := exec.CommandContext(t.Context(), binary, p.args(args...)...)
		text, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode(), string(text)
		}
		require.NoError(t, err)
		return 0, string(text)
	}

	status, out := run("-json", prompt)
	require.Equal(t, 3, status, out)
	require.Empty(t, p.announced())
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var last struct {
		Reason    string
		Questions []struct{ ID, About, Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	require.Equal(t, "paused", last.Reason)
	require.Len(t, last.Questions, 1)
	question := last.Questions[0]
	require.Equal(t, "approval", question.About)
	require.Equal(t, "announce", question.Name)

	status, out = run(prompt) // nobody has answered yet
	require.Equal(t, 3, status, out)

	status, out = run("-answer", question.ID+"=approve")
	require.Equal(t, 0, status, out)
	require.Equal(t, "the build is green.\n", p.announced())
	require.True(t, strings.HasSuffix(out, "It is announced (told: the build is green.).\n"), out)

	status, out = run(prompt)
	require.Equal(t, 0, status, out)
	require.Equal(t, "the build is green.\n", p.announced(), "once")
	require.True(t, strings.HasSuffix(out, "(this run has ended before, with this result)\nIt is announced (told: the build is green.).\n"), out)
}

// The lines of the manual write nothing into the folder that they are typed in,
// and say what is where; a run that is not there can't be answered.
func TestPlaces(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(t.TempDir())
	own := filepath.Join(os.TempDir(), "triad-approve")
	p := newPlace(t)
	p.dir, p.runs = own, filepath.Join(own, "runs")
	bare := func(args ...string) (status int, out string) {
		var a approval
		var o, e bytes.Buffer
		status = cli.Run(t.Context(), a.run, append([]string{"approve"}, args...), strings.NewReader(""), &o, &e, cli.Apart, cli.Keeps, a.flags)
		return status, o.String() + e.String()
	}
	status, out := bare("-run", "r1", prompt)
	require.Equal(t, 3, status, out)
	require.True(t, strings.HasPrefix(out, "(announcements go to "+filepath.Join(own, "announcements.txt")+", runs are kept in "+p.runs+")\n"), out)
	status, out = bare("-run", "r1", "-answer", "1.1=approve")
	require.Equal(t, 0, status, out)
	require.Equal(t, "the build is green.\n", p.announced())
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, entries)

	for _, more := range [][]string{{"-answer", "1.1=approve"}, {"-post", "-answer", "1.1=approve"}} {
		status, out = bare(append(more, "-run", "r4")...)
		require.Equal(t, 1, status)
		require.Contains(t, out, "approve: there is no run r4 in "+p.runs+"\n")
		require.NoDirExists(t, filepath.Join(p.runs, "r4"))
	}
}

// TOOL-33, SES-15: the other answers.
func TestAnswers(t *testing.T) {
	for answer, want := range map[string]struct{ announced, says string }{
		"1.1=deny:not on a Friday":                 {"", "It was not announced: "},
		`1.1=edit:{"text":"All builds are fine."}`: {"All builds are fine.\n", "It is announced (told: All builds are fine.)."},
	} {
		t.Run(answer, func(t *testing.T) {
			p := newPlace(t)
			status, out := p.try(prompt)
			require.Equal(t, 3, status, out)
			status, out = p.try("-answer", answer)
			require.Equal(t, 0, status, out)
			require.Equal(t, want.announced, p.announced())
			require.Contains(t, out, want.says)
			if want.announced == "" {
				require.Contains(t, out, "not on a Friday")
			}
		})
	}
}

// SES-15: an answer that fits no open question is an error, and the question
// stays open.
func TestWrongAnswers(t *testing.T) {
	p := newPlace(t)
	p.try(prompt)
	for answer, why := range map[string]string{
		"2.1=approve":          "no such question is open",
		"1.1=text:maybe":       "does not fit the question",
		`1.1=edit:{"txt":"x"}`: "does not fit the question",
	} {
		status, out := p.try("-answer", answer)
		require.Equal(t, 1, status, out)
		require.Contains(t, out, why)
	}
	status, _ := p.try("-answer", "1.1=approve")
	require.Equal(t, 0, status)
	status, out := p.try("-answer", "1.1=deny:too late")
	require.Equal(t, 1, status)
	require.Contains(t, out, "answered otherwise")
	require.Equal(t, "the build is green.\n", p.announced())
}

// SES-22: an answer that was posted while nobody ran the run is taken in, once;
// one for another question changes nothing.
func TestPost(t *testing.T) {
	p := newPlace(t)
	p.try(prompt)
	status, out := p.try("-post", "-answer", "9.9=approve", "-answer", "1.1=approve")
	require.Equal(t, 0, status, out)
	require.Empty(t, p.announced())
	for range 2 {
		status, out = p.try()
		require.Equal(t, 0, status, out)
		require.Equal(t, "the build is green.\n", p.announced())
	}
	status, _ = p.try("-post")
	require.Equal(t, 1, status)
}
