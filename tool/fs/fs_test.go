package fs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// An agent calls the file tools as a run does: through all gates.
type agent struct {
	*fs.FS
	t   testing.TB
	dir string // as the root was opened

	tools *tool.List
}

func open(t testing.TB, dir string) *agent {
	t.Helper()
	f, err := fs.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	registry := tool.NewRegistry(f.Tools()...)
	require.NoError(t, registry.Err())
	return &agent{f, t, dir, registry.List()}
}

type args map[string]any

// list returns the tools as they are registered.
func (a *agent) list() *tool.List { return a.tools }

// check takes a call through the gates before it runs.
func (a *agent) check(name string, arguments args) tool.Check {
	return checkOn(a.t, a.list(), name, arguments)
}

func checkOn(t testing.TB, list *tool.List, name string, arguments args) tool.Check {
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	return list.Check(llm.ToolCall{ID: "k1", Name: name, Arguments: string(text)}, nil)
}

// call runs a call.
func (a *agent) call(name string, arguments args) tool.Result {
	return a.callOn(a.list(), name, arguments)
}

func (a *agent) callOn(list *tool.List, name string, arguments args) tool.Result {
	checked := checkOn(a.t, list, name, arguments)
	if checked.Stopped() {
		return checked.Result()
	}
	found, _ := list.Find(name)
	return found.Do(a.t.Context(), tool.Call{Name: name, Arguments: checked.Arguments}).Result
}

// ok runs a call that must succeed and returns its text.
func (a *agent) ok(name string, arguments args) string {
	a.t.Helper()
	result := a.call(name, arguments)
	require.Equal(a.t, tool.OK, result.Outcome, result.Text)
	return result.Text
}

// refused runs a call that must fail with words in its text, and change nothing.
func (a *agent) refused(name string, arguments args, words ...string) string {
	a.t.Helper()
	result := a.call(name, arguments)
	require.Equal(a.t, tool.Failed, result.Outcome, result.Text)
	for _, w := range words {
		require.Contains(a.t, result.Text, w)
	}
	return result.Text
}

func (a *agent) read(path string) string { a.t.Helper(); return a.ok("read_file", args{"path": path}) }

// every runs each tool that takes a path on it and returns the results by name.
func (a *agent) every(path string) map[string]tool.Result {
	return map[string]tool.Result{
		"read_file":  a.call("read_file", args{"path": path}),
		"list_dir":   a.call("list_dir", args{"path": path}),
		"grep":       a.call("grep", args{"path": path, "pattern": "."}),
		"write_file": a.call("write_file", args{"path": path, "content": "written"}),
		"edit_file":  a.call("edit_file", args{"path": path, "old_text": "secret", "new_text": "changed"}),
	}
}

// put makes files below dir: a name with a slash at its end is a directory, a
// content that starts with "-> " a link.
func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		target, link := strings.CutPrefix(content, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			require.NoError(t, os.MkdirAll(path, 0o777))
		case link:
			require.NoError(t, os.Symlink(target, path))
		default:
			require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
		}
	}
}

// on returns what is on the disk.
func on(t testing.TB, elem ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(content)
}

// names lists what a tree holds, links not followed.
func names(t testing.TB, dir string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		found = append(found, path)
		return err
	}))
	return found
}
