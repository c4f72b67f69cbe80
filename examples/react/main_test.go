package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

// EX-01: the demo client calls the real tools on real files.
func TestReact(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n"), 0o644))
	var out, errs bytes.Buffer
	require.Equal(t, 0, cli.Run(t.Context(), react, []string{"react", "-dir", dir, "What is here?"}, os.Stdin, &out, &errs), errs.String())
	require.Equal(t, `First I look at what is there.
→ list_dir {"path":"."}
← list_dir: go.mod (12 bytes)
Now I look closer.
→ read_file {"limit":20,"path":"go.mod"}
← read_file: module demo
The folder holds 1 entries: go.mod.
go.mod begins with “module demo”.
`, out.String())

	require.Equal(t, 1, cli.Run(t.Context(), react, []string{"react", "-dir", filepath.Join(dir, "none"), "What is here?"}, os.Stdin, &out, &errs))
	require.Contains(t, errs.String(), "none")
}
