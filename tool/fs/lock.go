package fs

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
)

// locks is the only state of this package that outlives a call. It cannot belong
// to an [FS]: agents that share a directory have one each, and the read, change
// and write of an edit must keep the others out all the same. It holds nothing
// between calls: an entry goes when its last user does.
var locks lockTable

// A lockTable locks files. A file is a name in a directory, and the directory
// is the one that the system says it is, whatever path led to it: a file that is
// replaced by renaming is another to the system, but stays at its name.
type lockTable struct {
	mu   sync.Mutex
	held []*fileLock // those in use now, so few that looking through them is quick
}

type fileLock struct {
	dir   os.FileInfo
	base  string
	users int           // that hold it or wait for it
	token chan struct{} // of one place
}

// lock waits for the file base in the directory dir, no longer than ctx lasts.
func (t *lockTable) lock(ctx context.Context, dir os.FileInfo, base string) (unlock func(), err error) {
	l := t.join(dir, base)
	select {
	case l.token <- struct{}{}:
		return func() { <-l.token; t.leave(l) }, nil
	case <-ctx.Done():
		t.leave(l)
		return nil, context.Cause(ctx)
	}
}

func (t *lockTable) join(dir os.FileInfo, base string) *fileLock {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.held, func(l *fileLock) bool {
		// Some file systems take A and a for one name; on others the two only wait for each other.
		return strings.EqualFold(l.base, base) && os.SameFile(l.dir, dir)
	})
	if i < 0 {
		i = len(t.held)
		t.held = append(t.held, &fileLock{dir: dir, base: base, token: make(chan struct{}, 1)})
	}
	t.held[i].users++
	return t.held[i]
}

func (t *lockTable) leave(l *fileLock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.users--; l.users == 0 {
		t.held = slices.DeleteFunc(t.held, func(other *fileLock) bool { return other == l })
	}
}
