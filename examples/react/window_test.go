package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

// CMP-03, CMP-30 (share): on a small window a large file is put aside when it
// is read, the run goes on, and says so.
func TestSmallWindow(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	lines := "module example.com/m\n\ngo 1.26\n\nrequire (\n" + strings.Repeat("\texample.com/some/long/module/path v1.2.3 // indirect\n", 400) + ")\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(lines), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "loop.go"), []byte("package m\n\ntype Loop struct{}\n"), 0o644))
	var out, errs bytes.Buffer
	status := cli.Run(context.Background(), react,
		[]string{"react", "-dir", dir, "-window", "6000", "What does this module depend on, and where is the loop?"},
		strings.NewReader(""), &out, &errs)
	require.Zero(t, status, out.String()+errs.String())
	require.Contains(t, out.String(), "context compacted by offload")
}
