package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// TOOL-37, TOOL-21 (the share of the file tools), B221, B223: every path in
// every tool is confined; what is refused touches nothing outside.
func TestNoPathLeadsOut(t *testing.T) {
	top := t.TempDir()
	root, outside := filepath.Join(top, "agent"), filepath.Join(top, "agent-other")
	put(t, top, map[string]string{
		"agent-other/f":     "secret",
		"agent-other/d/f":   "secret",
		"agent/in.txt":      "inside",
		"agent/sub/in.txt":  "inside",
		"agent/abs":         "-> " + outside,
		"agent/absfile":     "-> " + filepath.Join(outside, "f"),
		"agent/absinside":   "-> " + filepath.Join(root, "in.txt"),
		"agent/rel":         "-> ../agent-other",
		"agent/relfile":     "-> ../agent-other/f",
		"agent/sub/up":      "-> ../../agent-other/f",
		"agent/chain":       "-> sub/chain",
		"agent/sub/chain":   "-> ../rel/f",
		"agent/dangleout":   "-> ../agent-other/new",
		"agent/dangledir":   "-> ../agent-other/new/deep",
		"agent/etc":         "-> /etc",
		"agent/sub/selfup":  "-> ..",
		"agent/sub/rootdir": "-> ../../agent",
	})
	a := open(t, root)
	before := names(t, top)
	for _, path := range []string{
		"../agent-other/f", "sub/../../agent-other/f", "./../agent-other/f", "..", "../", "sub/../..",
		filepath.Join(outside, "f"), outside, "/etc/hosts", "/", "//etc/hosts", top,
		root + "/../agent-other/f", root + "-other/f", root + "/sub/../../agent-other/f",
		"abs", "abs/f", "abs/d/f", "abs/new", "absfile", "absinside", "rel", "rel/f", "rel/new/f", "relfile",
		"sub/up", "chain", "dangleout", "dangleout/f", "dangledir", "dangledir/f", "etc/hosts", "etc/x",
		"sub/selfup/../agent-other/f", "sub/selfup/rel/f", "sub/rootdir/in.txt",
	} {
		for name, result := range a.every(path) {
			require.Equal(t, tool.Failed, result.Outcome, "%s %s: %s", name, path, result.Text)
			require.Contains(t, result.Text, fs.ErrOutside.Error(), "%s %s", name, path)
			require.NotContains(t, result.Text, "secret")
		}
	}
	for _, pattern := range []string{"../*", "../agent-other/*", "abs/*", "rel/*", "sub/../../*", outside + "/*", "/etc/*", "etc/h*"} {
		text := a.refused("glob", args{"pattern": pattern}, fs.ErrOutside.Error())
		require.NotContains(t, text, "hosts\n")
	}
	require.NotContains(t, a.ok("glob", args{"pattern": "**"}), "agent-other")
	require.NotContains(t, a.ok("grep", args{"pattern": "secret"}), "secret\n")
	require.Equal(t, before, names(t, top))
	require.Equal(t, "secret", on(t, outside, "f"))
	require.Equal(t, "inside", on(t, root, "in.txt"))
}

// TOOL-37, B225: what is inside works, however it is spelled.
func TestPathsInside(t *testing.T) {
	top := t.TempDir()
	put(t, top, map[string]string{
		"real/a.txt":        "text\n",
		"real/sub/b.txt":    "text\n",
		"real/sub/link":     "-> ../a.txt",
		"real/dirlink":      "-> sub",
		"real/sub/deep/two": "-> ../../dirlink/b.txt",
		"real/..name/c.txt": "text\n",
		"root":              "-> real",
	})
	root, err := filepath.EvalSymlinks(filepath.Join(top, "real"))
	require.NoError(t, err)
	given := filepath.Join(top, "root")
	a := open(t, given)
	for _, path := range []string{
		"a.txt", "./a.txt", "sub/../a.txt", "sub//.././a.txt", "dirlink/../a.txt", "sub/link", "dirlink/link",
		root + "/a.txt", given + "/a.txt", given + "//sub/.././a.txt", top + "/x/../root/a.txt",
		"sub/b.txt", "dirlink/b.txt", "sub/deep/two", root + "/dirlink/b.txt", "..name/c.txt",
	} {
		require.Equal(t, "text\n", a.read(path), path)
		require.Contains(t, a.ok("grep", args{"path": path, "pattern": "^text$"}), ":1:text\n", path)
		a.ok("edit_file", args{"path": path, "old_text": "text", "new_text": "edited"})
		a.ok("write_file", args{"path": path, "content": "text\n"})
	}
	for path, want := range map[string]string{
		"":               "..name/\na.txt (5 bytes)\ndirlink (link to sub)\nsub/\n",
		".":              "..name/\na.txt (5 bytes)\ndirlink (link to sub)\nsub/\n",
		given:            "..name/\na.txt (5 bytes)\ndirlink (link to sub)\nsub/\n",
		"dirlink":        "b.txt (5 bytes)\ndeep/\nlink (link to ../a.txt)\n",
		root + "/sub/":   "b.txt (5 bytes)\ndeep/\nlink (link to ../a.txt)\n",
		"sub/deep/":      "two (link to ../../dirlink/b.txt)\n",
		"..name/../sub/": "b.txt (5 bytes)\ndeep/\nlink (link to ../a.txt)\n",
	} {
		require.Equal(t, want, a.ok("list_dir", args{"path": path}), path)
	}
	require.Equal(t, "dirlink/b.txt\n", a.ok("glob", args{"pattern": "dirlink/*.txt"}))
	require.Equal(t, "a.txt\n", a.ok("glob", args{"pattern": given + "/*.txt"}))

	// Links are written through, and stay.
	target, err := os.Readlink(filepath.Join(root, "sub", "link"))
	require.NoError(t, err)
	require.Equal(t, "../a.txt", target)
	a.ok("write_file", args{"path": "dirlink/new/made.txt", "content": "new"})
	require.Equal(t, "new", on(t, root, "sub/new/made.txt"))
}

// TOOL-37: a root that holds everything.
func TestRootOfTheFileSystem(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.txt": "text"})
	a := open(t, "/")
	require.Equal(t, "text", a.read(filepath.Join(dir, "a.txt")))
	require.NotEqual(t, a.check("edit_file", args{"path": dir + "/a", "old_text": "a", "new_text": "b"}).Use.Keys,
		a.check("edit_file", args{"path": dir + "/b", "old_text": "a", "new_text": "b"}).Use.Keys)
}

// TOOL-37: links that lead nowhere are refused in clear words, and nothing is made.
func TestLinksToNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"dangling": "-> missing.txt", "danglingdir": "-> missing", "loop": "-> loop2", "loop2": "-> loop", "self": "-> self/x",
	})
	a := open(t, dir)
	before := names(t, dir)
	for path, words := range map[string]string{
		"dangling": "a link on the way leads to nothing", "danglingdir/f": "a link on the way leads to nothing",
		"loop": "circle", "loop/f": "circle", "self": "circle",
	} {
		for name, result := range a.every(path) {
			require.Equal(t, tool.Failed, result.Outcome, name)
			require.Contains(t, result.Text, words, name)
		}
	}
	require.Equal(t, before, names(t, dir))
	require.Contains(t, a.ok("glob", args{"pattern": "loop/*"}), "No path matches")
}

// TOOL-37: names that no file can have.
func TestImpossibleNames(t *testing.T) {
	a := open(t, t.TempDir())
	long := strings.Repeat("n", 300)
	for path, words := range map[string]string{
		"a\x00b":                     "NUL",
		"\x00":                       "NUL",
		long:                         "file name too long",
		"sub/" + long:                "",
		strings.Repeat("d/", 5000):   "",
		strings.Repeat("../", 5000):  "outside",
		strings.Repeat("d/../", 500): "",
	} {
		for name, result := range a.every(path) {
			require.Equal(t, tool.Failed, result.Outcome, "%s %q", name, path)
			require.Contains(t, result.Text, words, name)
			require.Less(t, len(result.Text), 1000)
		}
	}
	a.refused("read_file", args{"path": ""}, "path is empty")
	a.refused("write_file", args{"path": "", "content": "c"}, "path is empty")
	a.refused("edit_file", args{"path": "", "old_text": "a", "new_text": "b"}, "path is empty")
	a.refused("glob", args{"pattern": ""}, "path is empty")
	a.refused("glob", args{"pattern": "a\x00*"}, "NUL")
}

// A name of the greatest length can be written and edited.
func TestLongestName(t *testing.T) {
	a := open(t, t.TempDir())
	name := strings.Repeat("n", 255)
	a.ok("write_file", args{"path": name, "content": "old"})
	a.ok("edit_file", args{"path": name, "old_text": "old", "new_text": "new"})
	require.Equal(t, "new", a.read(name))
}
