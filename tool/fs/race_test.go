package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TOOL-37: while a directory is swapped for a link that leads out, and back,
// every tool is used on it, over and over. Nothing outside is read or written.
func TestSwappedForALink(t *testing.T) {
	top := t.TempDir()
	root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
	put(t, top, map[string]string{
		"outside/f.txt": "secret", "outside/deep/g.txt": "secret",
		"root/d/f.txt": "inside", "root/d/deep/g.txt": "inside", "root/other/f.txt": "inside",
	})
	before := names(t, outside)
	a := open(t, root)
	list := a.list()

	var stop atomic.Bool
	var swapper sync.WaitGroup
	swapper.Go(func() {
		dir, away, link := filepath.Join(root, "d"), filepath.Join(root, "away"), filepath.Join(root, "link")
		file, aside := filepath.Join(root, "other/f.txt"), filepath.Join(root, "other/aside")
		for !stop.Load() {
			_ = os.Symlink("../outside", link)
			_ = os.Rename(dir, away)
			_ = os.Rename(link, dir)
			_ = os.Rename(file, aside)
			_ = os.Symlink("../../outside/f.txt", file)
			_ = os.Remove(dir)
			_ = os.Rename(away, dir)
			_ = os.Remove(file)
			_ = os.Rename(aside, file)
		}
	})
	calls := []struct {
		name string
		args args
	}{
		{"read_file", args{"path": "d/f.txt"}},
		{"read_file", args{"path": "d/deep/g.txt"}},
		{"read_file", args{"path": "other/f.txt"}},
		{"list_dir", args{"path": "d"}},
		{"glob", args{"pattern": "d/**"}},
		{"grep", args{"pattern": "s.cret|inside"}},
		{"grep", args{"pattern": "s.cret", "path": "d"}},
		{"write_file", args{"path": "d/new.txt", "content": "inside"}},
		{"write_file", args{"path": "d/more/new.txt", "content": "inside"}},
		{"write_file", args{"path": "other/f.txt", "content": "inside"}},
		{"edit_file", args{"path": "d/f.txt", "old_text": "inside", "new_text": "inside inside"}},
		{"edit_file", args{"path": "d/f.txt", "old_text": "secret", "new_text": "broken"}},
		{"edit_file", args{"path": "other/f.txt", "old_text": "secret", "new_text": "broken"}},
	}
	var texts [2]strings.Builder
	var callers sync.WaitGroup
	worked := [2]int{}
	for i := range texts {
		callers.Go(func() {
			for range 150 {
				for _, c := range calls {
					result := a.callOn(list, c.name, c.args)
					if !result.Failed() {
						worked[i]++
					}
					texts[i].WriteString(result.Text)
				}
			}
		})
	}
	callers.Wait()
	stop.Store(true)
	swapper.Wait()

	for i := range texts {
		require.NotContains(t, texts[i].String(), "secret")
		require.NotContains(t, texts[i].String(), "/outside/")
		require.Positive(t, worked[i])
	}
	require.Equal(t, before, names(t, outside))
	require.Equal(t, "secret", on(t, outside, "f.txt"))
	require.Equal(t, "secret", on(t, outside, "deep/g.txt"))
}
