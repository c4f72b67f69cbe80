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
	var x extension
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), x.run, append([]string{"extend"}, args...), strings.NewReader(""), &o, &e, cli.Apart, x.flags)
	return status, o.String() + e.String()
}

var rest = regexp.MustCompile(`26: expected .*`) // the parser's words

// GEN-11, OUT-01, EX-01: what the compiler's parser says reaches the model as a
// user message before its next turn.
func TestDiagnostics(t *testing.T) {
	dir := t.TempDir()
	status, out := try(t, "-yes", "-dir", dir, "Write a greeting in Go.")
	require.Equal(t, 0, status, out)
	require.Equal(t, `I write it.
→ write_file {"content":"package greet\n\n// Hello greets.\nfunc Hello(name string) string {\n\treturn \"Hello, \ …
← write_file: Created greet.go (90 bytes).
+ Diagnostics: greet.go:5:…
I left something out.
→ write_file {"content":"package greet\n\n// Hello greets.\nfunc Hello(name string) string {\n\treturn \"Hello, \ …
← write_file: Wrote greet.go (92 bytes) over the old file.
greet.go is mended.
`, rest.ReplaceAllString(out, "…"))
	text, err := os.ReadFile(filepath.Join(dir, "greet.go"))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(text), "name\n}\n"), string(text))
}

// The line of the manual makes a folder, and says where.
func TestMakesAFolder(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	status, out := try(t, "-yes", "Write a greeting in Go.")
	require.Equal(t, 0, status, out)
	require.True(t, strings.HasPrefix(out, "(the files go to "+filepath.Join(temp, "triad-extend")+", a new folder)\n"), out)
	require.FileExists(t, filepath.Join(temp, "triad-extend", "greet.go"))
}

// GEN-11: a file is kept before the first call that changes it, so all can be
// put back: what was there, and what was not.
func TestUndo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "greet.go")

	status, out := try(t, "-yes", "-undo", "-dir", dir, "Write a greeting in Go.")
	require.Equal(t, 0, status, out)
	require.True(t, strings.HasSuffix(out, "Put back: greet.go.\n"), out)
	require.NoFileExists(t, file)

	require.NoError(t, os.WriteFile(file, []byte("package mine\n"), 0o600))
	status, out = try(t, "-yes", "-undo", "-dir", dir, "Write a greeting in Go.")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "over the old file")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "package mine\n", string(text))
}

// Nothing is kept, and nothing changed, where nobody approves.
func TestNothingWithoutApproval(t *testing.T) {
	dir := t.TempDir()
	status, out := try(t, "-undo", "-dir", dir, "Write a greeting in Go.")
	require.Equal(t, 3, status)
	require.Contains(t, out, "write_file")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}
