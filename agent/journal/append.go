package journal

import (
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
// Besides the sync it costs about 10 µs. When several runs append at once they share syncs, where the file system has a
// sync of all it holds that can be relied on (ext4, xfs and btrfs on Linux).
func (d *Dir) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	dir, err := d.folder(id)
	if err != nil {
		return err
	}
	enc := d.encoders.Get().(*encoder)
	defer d.encoders.Put(enc)
	records, err := enc.encode(at, entries)
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
	defer func() {
		if err != nil {
			f.Close()
			return
		}
		d.closeLog(id, f, info)
	}()
	end, synced, err := d.tail(id, f, info)
	if err != nil || end.length != at {
		return end.length, err
	}
	if end.version != Version {
		old := f
		f, info, err = d.migrate(id, dir, old)
		if err = errors.Join(err, old.Close()); err != nil {
			return at, err
		}
		end = tail{version: Version, length: at, good: info.Size()}
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

// syncUp makes the names durable that lead to what is in dir, up to the root.
func (d *Dir) syncUp(dir string) error {
	for {
		if err := d.syncs.folder(dir); err != nil || dir == d.root {
			return err
		}
		dir = filepath.Dir(dir)
	}
}
