package fs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// write_file writes exactly what it is given, makes directories, and says
// whether it changed anything (TOOL-29).
func TestWrite(t *testing.T) {
	a := open(t, t.TempDir())
	for _, content := range []string{"", "a", "a\r\nb\n", "\uFEFFa", "é🔬"} {
		put(t, a.dir, map[string]string{"old": "something else"})
		for path, verb := range map[string]string{"new/deep/f": "Created", "old": "Wrote"} {
			result := a.call("write_file", args{"path": path, "content": content})
			require.Equal(t, tool.OK, result.Outcome, result.Text)
			require.Equal(t, tool.Changed, result.Changed)
			require.Contains(t, result.Text, verb+" "+path)
			require.Equal(t, content, on(t, a.dir, path))

			again := a.call("write_file", args{"path": path, "content": content})
			require.Equal(t, tool.Unchanged, again.Changed)
			require.Contains(t, again.Text, "nothing was written")
		}
		a = open(t, t.TempDir())
	}
	put(t, a.dir, map[string]string{"file": "text"})
	a.refused("write_file", args{"path": "file/below", "content": "c"}, "not a directory")
	require.Equal(t, "text", a.read("file"))
}

// After Close every tool fails, and says so.
func TestClosed(t *testing.T) {
	a := open(t, t.TempDir())
	put(t, a.dir, map[string]string{"f": "text"})
	require.NoError(t, a.Close())
	for name, result := range a.every("f") {
		require.Equal(t, tool.Failed, result.Outcome, name)
		require.Contains(t, result.Text, "closed", name)
	}
}

// TOOL-06: writing is side-effecting, reading is not, and all say what they are for.
func TestTools(t *testing.T) {
	a := open(t, t.TempDir())
	var all []string
	for found := range a.list().All() {
		all = append(all, found.Name)
	}
	require.Equal(t, []string{"read_file", "list_dir", "glob", "grep", "write_file", "edit_file"}, all)
	require.Len(t, a.ReadTools(), 4)
	for _, found := range a.ReadTools() {
		require.Equal(t, tool.ReadOnly, found.Access, found.Name)
	}
	for _, found := range a.Tools()[4:] {
		require.Equal(t, tool.SideEffecting, found.Access, found.Name)
	}
	require.JSONEq(t, `{
		"type": "object", "additionalProperties": false, "required": ["path", "old_text", "new_text"],
		"properties": {
			"path": {"type": "string", "description": "The file, relative to the root directory"},
			"old_text": {"type": "string", "description": "The text to replace, exactly as it is in the file"},
			"new_text": {"type": "string", "description": "The text to put in its place"},
			"replace_all": {"type": "boolean", "description": "Replace every occurrence instead of exactly one"}
		}
	}`, string(a.Tools()[5].Schema))
	require.Contains(t, a.Tools()[3].Description, "RE2")
}
