package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
// Besides the sync it costs about 15 µs. When several runs append at once they
// share syncs, where the file system has a sync of all it holds that can be
// relied on (ext4, xfs and btrfs on Linux).
func (d *Dir) Append(ctx context.Context, id string, at int, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	enc := d.encoders.Get().(*encoder)
	defer d.encoders.Put(enc)
	records, err := enc.encode(at, entries)
	var was tail
	if err == nil {
		was, err = d.append(ctx, id, at, len(entries), records)
	}
	if err != nil {
		return fmt.Errorf("journal: appending to %s: %w", id, err)
	}
	if was.length != at {
		return conflict(id, at, was.length)
	}
	if was.torn != nil {
		d.warn(was.torn)
	}
	return nil
}

// append adds n records to a log that is at entries long, and returns how the
// log ended. If it is of another length it adds nothing.
func (d *Dir) append(ctx context.Context, id string, at, n int, records []byte) (was tail, err error) {
	dir, err := d.folder(id)
	if err != nil {
		return tail{}, err
	}
	if err := d.enter(ctx); err != nil {
		return tail{}, err
	}
	defer d.leave()
	f, info, err := d.openLog(id, dir, at == 0)
	if errors.Is(err, fs.ErrNotExist) {
		return tail{}, nil
	}
	if err != nil {
		return tail{}, err
	}
	defer func() {
		if err != nil {
			f.Close()
			return
		}
		d.closeLog(id, f, info)
	}()
	was, synced, err := d.tail(id, f, info)
	if err != nil || was.length != at {
		return was, err
	}
	if was.version != Version {
		old := f
		f, info, err = d.migrate(id, dir, old)
		if err = errors.Join(err, old.Close()); err != nil {
			return was, err
		}
		was = tail{version: Version, length: at, good: info.Size()}
	}
	now, err := d.write(f, dir, synced, was, info.Size(), records)
	if err != nil {
		return was, errors.Join(err, f.Truncate(was.good))
	}
	info = now
	d.note(id, at+n, info)
	return was, nil
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

// write writes records where the log ends, makes them durable, and returns how
// the file is then. In a new log the header comes first.
func (d *Dir) write(f *os.File, dir string, synced bool, end tail, size int64, records []byte) (fs.FileInfo, error) {
	switch {
	case end.good == 0:
		records = append(header(), records...)
	case end.open:
		records = append([]byte{'\n'}, records...)
	}
	if size > end.good {
		if err := f.Truncate(end.good); err != nil {
			return nil, err
		}
	}
	if _, err := f.WriteAt(records, end.good); err != nil {
		return nil, err
	}
	if err := d.syncs.sync(f); err != nil {
		return nil, err
	}
	if !synced {
		if err := d.syncUp(dir); err != nil {
			return nil, err
		}
	}
	return f.Stat()
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
