package fs

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"math"
	"os"
	"path"
	"strings"
)

// A place is where a file stands or may be made: a name in an open directory.
// The directory is held open from the first look to the last act, so that both
// are about the same file even if somebody moves things on the way to it.
type place struct {
	name string // see resolve
	base string
	dir  *os.Root
	info os.FileInfo // of dir
}

// place finds where the file that a path names stands. With create, missing
// directories on the way are made. Close the place's dir.
func (f *FS) place(name string, create bool) (*place, error) {
	resolved, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	if resolved == "." || strings.HasSuffix(name, "/") {
		return nil, notFile(iofs.ModeDir)
	}
	p := &place{name: resolved, base: path.Base(resolved)}
	p.dir, err = f.openDir(path.Dir(resolved))
	if create && errors.Is(err, iofs.ErrNotExist) {
		if err := f.root.MkdirAll(path.Dir(resolved), 0o777); err != nil {
			return nil, err
		}
		p.dir, err = f.openDir(path.Dir(resolved))
	}
	if err != nil {
		return nil, err
	}
	if p.info, err = p.dir.Stat("."); err != nil {
		p.dir.Close()
		return nil, err
	}
	return p, nil
}

// openDir opens a directory below the root. The "/." makes the system refuse
// what is no directory: a pipe would be waited for.
func (f *FS) openDir(name string) (*os.Root, error) {
	return f.root.OpenRoot(name + "/.")
}

// lock locks the file for every run of the process; see [lockTable].
func (p *place) lock(ctx context.Context) (unlock func(), err error) {
	return locks.lock(ctx, p.info, p.base)
}

// open opens the regular file at the place. Nothing else is opened, so that a
// pipe or a device can neither hang the call nor be set off by it.
func (p *place) open(flag int) (*os.File, os.FileInfo, error) {
	info, err := p.dir.Lstat(p.base)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notFile(info.Mode())
	}
	return openRegular(p.dir, p.base, flag)
}

// openRegular opens a file that was regular a moment ago, and looks again.
func openRegular(dir *os.Root, base string, flag int) (*os.File, os.FileInfo, error) {
	file, err := dir.OpenFile(base, flag|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notFile(info.Mode())
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// whole reads a file to its end, unless that is more than most bytes.
func whole(ctx context.Context, file *os.File, most int64) ([]byte, error) {
	data, err := readAll(ctx, file, min(most, math.MaxInt64-1)+1)
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, most)
	}
	return data, err
}
