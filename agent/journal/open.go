package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// idle is a log that is open for the next append, and not locked.
type idle struct {
	file *os.File
	info fs.FileInfo
}

// openLog opens and locks a log, which it makes if it is to be new.
func (d *Dir) openLog(id, dir string, isNew bool) (*os.File, fs.FileInfo, error) {
	name := filepath.Join(dir, logFile)
	if i, ok := d.takeIdle(id); ok {
		info, err := lockNamed(i.file, i.info, name, lockAlone)
		if err == nil && info != nil {
			return i.file, info, nil
		}
		i.file.Close()
	}
	flags := os.O_RDWR
	if isNew {
		flags |= os.O_CREATE
	}
	f, info, err := openLocked(name, flags, lockAlone)
	if isNew && errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			f, info, err = openLocked(name, flags, lockAlone)
		}
	}
	return f, info, err
}

// closeLog unlocks a log and keeps it open for the next append, in place of
// another if there are many.
func (d *Dir) closeLog(id string, f *os.File, info fs.FileInfo) {
	if runtime.GOOS == "windows" || funlock(f) != nil { // where an open file can't be removed
		f.Close()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.idle[id]; ok {
		old.file.Close()
	} else if len(d.idle) >= mostIdle {
		for other, old := range d.idle {
			old.file.Close()
			delete(d.idle, other)
			break
		}
	}
	d.idle[id] = idle{f, info}
}

// takeIdle hands out an idle log to one append. Another at the same time opens
// the file anew, so that the two exclude each other.
func (d *Dir) takeIdle(id string) (idle, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := d.idle[id]
	delete(d.idle, id)
	return i, ok
}

// openLocked opens a file and locks it, as it is known by its name at that time.
func openLocked(name string, flags, how int) (*os.File, fs.FileInfo, error) {
	for {
		f, err := os.OpenFile(name, flags, 0o600)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		if err == nil {
			info, err = lockNamed(f, info, name, how)
		}
		if err == nil && info != nil {
			return f, info, nil
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
}

// lockNamed locks f, which is the file of an info, and returns how it is now.
// It returns nil if the name has come to mean another file, or none.
func lockNamed(f *os.File, is fs.FileInfo, name string, how int) (fs.FileInfo, error) {
	if err := flock(f, how); err != nil {
		return nil, err
	}
	now, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(is, now) {
		return nil, nil
	}
	return now, err
}
