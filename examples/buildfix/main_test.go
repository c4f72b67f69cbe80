package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
)

func needCompiler(t *testing.T) {
	t.Helper()
	p, err := prepare("")
	if errors.Is(err, errNoCompiler) {
		t.Skip("LEFT OUT: buildfix is not tested, since there is no C compiler on this machine")
	}
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoDirExists(t, p.dir)
}

func try(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	b := buildfix{rule: demo.Repair}
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), b.run, append([]string{"buildfix"}, append(args, "Make it build.")...), strings.NewReader(""), &o, &e, b.flags)
	return status, o.String() + e.String()
}

// AGT-31, EX-01: the four reference endings, with a compiler that compiles and a
// program that runs.
func TestFourEndings(t *testing.T) {
	needCompiler(t)
	for way, want := range map[string]struct {
		status int
		starts int // of calls
		ends   []string
	}{
		"repair":  {0, 4, []string{`"reason":"completed"`, `"turns":5`, `It builds, and prints 5.0.`, `"verified","pass":true`}},
		"claim":   {2, 1, []string{`"reason":"unverified"`, `"turns":2`, `All done, everything builds perfectly!`, `expected ';'`}},
		"circle":  {2, 2, []string{`"reason":"stalled"`, `"turns":4`, `it does not build: average.c:8:29: error: `}},
		"another": {2, 12, []string{`"reason":"over_budget"`, `"turns":6`, `it does not build: average.c:8:29: error: `}},
	} {
		t.Run(way, func(t *testing.T) {
			status, out := try(t, "-json", "-max-turns", "6", "-demo", way)
			require.Equal(t, want.status, status, out)
			require.Equal(t, want.starts, strings.Count(out, `"type":"call_started"`), out)
			for _, end := range want.ends {
				require.Contains(t, out, end)
			}
		})
	}
}

// AGT-31: the same for people, and the repaired sources.
func TestRepairs(t *testing.T) {
	needCompiler(t)
	dir := t.TempDir()
	status, out := try(t, "-yes", "-dir", dir)
	require.Equal(t, 0, status, out)
	require.Contains(t, out, `→ edit_file {"new_text":"\treturn total / count;","old_text":"\treturn total / count","path":"average.c"}`)
	require.True(t, strings.HasSuffix(out, "It builds, and prints 5.0.\n(verified)\n"), out)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "building leaves nothing behind")

	status, out = try(t, "-dir", dir, "-demo", "claim") // what is there is taken as it is: the claim is true now
	require.Equal(t, 0, status, out)
}

// What a person sees of the ways that lead nowhere: each reply on lines of its
// own, what the guard stopped, and why, once.
func TestEndsForPeople(t *testing.T) {
	needCompiler(t)
	_, out := try(t, "-demo", "circle")
	require.Contains(t, out, "I build it.\n← build (repeated): ")
	require.NotContains(t, out, "I build it.I")
	require.NotContains(t, out, "no rule of mine fits")
	require.Contains(t, out, "\nI stop here, and it does not build: average.c:8:29: error: expected ';'")
	_, out = try(t, "-demo", "claim")
	require.Equal(t, 1, strings.Count(out, "expected ';'"), out)
	require.True(t, strings.HasSuffix(out, "\n(unverified)\n"), out)
}

// A program that builds and is wrong does not pass either.
func TestVerifierRunsTheProgram(t *testing.T) {
	needCompiler(t)
	for source, why := range map[string]string{
		"#include <stdio.h>\nint main(void) { puts(\"4.0\"); return 0; }\n": "it prints 4.0 in place of 5.0",
		"int main(void) { return 7; }\n":                                    "exit status 7",
		"int main(void) { return }\n":                                       "error: ",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o644))
		p, err := prepare(dir)
		require.NoError(t, err)
		verdict, err := p.verify(t.Context(), agent.State{})
		require.NoError(t, err)
		require.False(t, verdict.Pass)
		require.Contains(t, verdict.Why, why)
	}
}

// With feedback the model is told what the verifier says, a few times.
func TestFeedback(t *testing.T) {
	needCompiler(t)
	status, out := try(t, "-feedback", "-demo", "claim")
	require.Equal(t, 2, status)
	require.Equal(t, 2, strings.Count(out, "(feedback: "), out)
	require.Equal(t, 3, strings.Count(out, "(not verified: "), out)

	status, out = try(t, "-demo", "pray")
	require.Equal(t, 1, status)
	require.Contains(t, out, "no such way")
}

// Somebody's folder is changed by nobody but those who may.
func TestAsksInSomebodysFolder(t *testing.T) {
	needCompiler(t)
	status, out := try(t, "-dir", t.TempDir())
	require.Equal(t, 3, status, out)
	require.Contains(t, out, "edit_file")
}
