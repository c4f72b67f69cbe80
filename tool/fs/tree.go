package fs

import (
	"context"
	"os"
	"runtime"
	"sync"
)

// batchSize is how many files are searched as one piece of work.
const batchSize = 64

// A batch is some files of one directory and what a search found in them.
type batch struct {
	dir   string
	names []string
	paths []string // as they are shown

	matches                  []match
	searched, binary, faulty int
	err                      error
	done                     chan struct{} // closed when the fields above are set
}

// A match is a line that matches.
type match struct {
	path string
	line int
	text string
}

// searchTree searches the files below a directory, some at once, and puts what
// they hold into found in the order of their paths. It ends when found is full.
func (f *FS) searchTree(ctx context.Context, dir string, wanted *wanted, found *findings) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *batch)
	order := make(chan *batch, 4*workers) // bounds how far the search runs ahead

	var group sync.WaitGroup
	unread := 0
	group.Go(func() {
		defer close(work)
		defer close(order)
		unread = f.batches(within, dir, func(b *batch) bool {
			return send(within, order, b) && send(within, work, b)
		})
	})
	for range workers {
		group.Go(func() {
			s := f.newSearcher(wanted)
			for b := range work {
				s.batch(within, b)
				close(b.done)
			}
		})
	}

	full := false
	for b := range order {
		select {
		case <-b.done:
			if full = full || !found.add(b); full {
				stop()
			}
		case <-within.Done():
		}
	}
	group.Wait()
	found.faulty += unread
	if full {
		return nil
	}
	return context.Cause(ctx)
}

// send hands over b, unless ctx ends first.
func send(ctx context.Context, to chan<- *batch, b *batch) bool {
	select {
	case to <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// batches yields the files below a directory in the order of their paths, until
// yield says no or ctx ends. It returns how many directories could not be read.
func (f *FS) batches(ctx context.Context, dir string, yield func(*batch) bool) (unread int) {
	if ctx.Err() != nil {
		return 0
	}
	entries, err := f.entries(dir)
	if err != nil {
		return 1
	}
	next := &batch{dir: dir}
	flush := func() bool {
		full := next
		next = &batch{dir: dir}
		full.done = make(chan struct{})
		return len(full.names) == 0 || yield(full)
	}
	for _, e := range entries {
		path := below(dir, e.Name())
		switch {
		case e.IsDir() && e.Name() != gitDir:
			if !flush() {
				return unread
			}
			unread += f.batches(ctx, path, yield)
		case e.Type().IsRegular():
			next.names, next.paths = append(next.names, e.Name()), append(next.paths, path)
			if len(next.names) == batchSize && !flush() {
				return unread
			}
		}
	}
	flush()
	return unread
}

// batch searches the files of a batch.
func (s *searcher) batch(ctx context.Context, b *batch) {
	dir, err := s.fs.openDir(b.dir)
	if err != nil {
		b.faulty = len(b.names)
		return
	}
	defer dir.Close()
	s.batchIn(ctx, dir, b)
}

func (s *searcher) batchIn(ctx context.Context, dir *os.Root, b *batch) {
	for i, name := range b.names {
		if len(b.matches) > s.fs.MaxMatches {
			return
		}
		if b.err = context.Cause(ctx); b.err != nil {
			return
		}
		file, info, err := openRegular(dir, name, os.O_RDONLY)
		if err != nil {
			b.faulty++
			continue
		}
		err = s.file(ctx, file, info.Size(), b.paths[i], b)
		file.Close()
		if err != nil {
			b.faulty++
		}
	}
}
