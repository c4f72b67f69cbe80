package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Dir keeps logs in a folder, for the processes of one machine: a [Journal],
// a [Claimer] and a [Mailbox]. Its methods may be called by several goroutines.
//
// Each run has a folder, named by its id, within that of the run it belongs to:
//
//	run-42/journal.jsonl          the log, one entry a line
//	run-42/lock                   locked while the run, or one within it, is owned
//	run-42/mailbox/000001-….json  a post; it moves to mailbox/taken
//	run-42/task_3/journal.jsonl   the log of a run within run-42
//
// A log is JSON lines, for people too: "jq .kind journal.jsonl" lists what
// happened. Every line has a checksum. To mend a damaged log by hand, put
// {"version":0} in place of its first line and correct or remove what is wrong:
// checksums and numbers then do not count, and are made anew with the next append.
//
// Few files are open, whatever the number of runs: a Dir keeps 128 open that
// were appended to, to save opening them again, and forgets any of them for
// another. A claim keeps one file open, and one for each run above it.
// Files can be read by their user alone. The folder must be on a file system
// with locks (flock; Windows has its own); elsewhere every method that needs
// one returns an error that is [errors.ErrUnsupported].
type Dir struct {
	// Warn, if not nil, is told when a log's end was torn by a crash: by Load,
	// which leaves it out, and by Append, which cuts it off. Set it before the
	// Dir is used. Several goroutines may call it.
	Warn func(*TornError)

	root     string
	syncs    *syncer
	slots    chan struct{} // for those who have a file open, which bounds files and threads
	encoders sync.Pool

	mu    sync.Mutex
	known map[string]known
	idle  map[string]idle
}

// known is what this process knows of a log while its file stays as it is.
type known struct {
	length  int
	size    int64
	changed time.Time
	synced  bool // whether the names of the file and the folders above it are durable
}

const (
	mostOpen  = 128
	mostIdle  = 128
	mostKnown = 1 << 16
	readWhole = 64 << 10 // logs up to this size are not kept open while they are read
)

// Open returns the Dir that is kept in the folder, which it makes if need be.
// A Dir needs no closing: the files that it keeps open hold no locks, and are
// closed when it is collected.
func Open(dir string) (*Dir, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("journal: opening %s: %w", dir, err)
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("journal: opening %s: %w", dir, err)
	}
	d := newDir(root, systemSync(root))
	if err := d.syncs.folder(filepath.Dir(root)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("journal: opening %s: %w", dir, err)
	}
	return d, nil
}

func newDir(root string, system func(*os.File) error) *Dir {
	return &Dir{
		root:     root,
		syncs:    newSyncer(system),
		slots:    make(chan struct{}, mostOpen),
		encoders: sync.Pool{New: func() any { return newEncoder() }},
		known:    map[string]known{},
		idle:     map[string]idle{},
	}
}

// Load implements [Journal]. It yields what was in the log when the loop began,
// reading as it goes. Besides errors of the file system it ends in a
// [*DamagedError] or a [*VersionError], after the entries before the fault.
func (d *Dir) Load(ctx context.Context, id string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		r, err := d.read(ctx, id, func(e Entry) error {
			if !yield(e, nil) {
				return errLeft
			}
			return ctx.Err()
		})
		if err != nil && err != errLeft {
			yield(Entry{}, fmt.Errorf("journal: loading %s: %w", id, err))
		}
		if err == nil && r != nil && r.torn != nil {
			d.warn(r.torn)
		}
	}
}

// errLeft says that a loop over a log was left before its end.
var errLeft = errors.New("left")

// Len returns how many entries the log of id has.
func (d *Dir) Len(ctx context.Context, id string) (int, error) {
	n, err := d.length(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("journal: measuring %s: %w", id, err)
	}
	return n, nil
}

func (d *Dir) length(ctx context.Context, id string) (int, error) {
	name, err := d.folder(id)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(filepath.Join(name, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if k, ok := d.recall(id, info); ok {
		return k.length, nil
	}
	r, err := d.read(ctx, id, func(Entry) error { return ctx.Err() })
	if err != nil || r == nil {
		return 0, err
	}
	return r.length, nil
}

// read hands the entries of a log to each, until it returns an error. The
// reader is nil if there is no log.
func (d *Dir) read(ctx context.Context, id string, each func(Entry) error) (*reader, error) {
	name, err := d.folder(id)
	if err != nil {
		return nil, err
	}
	from, info, err := d.snapshot(ctx, filepath.Join(name, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	r := newReader(id, from)
	for e, err := range r.entries() {
		if err == nil {
			err = each(e)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.clean() {
		d.learn(id, r.length, info)
	}
	return r, nil
}

// snapshot opens a log as it is between two appends.
func (d *Dir) snapshot(ctx context.Context, name string) (io.ReadCloser, fs.FileInfo, error) {
	if err := d.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer d.leave()
	f, info, err := openLocked(name, os.O_RDONLY, lockShared)
	if err != nil {
		return nil, nil, err
	}
	from := io.NewSectionReader(f, 0, info.Size())
	if info.Size() <= readWhole {
		defer f.Close()
		all, err := io.ReadAll(from)
		return io.NopCloser(bytes.NewReader(all)), info, err
	}
	if err := funlock(f); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{from, f}, info, nil
}

// folder returns the folder of a run.
func (d *Dir) folder(id string) (string, error) {
	p, err := path(id)
	return d.root + string(filepath.Separator) + p, err
}

func (d *Dir) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Dir) leave() { <-d.slots }

func (d *Dir) warn(t *TornError) {
	if d.Warn != nil {
		d.Warn(t)
	}
}

// recall returns what is known of the log, if the file is still the same.
func (d *Dir) recall(id string, info fs.FileInfo) (known, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := d.known[id]
	return k, ok && k.size == info.Size() && k.changed.Equal(info.ModTime())
}

// note keeps what is known of a log after an append. With very many logs it
// forgets some, which are then read again before the next append.
func (d *Dir) note(id string, length int, info fs.FileInfo) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.known[id]; !ok && len(d.known) >= mostKnown {
		for other := range d.known {
			delete(d.known, other)
			break
		}
	}
	d.known[id] = known{length, info.Size(), info.ModTime(), true}
}

// learn keeps what a reader has found, unless an append knows more by now.
func (d *Dir) learn(id string, length int, info fs.FileInfo) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k, ok := d.known[id]; (!ok && len(d.known) < mostKnown) || ok && k.length < length {
		d.known[id] = known{length, info.Size(), info.ModTime(), false}
	}
}
