//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

// script makes a program of a shell script.
func script(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o700))
	return path
}

func process(t *testing.T, p shell.Process, schema string) tool.Tool {
	t.Helper()
	tl, err := p.Tool(llm.Spec{Name: "program", Schema: json.RawMessage(schema)})
	require.NoError(t, err)
	return tl
}

const citySchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"tags":{"type":"array"}}}`

// TOOL-25: small input as arguments, and nothing in it is expanded.
func TestProcessArguments(t *testing.T) {
	echo := shell.Process{
		Program: script(t, `for a in "$@"; do echo "<$a>"; done`),
		Args:    []string{"show", "--city={city}", "--days={days}", "{tags}", "{}", "--"},
	}
	for arguments, want := range map[string]string{
		`{"city":"Oslo","days":3}`:           "<show>\n<--city=Oslo>\n<--days=3>\n<{}>\n<-->\n",
		`{"city":"a b; $(id) *","days":1.0}`: "<show>\n<--city=a b; $(id) *>\n<--days=1.0>\n<{}>\n<-->\n",
		`{"city":"{days}","tags":["x", 1]}`:  "<show>\n<--city={days}>\n<[\"x\", 1]>\n<{}>\n<-->\n",
		`{"city":null}`:                      "<show>\n<{}>\n<-->\n",
		`{"city":""}`:                        "<show>\n<--city=>\n<{}>\n<-->\n",
		``:                                   "<show>\n<{}>\n<-->\n",
	} {
		r := runCall(t, t.Context(), process(t, echo, citySchema), tool.Call{Arguments: json.RawMessage(arguments)})
		require.Equal(t, tool.Text(want), r)
	}
}

// TOOL-25: large input through a JSON file, output from standard output or a
// file, and the files are gone afterwards.
func TestProcessFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	large := strings.Repeat("long ", 1<<20)
	input := arguments(t, map[string]any{"city": large})

	count := shell.Process{Program: script(t, `wc -c < "$1" | tr -d ' '; head -c 14 "$1"`), Args: []string{shell.InputFile}}
	r := runCall(t, t.Context(), process(t, count, citySchema), tool.Call{Arguments: input})
	require.Equal(t, tool.Text("5242891\n{\"city\":\"long "), r)

	write := shell.Process{
		Program: script(t, `echo working; cat "$1" > "$2"`), Args: []string{shell.InputFile, shell.OutputFile}, MaxOutput: 1000,
	}
	r = runCall(t, t.Context(), process(t, write, citySchema), tool.Call{Arguments: json.RawMessage(`{"city":"Oslo"}`)})
	require.Equal(t, tool.Text(`{"city":"Oslo"}`), r)
	r = runCall(t, t.Context(), process(t, write, citySchema), tool.Call{Arguments: input})
	require.LessOrEqual(t, len(r.Text), 1000)
	require.Contains(t, r.Text, "bytes left out")

	direct := shell.Process{Program: script(t, `cat "$1"`), Args: []string{"{city}"}}
	_, err := process(t, direct, citySchema).Run(t.Context(), tool.Call{Arguments: input})
	require.ErrorContains(t, err, "argument list too long")

	silent := shell.Process{Program: script(t, "echo said"), Args: []string{shell.OutputFile}}
	r = runCall(t, t.Context(), process(t, silent, citySchema), tool.Call{})
	require.Equal(t, tool.Failed, r.Outcome)
	require.Contains(t, r.Text, "output file can't be read")
	require.Contains(t, r.Text, "said")

	linked := shell.Process{Program: script(t, `ln -s /etc/passwd "$1"`), Args: []string{shell.OutputFile}}
	r = runCall(t, t.Context(), process(t, linked, citySchema), tool.Call{})
	require.Equal(t, tool.Failed, r.Outcome)
	require.Contains(t, r.Text, "no regular file")

	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}

// TOOL-25: exit code and standard error come back in a structured result, a
// missing program is said clearly, and standard input is empty.
func TestProcessFaults(t *testing.T) {
	t.Run("exit 3 without output", func(t *testing.T) {
		r := runCall(t, t.Context(), process(t, shell.Process{Program: script(t, "exit 3")}, ""), tool.Call{})
		require.Equal(t, tool.Result{Text: "exit code: 3\n(no output)", Outcome: tool.Failed}, r)
	})
	t.Run("exit 1 with both", func(t *testing.T) {
		r := runCall(t, t.Context(), process(t, shell.Process{Program: script(t, "echo half; echo why >&2; exit 1")}, ""), tool.Call{})
		require.Equal(t, tool.Result{Text: "exit code: 1\nstdout:\nhalf\nstderr:\nwhy", Outcome: tool.Failed}, r)
	})
	t.Run("missing program", func(t *testing.T) {
		for _, name := range []string{"no-such-program", "/no/such/program"} {
			_, err := process(t, shell.Process{Program: name}, "").Run(t.Context(), tool.Call{})
			require.ErrorContains(t, err, `program "`+name+`" was not found; is it installed`)
		}
	})
	t.Run("B233 1 MB on stderr before stdout", func(t *testing.T) {
		p := shell.Process{Program: script(t, "head -c 1000000 /dev/zero | tr '\\0' e >&2", "echo result")}
		r := runCall(t, t.Context(), process(t, p, ""), tool.Call{})
		require.Equal(t, tool.OK, r.Outcome)
		require.Contains(t, r.Text, "stdout:\nresult\nstderr:\neee")
	})
	t.Run("B230 empty standard input", func(t *testing.T) {
		r := runCall(t, t.Context(), process(t, shell.Process{Program: "cat"}, ""), tool.Call{})
		require.Equal(t, tool.Text("exit code: 0\n(no output)"), r)
	})
	t.Run("B229 the limit ends the group", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		p := shell.Process{Program: script(t, "echo group=$$; sleep 300 & wait"), Grace: time.Second}
		r := runCall(t, ctx, process(t, p, ""), tool.Call{})
		require.Equal(t, tool.TimedOut, r.Outcome)
		requireGone(t, r.Text)
	})
}

// Faults of construction are told at the door.
func TestProcessTool(t *testing.T) {
	spec := llm.Spec{Name: "program", Schema: json.RawMessage(citySchema)}
	for want, p := range map[string]shell.Process{
		"no program":        {},
		"{town} is no arg":  {Program: "true", Args: []string{"{city}", "--town={town}"}},
		"limit is negative": {Program: "true", MaxOutput: -1},
	} {
		_, err := p.Tool(spec)
		require.ErrorContains(t, err, want)
	}
	hidden := llm.Spec{Name: "program", Schema: json.RawMessage(`{"properties":{"input_file":{}}}`)}
	_, err := shell.Process{Program: "true", Args: []string{shell.InputFile}}.Tool(hidden)
	require.ErrorContains(t, err, "hides one")
	tl, err := shell.Process{Program: "true", Args: []string{"{city}"}}.Tool(spec)
	require.NoError(t, err)
	require.Equal(t, tool.SideEffecting, tl.Access)
	require.Equal(t, 6*time.Second, tl.Grace)
	require.NoError(t, tool.NewRegistry(tl).Err())
}
