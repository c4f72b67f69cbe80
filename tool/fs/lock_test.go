package fs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

// spellings of one file.
func spellings(t *testing.T, top string) (dir string, paths []string) {
	put(t, top, map[string]string{"root/b/other.txt": "", "root/link.txt": "-> b/../a.txt", "root/dirlink": "-> b"})
	dir, err := filepath.EvalSymlinks(filepath.Join(top, "root"))
	require.NoError(t, err)
	return dir, []string{"a.txt", "./b/../a.txt", dir + "/a.txt", "link.txt", "dirlink/../a.txt"}
}

// TOOL-08, B080, B226: 50 turns of 3 edits of one file under five spellings of
// its path, all at once and through two instances: none of 150 is lost.
func TestNoEditIsLost(t *testing.T) {
	dir, paths := spellings(t, t.TempDir())
	var content strings.Builder
	for i := range 150 {
		fmt.Fprintf(&content, "<%d>\n", i)
	}
	put(t, dir, map[string]string{"a.txt": content.String()})
	agents := []*agent{open(t, dir), open(t, dir)}
	lists := []*tool.List{agents[0].list(), agents[1].list()}

	var turns sync.WaitGroup
	results := make([]tool.Result, 150)
	for turn := range 50 {
		for call := range 3 {
			turns.Go(func() {
				n := 3*turn + call
				results[n] = agents[n%2].callOn(lists[n%2], "edit_file", args{
					"path": paths[n%len(paths)], "old_text": fmt.Sprintf("<%d>", n), "new_text": fmt.Sprintf("done %d", n),
				})
			})
		}
	}
	turns.Wait()
	got := on(t, dir, "a.txt")
	for n, result := range results {
		require.Equal(t, tool.OK, result.Outcome, result.Text)
		require.Contains(t, got, fmt.Sprintf("done %d\n", n))
	}
	require.Equal(t, 150, strings.Count(got, "\n"))
	require.NotContains(t, got, "<")
	target, err := os.Readlink(filepath.Join(dir, "link.txt"))
	require.NoError(t, err)
	require.Equal(t, "b/../a.txt", target)
}

// TOOL-08, B080: all spellings of one file have one key, so that the edits of a
// turn run in the model's order; other files have others, so that theirs overlap.
func TestKeys(t *testing.T) {
	dir, paths := spellings(t, t.TempDir())
	put(t, dir, map[string]string{"a.txt": "50 75", "ghost": "-> new.txt"})
	a, b := open(t, dir), open(t, filepath.Join(dir, "b"))
	use := func(a *agent, name, path string) tool.Use {
		check := a.check(name, args{"path": path, "content": "c", "old_text": "a", "new_text": "b"}.only(name))
		require.False(t, check.Stopped(), check.Text)
		return check.Use
	}
	for _, path := range paths {
		require.Equal(t, use(a, "edit_file", "a.txt"), use(a, "edit_file", path))
		require.Equal(t, use(a, "read_file", "a.txt"), use(a, "read_file", path))
	}
	for _, c := range []struct {
		one, two tool.Use
		conflict bool
	}{
		{use(a, "edit_file", "a.txt"), use(a, "write_file", "link.txt"), true},
		{use(a, "edit_file", "a.txt"), use(a, "read_file", "link.txt"), true},
		{use(a, "read_file", "a.txt"), use(a, "read_file", "link.txt"), false},
		{use(a, "edit_file", "a.txt"), use(a, "edit_file", "b/other.txt"), false},
		{use(a, "write_file", "new.txt"), use(a, "write_file", "new2.txt"), false},
		{use(a, "write_file", "new.txt"), use(a, "read_file", "b/../new.txt"), true},
		{use(a, "write_file", "new.txt"), use(a, "read_file", "ghost"), true},
		{use(a, "write_file", "new"), use(a, "write_file", "new/f"), true},
		{use(a, "write_file", "new"), use(a, "read_file", "new/f"), true},
		{use(a, "edit_file", "dirlink/other.txt"), use(b, "edit_file", "other.txt"), true},
		{use(a, "edit_file", "../out"), use(a, "edit_file", "a.txt"), true},
		{use(a, "read_file", "../out"), use(a, "read_file", "a.txt"), false},
		{use(a, "edit_file", "a.txt"), use(a, "list_dir", "b"), true},
		{use(a, "edit_file", "a.txt"), a.check("grep", args{"pattern": "x"}).Use, true},
		{use(a, "read_file", "a.txt"), a.check("glob", args{"pattern": "x"}).Use, false},
	} {
		require.Equal(t, c.conflict, c.one.Conflicts(c.two), "%+v %+v", c.one, c.two)
	}
}

// only keeps the arguments that a tool takes.
func (a args) only(name string) args {
	takes := map[string][]string{
		"read_file": {"path"}, "list_dir": {"path"}, "write_file": {"path", "content"}, "edit_file": {"path", "old_text", "new_text"},
	}
	kept := args{}
	for name, value := range a {
		kept[name] = value
	}
	for key := range a {
		if !slices.Contains(takes[name], key) {
			delete(kept, key)
		}
	}
	return kept
}

// TOOL-39, B082: a whole-file write over a file that changed since this instance
// read it is refused; other instances' writes are changes.
func TestStaleWrite(t *testing.T) {
	dir, paths := spellings(t, t.TempDir())
	put(t, dir, map[string]string{"a.txt": "version 1\n"})
	one, two := open(t, dir), open(t, dir)
	for i, path := range paths {
		write := func(a *agent, content string) tool.Result {
			return a.call("write_file", args{"path": path, "content": content})
		}
		one.read("a.txt")
		two.read(path)
		require.Equal(t, tool.Changed, write(two, fmt.Sprintf("version 2.%d\n", i)).Changed)
		stale := write(one, "from version 1\n")
		require.Equal(t, tool.Failed, stale.Outcome)
		require.Contains(t, stale.Text, "changed since you read it")
		require.Equal(t, fmt.Sprintf("version 2.%d\n", i), on(t, dir, "a.txt"))

		// Read again, it goes; and then it is the other that is stale, who only wrote.
		one.read(path)
		require.Equal(t, tool.Changed, write(one, fmt.Sprintf("version 3.%d\n", i)).Changed)
		require.Equal(t, tool.Changed, write(one, fmt.Sprintf("version 4.%d\n", i)).Changed)
		require.Contains(t, write(two, "from version 2\n").Text, "changed since you read it")
		require.Equal(t, fmt.Sprintf("version 4.%d\n", i), on(t, dir, "a.txt"))
	}
}

// TOOL-39: which changes make a write stale.
func TestWhatIsStale(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	edit := args{"path": "f", "old_text": "2", "new_text": "3"}
	for name, c := range map[string]struct {
		between func(me, other *agent)
		stale   bool
	}{
		"nothing":        {func(me, other *agent) {}, false},
		"same size":      {func(me, other *agent) { put(t, dir, map[string]string{"f": "version 9"}) }, true},
		"time alone":     {func(me, other *agent) { require.NoError(t, os.Chtimes(path, epoch, epoch)) }, false},
		"there and back": {func(me, other *agent) { other.ok("edit_file", edit); put(t, dir, map[string]string{"f": "version 2"}) }, false},
		"own edit":       {func(me, other *agent) { me.ok("edit_file", edit) }, false},
		"other's edit":   {func(me, other *agent) { other.ok("edit_file", edit) }, true},
		"own edit upon other's": {func(me, other *agent) {
			put(t, dir, map[string]string{"f": "version 2, new"})
			me.ok("edit_file", edit)
		}, true},
		"taken away":      {func(me, other *agent) { require.NoError(t, os.Remove(path)) }, false},
		"read again":      {func(me, other *agent) { other.ok("edit_file", edit); me.read("f") }, false},
		"page read again": {func(me, other *agent) { other.ok("edit_file", edit); me.ok("read_file", args{"path": "f", "limit": 1}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, dir, map[string]string{"f": "version 2"})
			me, other := open(t, dir), open(t, dir)
			me.read("f")
			c.between(me, other)
			result := me.call("write_file", args{"path": "f", "content": "whole"})
			require.Equal(t, c.stale, result.Failed(), result.Text)
		})
	}
	t.Run("large", func(t *testing.T) {
		put(t, dir, map[string]string{"f": strings.Repeat("0123456789\n", 1<<19)})
		me, other := open(t, dir), open(t, dir)
		me.MaxFile, other.MaxFile = 1<<30, 1<<30
		me.ok("read_file", args{"path": "f", "limit": 1})
		other.ok("write_file", args{"path": "f", "content": strings.Repeat("9876543210\n", 1<<19)})
		me.refused("write_file", args{"path": "f", "content": "whole"}, "changed since you read it")
		me.ok("read_file", args{"path": "f", "limit": 1})
		me.ok("write_file", args{"path": "f", "content": "whole"})
	})
}

var epoch = time.Unix(0, 0)

// A call that waits for a file ends with its context, and nothing is kept of it.
func TestWaitingForAFileEnds(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"f": "text"})
	a := open(t, dir)
	list := a.list()
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 20 {
		waiting.Go(func() {
			found, _ := list.Find("edit_file")
			found.Do(ctx, tool.Call{Arguments: []byte(`{"path":"f","old_text":"text","new_text":"text text"}`)})
		})
	}
	cancel()
	waiting.Wait()
	before := on(t, dir, "f")
	a.ok("edit_file", args{"path": "f", "old_text": before, "new_text": "after"})
	require.Equal(t, "after", a.read("f"))
	require.Len(t, names(t, dir), 2)
}
