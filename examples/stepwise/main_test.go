package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/tool/fs"
)

func folder(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n"), 0o644))
	return dir
}

// AGT-52, EX-01: what is driven by hand leaves the very log that a Run leaves.
func TestSameLogAsRun(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	for name, c := range map[string]struct {
		prompt string
		turns  *int
		ends   agent.Reason
	}{
		"model, tools and verify":   {"Where is 'module'?", nil, agent.Completed},
		"a limit, and a last reply": {"Where is 'module'?", budget.Max(1), agent.OverBudget},
		"none allowed":              {"Where is 'module'?", budget.Max(0), agent.OverBudget},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := fs.Open(folder(t))
			require.NoError(t, err)
			defer files.Close()
			loop := recipe(&cli.Options{MaxTurns: c.turns}, files)
			loop.Parallel = 1 // as by hand

			var shown []agent.Event
			d := driver{loop: loop, show: func(e agent.Event) { shown = append(shown, e) }}
			require.NoError(t, d.drive(t.Context(), c.prompt))
			require.Len(t, shown, len(d.log))

			run, err := loop.Open(t.Context(), agent.Scope{}, c.prompt)
			require.NoError(t, err)
			require.NoError(t, agent.Drain(t.Context(), run, nil))
			log, err := run.Log(t.Context())
			require.NoError(t, err)
			require.Equal(t, facts(t, log), facts(t, d.log))
			require.Equal(t, c.ends, run.Result().Reason)
			require.Equal(t, run.Result().Text, agent.Fold(d.log...).Result().Text)
		})
	}
}

// facts returns the log without its times, a line a fact.
func facts(t *testing.T, log agent.Log) (lines []string) {
	for _, e := range log {
		data, err := json.Marshal(e.Fact)
		require.NoError(t, err)
		lines = append(lines, e.Fact.Kind()+" "+string(data))
	}
	return lines
}

// AGT-52: cut off after any fact, stored as JSON and taken up by another
// driver, it ends the same.
func TestGoesOnFromItsLog(t *testing.T) {
	files, err := fs.Open(folder(t))
	require.NoError(t, err)
	defer files.Close()
	loop := recipe(&cli.Options{}, files)
	whole := driver{loop: loop, show: func(agent.Event) {}}
	require.NoError(t, whole.drive(t.Context(), "Where is 'module'?"))
	for n := range whole.log {
		data, err := json.Marshal(whole.log[:n+1])
		require.NoError(t, err)
		again := driver{loop: loop, show: func(agent.Event) {}}
		require.NoError(t, json.Unmarshal(data, &again.log))
		require.NoError(t, again.goOn(t.Context()))
		require.Equal(t, facts(t, whole.log), facts(t, again.log), "after %d facts", n+1)
	}
}

// EX-01: the program, offline.
func TestStepwise(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	var out, errs bytes.Buffer
	require.Equal(t, 0, cli.Run(t.Context(), stepwise, []string{"stepwise", "-dir", folder(t), "What is here?"}, strings.NewReader(""), &out, &errs), errs.String())
	require.Equal(t, `First I look at what is there.
→ list_dir {"path":"."}
← list_dir: go.mod (12 bytes)
Now I look closer.
→ read_file {"limit":20,"path":"go.mod"}
← read_file: module demo
The folder holds 1 entries: go.mod.
go.mod begins with “module demo”.
(verified)
`, out.String())
	require.Equal(t, 1, cli.Run(t.Context(), stepwise, []string{"stepwise", "-journal", "j", "What is here?"}, strings.NewReader(""), &out, &errs))
}
