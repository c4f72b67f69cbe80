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

// EX-01, PLAN-25: two rounds with a critique between, and a report of what the
// real files say.
func TestResearch(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "# Apples\nThey grow.\n", "b.txt": "Pears fall.\n", "sub/c.md": "Plums.\n", "d.bin": "no"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	file := filepath.Join(t.TempDir(), "report.md")
	var r research
	var out, errs bytes.Buffer
	status := cli.Run(t.Context(), r.run, []string{"research", "-dir", dir, "-report", file, "What fruit is there?"}, strings.NewReader(""), &out, &errs, r.flags)
	require.Equal(t, 0, status, out.String()+errs.String())
	require.Contains(t, out.String(), "critic: passed false The documents are known, but none has been read.")
	require.Contains(t, out.String(), "critic: passed true")
	require.Contains(t, out.String(), "(the report is in "+file+")\n")
	report, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# Report\n\n- a.md: Apples\n- b.txt: Pears fall.\n- sub/c.md: Plums.\n", string(report))
}
