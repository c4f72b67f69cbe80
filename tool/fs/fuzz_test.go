package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// FuzzPath gives every tool any path, in a directory with links of all kinds:
// nothing panics or hangs, and nothing outside is read, made or changed (TOOL-37).
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"f", "./d/../f", "../outside/f", "out/f", "abs", "loop", "d/up/../f", "d//", "", "\x00", "d/l", "/", "//f", "~", "-", "*", "[",
	} {
		f.Add(path)
	}
	top := f.TempDir()
	put(f, top, map[string]string{
		"root/f": "inside", "root/d/g": "inside", "root/out": "-> ../outside", "root/abs": "-> " + top + "/outside/f",
		"root/loop": "-> loop", "root/d/up": "-> ..", "root/d/l": "-> ../f", "outside/f": "secret",
	})
	before := names(f, filepath.Join(top, "outside"))
	a := open(f, filepath.Join(top, "root"))
	list := a.list()
	f.Fuzz(func(t *testing.T, path string) {
		if !utf8.ValidString(path) || len(path) > 300 || strings.Count(path, "/") > 20 {
			t.Skip()
		}
		a := &agent{a.FS, t, a.dir, list}
		for _, c := range []struct {
			name string
			args args
		}{
			{"read_file", args{"path": path}},
			{"list_dir", args{"path": path}},
			{"glob", args{"pattern": path}},
			{"grep", args{"path": path, "pattern": "s.cret"}},
			{"write_file", args{"path": path, "content": "inside"}},
			{"edit_file", args{"path": path, "old_text": "secret", "new_text": "broken"}},
		} {
			result := a.callOn(list, c.name, c.args)
			require.Contains(t, []tool.Outcome{tool.OK, tool.Failed}, result.Outcome, result.Text)
			require.NotContains(t, strings.ReplaceAll(result.Text, path, ""), "secret")
			require.True(t, utf8.ValidString(result.Text))
		}
		require.Equal(t, before, names(t, filepath.Join(top, "outside")))
		require.Equal(t, "secret", on(t, top, "outside", "f"))
	})
}

// FuzzEdit edits any text: what comes out is that of strings.Replace on the text
// with LF as line ends, and nothing changes where the edit is refused (TOOL-38).
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\nc", "b", "x\ny", false)
	f.Add("aaa", "aa", "b", true)
	f.Add("", "a", "b", false)
	f.Add("\uFEFFé\xff\x00", "é", "🔬", false)
	f.Add("x\n\r\n", "\n", "", true)
	dir := f.TempDir()
	path := filepath.Join(dir, "f")
	a := open(f, dir)
	list := a.list()
	f.Fuzz(func(t *testing.T, text, old, replacement string, all bool) {
		if !utf8.ValidString(old) || !utf8.ValidString(replacement) {
			t.Skip() // JSON holds nothing else
		}
		a := &agent{a.FS, t, a.dir, list}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		result := a.callOn(list, "edit_file", args{"path": "f", "old_text": old, "new_text": replacement, "replace_all": all})
		got := on(t, path)
		if result.Failed() {
			require.Equal(t, text, got)
			require.True(t, utf8.ValidString(result.Text))
			return
		}
		n := 1
		if all {
			n = -1
		}
		want := strings.Replace(lf(text), lf(old), lf(replacement), n)
		require.Equal(t, lf(want), lf(got)) // twice: a CR that stood alone may have got its LF
	})
}
