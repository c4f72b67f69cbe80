//go:build unix

package fs_test

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// TOOL-37: what is no regular file is refused in clear words, and nothing waits
// for the other end of a pipe.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // a socket's path is short
	put(t, dir, map[string]string{"d/": "", "link": "-> fifo", "a.txt": "text"})
	require.NoError(t, syscall.Mkfifo("fifo", 0o666))
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()
	kinds := map[string]string{"fifo": "a named pipe", "link": "a named pipe", "socket": "a socket"}
	if syscall.Mknod("device", syscall.S_IFCHR|0o666, 1<<8|5) == nil { // needs a privilege
		kinds["device"] = "a device"
	}
	a := open(t, ".")
	for path, kind := range kinds {
		for name, result := range a.every(path) {
			require.Equal(t, tool.Failed, result.Outcome, name)
			if name != "list_dir" {
				require.Contains(t, result.Text, fs.ErrNotFile.Error()+" but "+kind, name)
			}
		}
	}
	for _, path := range []string{"d", "d/", ".", "a.txt/", "new/"} {
		for _, name := range []string{"read_file", "write_file", "edit_file"} {
			if name != "write_file" && path == "new/" {
				continue
			}
			arguments := map[string]args{
				"read_file":  {"path": path},
				"write_file": {"path": path, "content": "c"},
				"edit_file":  {"path": path, "old_text": "a", "new_text": "b"},
			}
			a.refused(name, arguments[name], "not a regular file but a directory")
		}
	}
	require.Contains(t, a.ok("list_dir", args{}), "fifo (no file: can't be read)\n")
	require.Contains(t, a.ok("grep", args{"pattern": "."}), "a.txt:1:text\n")
	require.Contains(t, a.ok("glob", args{"pattern": "f*"}), "fifo\n")
}

// TOOL-37: a file and a directory that turn into pipes while they are used do
// not hang a call.
func TestSwappedForAPipe(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"d/f.txt": "text", "f.txt": "text"})
	a := open(t, dir)
	list := a.list()
	var stop atomic.Bool
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for !stop.Load() {
			for _, name := range []string{"d", "f.txt"} {
				path := filepath.Join(dir, name)
				_ = os.Rename(path, path+".away")
				_ = syscall.Mkfifo(path, 0o666)
				_ = os.Remove(path)
				_ = os.Rename(path+".away", path)
			}
		}
	})
	for range 200 {
		a.callOn(list, "read_file", args{"path": "f.txt"})
		a.callOn(list, "read_file", args{"path": "d/f.txt"})
		a.callOn(list, "list_dir", args{"path": "d"})
		a.callOn(list, "grep", args{"pattern": "text"})
		a.callOn(list, "grep", args{"pattern": "text", "path": "f.txt"})
		a.callOn(list, "edit_file", args{"path": "f.txt", "old_text": "nothing", "new_text": "b"})
	}
	stop.Store(true)
	swapper.Wait()
}

// A file that its mode protects is not got around by putting another in its place.
func TestProtectedFile(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is protected from root")
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"f.txt": "text"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "f.txt"), 0o444))
	a := open(t, dir)
	a.refused("edit_file", args{"path": "f.txt", "old_text": "text", "new_text": "new"}, "permission denied")
	a.refused("write_file", args{"path": "f.txt", "content": "new"}, "permission denied")
	require.Equal(t, "text", on(t, dir, "f.txt"))
}

// TOOL-38: the mode of a file is kept, and no temporary file stays.
func TestModeKept(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"run.sh": "old", "key": "old"})
	modes := map[string]os.FileMode{"run.sh": 0o755, "key": 0o600}
	a := open(t, dir)
	for name, mode := range modes {
		path := filepath.Join(dir, name)
		require.NoError(t, os.Chmod(path, mode|os.ModeSetgid))
		a.ok("edit_file", args{"path": name, "old_text": "old", "new_text": "new"})
		a.ok("write_file", args{"path": name, "content": "whole"})
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode|os.ModeSetgid, info.Mode())
		require.Equal(t, "whole", on(t, path))
	}
	require.Len(t, names(t, dir), 3)
}
