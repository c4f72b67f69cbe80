package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Append implements [Journal]. When it returns nil the entries are on the disk,
// and so are the names of the file and the folders that lead to it. Once ctx
// has ended it adds nothing; it is not interrupted once it has begun.
//
// A fact that does not marshal is refused with [ErrEntry]. After an error of
// the file system the log is as it was: what was written of the entries is cut
// off again, now or when the log is next appended to.
//
// Besides the sync it costs about 15 µs: it opens and closes the file. When
// several runs append at once they share syncs, where the file system has a
// sync of all it holds that can be relied on (ext4, xfs and btrfs on Linux).
func (d *Dir) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	dir, err := d.folder(id)
	if err != nil {
		return err
	}
	records, err := appendRecords(nil, at, entries)
	if err == nil {
		err = d.enter(ctx)
	}
	if err != nil {
		return fmt.Errorf("journal: appending to %s: %w", id, err)
	}
	defer d.leave()
	length, err := d.append(id, dir, at, len(entries), records)
	if err != nil {
		return fmt.Errorf("journal: appending to %s: %w", id, err)
	}
	if length != at {
		return conflict(id, at, length)
	}
	return nil
}

// append adds n records to a log that is at entries long, and returns how long it was.
func (d *Dir) append(id, dir string, at, n int, records []byte) (length int, err error) {
	f, info, err := d.openLog(id, dir, at == 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { d.closeLog(id, f) }() // of the new file, if the log is migrated
	end, synced, err := d.tail(id, f, info)
	if err != nil || end.length != at {
		return end.length, err
	}
	if end.version != Version {
		migrated, good, err := d.migrate(id, dir, f)
		if err != nil {
			return at, err
		}
		f.Close()
		f, end = migrated, tail{version: Version, length: at, good: good}
	}
	if end.torn != nil {
		d.warn(end.torn)
	}
	err = write(f, end, info.Size(), records)
	if err == nil {
		err = d.syncs.sync(f)
	}
	if err == nil && !synced {
		err = d.syncUp(dir)
	}
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		d.forget(id)
		return at, errors.Join(err, f.Truncate(end.good))
	}
	d.note(id, at+n, info)
	return at, nil
}

// openLog opens and locks a log, which it makes if it is to be new.
func (d *Dir) openLog(id, dir string, isNew bool) (*os.File, fs.FileInfo, error) {
	name := filepath.Join(dir, logFile)
	if f := d.takeIdle(id); f != nil {
		info, err := lockNamed(f, name, lockAlone)
		if err == nil && info != nil {
			return f, info, nil
		}
		f.Close()
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
func (d *Dir) closeLog(id string, f *os.File) {
	if runtime.GOOS == "windows" || funlock(f) != nil { // where an open file can't be removed
		f.Close()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.idle[id]; ok {
		old.Close()
	} else if len(d.idle) >= mostIdle {
		for other, old := range d.idle {
			old.Close()
			delete(d.idle, other)
			break
		}
	}
	d.idle[id] = f
}

// takeIdle hands out an idle log to one append. Another at the same time opens
// the file anew, so that the two exclude each other.
func (d *Dir) takeIdle(id string) *os.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.idle[id]
	delete(d.idle, id)
	return f
}

// tail returns how an open log ends, and whether its name is known to be
// durable. It reads the log if it is not as this process left it.
func (d *Dir) tail(id string, f *os.File, info fs.FileInfo) (tail, bool, error) {
	k, ok := d.recall(id, info)
	if ok {
		return tail{version: Version, length: k.length, good: k.size}, k.synced, nil
	}
	r := newReader(id, io.NewSectionReader(f, 0, info.Size()))
	for _, err := range r.entries() {
		if err != nil {
			return tail{}, false, err
		}
	}
	return r.tail, false, nil
}

// write writes records where the log ends. Their lines begin on a new line, and
// in a new log after the header.
func write(f *os.File, end tail, size int64, records []byte) error {
	switch {
	case end.good == 0:
		records = append(header(), records...)
	case end.open:
		records = append([]byte{'\n'}, records...)
	}
	if size > end.good {
		if err := f.Truncate(end.good); err != nil {
			return err
		}
	}
	_, err := f.WriteAt(records, end.good)
	return err
}

func header() []byte { return seal(nil, []byte(`"version":`+strconv.Itoa(Version)+`}`)) }

// migrate writes the log in the present format, in a file that takes the place
// of f. It returns the new file, locked, and its size.
func (d *Dir) migrate(id, dir string, f *os.File) (*os.File, int64, error) {
	name := filepath.Join(dir, logFile)
	to, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, 0, err
	}
	size, err := rewrite(id, to, f)
	if err == nil {
		err = d.syncs.sync(to)
	}
	if err == nil {
		err = flock(to, lockAlone|lockNow)
	}
	if err == nil {
		err = os.Rename(to.Name(), name)
	}
	if err == nil {
		err = d.syncs.folder(dir)
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("migrating it: %w", err), to.Close())
	}
	return to, size, nil
}

// rewrite writes the entries of a log of any known version to another file.
func rewrite(id string, to, from *os.File) (size int64, err error) {
	out := bufio.NewWriter(to)
	put := func(line []byte) error {
		size += int64(len(line))
		_, err := out.Write(line)
		return err
	}
	if err := put(header()); err != nil {
		return 0, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	n := 0
	for e, err := range newReader(id, from).entries() {
		if err != nil {
			return 0, err
		}
		line, err := appendRecords(nil, n, []Entry{e})
		if err == nil {
			err = put(line)
		}
		if err != nil {
			return 0, err
		}
		n++
	}
	return size, out.Flush()
}

// syncUp makes the names durable that lead to what is in dir, up to the root.
func (d *Dir) syncUp(dir string) error {
	for {
		if err := d.syncs.folder(dir); err != nil || dir == d.root {
			return err
		}
		dir = filepath.Dir(dir)
	}
}
