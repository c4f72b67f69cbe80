package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), react, append([]string{"react"}, args...), strings.NewReader(""), &o, &e)
	return status, o.String() + e.String()
}

func folder(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n"), 0o644))
	return dir
}

// EX-01: the demo client calls the real tools on real files.
func TestReact(t *testing.T) {
	dir := folder(t)
	status, out := try(t, "-dir", dir, "What is here?")
	require.Equal(t, 0, status)
	require.Equal(t, `First I look at what is there.
→ list_dir {"path":"."}
← list_dir: go.mod (12 bytes)
Now I look closer.
→ read_file {"limit":20,"path":"go.mod"}
← read_file: module demo
The folder holds 1 entries: go.mod.
go.mod begins with “module demo”.
`, out)

	status, out = try(t, "-dir", filepath.Join(dir, "none"), "What is here?")
	require.Equal(t, 1, status)
	require.Contains(t, out, "none")
}

// EX-01: the question of the manual, on the files of this module.
func TestReactOnThisModule(t *testing.T) {
	status, out := try(t, "-dir", "../..", "What does this module depend on, and where is the loop?")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "The folder holds ")
	require.Contains(t, out, "By go.mod it depends on ")
	require.Regexp(t, `The loop is at agent/loop\.go:\d+:type Loop struct \{`, out)
}

// TOOL-33: a side effect waits for a person, and -yes is that person's word.
func TestReactAsksBeforeSideEffects(t *testing.T) {
	dir, notes := folder(t), t.TempDir()
	status, out := try(t, "-dir", dir, "-journal", notes, "-run", "r", "What is here? Write it to notes/here.md")
	require.Equal(t, 3, status)
	require.NoFileExists(t, filepath.Join(dir, "notes/here.md"))
	require.Contains(t, out, "? 3.1: ")

	status, out = try(t, "-journal", notes, "-run", "r", "-dir", dir, "-answer", "3.1=approve")
	require.Equal(t, 0, status, out)
	text, err := os.ReadFile(filepath.Join(dir, "notes/here.md"))
	require.NoError(t, err)
	require.Equal(t, "The folder holds 1 entries: go.mod.\ngo.mod begins with “module demo”.\n", string(text))

	status, out = try(t, "-dir", dir, "-yes", "Please run 'echo hello from a shell'")
	require.Equal(t, 0, status, out)
	require.Contains(t, out, "The command says: exit code: 0\nstdout:\nhello from a shell\n")
}

// A run that a limit stops says what it found out.
func TestReactStops(t *testing.T) {
	status, out := try(t, "-dir", folder(t), "-max-turns", "1", "What is here?")
	require.Equal(t, 2, status)
	require.True(t, strings.HasSuffix(out, "I am not done. Last I saw: go.mod (12 bytes)\n(over_budget: 1 of 1 turns)\n"), out)
}

// EX-01: any endpoint that speaks the protocol takes the demo model's place.
func TestReactAsksTheEndpoint(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		asked = append(asked, string(body))
		delta, finish := `{"tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"go.mod\"}"}}]}`, "tool_calls"
		if len(asked) > 1 {
			delta, finish = `{"content":"A module."}`, "stop"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"choices":[{"delta":%s,"finish_reason":%q}]}`+"\n\ndata: [DONE]\n\n", delta, finish)
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", server.URL) // a server of one's own needs no key
	var out, errs bytes.Buffer
	require.Equal(t, 0, cli.Run(t.Context(), react, []string{"react", "-dir", folder(t), "-model", "m", "What is here?"}, strings.NewReader(""), &out, &errs), errs.String())
	require.Equal(t, "→ read_file {\"path\":\"go.mod\"}\n← read_file: module demo\nA module.\n", out.String())
	require.Len(t, asked, 2)
	for _, tool := range []string{"read_file", "list_dir", "glob", "grep", "write_file", "edit_file", "run_command", "fetch_url", "ask_human"} {
		require.Contains(t, asked[0], `"name":"`+tool+`"`)
	}
	require.Contains(t, asked[1], `module demo`)
}
