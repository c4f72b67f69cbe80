package journal

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// A syncer makes files durable. A few at a time are synced each by itself;
// those that come meanwhile gather and share one sync of their file system,
// where it has such a thing. So one run alone waits for nobody, many runs need
// fewer syncs than appends, and few threads wait for the disk.
//
// A shared sync also writes what others have left in memory. If that takes
// longer than syncing the gathered files one by one, there is none for twenty
// times as long.
type syncer struct {
	file   func(*os.File) error // makes one file durable
	system func(*os.File) error // makes all files durable of the file system that holds it; nil is never
	rest   time.Duration        // how many times as long as a slow shared sync there is none

	few  chan struct{} // files that are synced by themselves while others gather
	many chan struct{} // and where none gather
	turn chan struct{} // of the gathering that is being synced

	mu     sync.Mutex
	next   *gathering
	one    time.Duration // what the last sync of one file took
	resume time.Time     // no shared sync until then
}

// A gathering is files that are to be synced together.
type gathering struct {
	files []*os.File
	errs  []error
	done  chan struct{}
}

func newSyncer(system func(*os.File) error) *syncer {
	return &syncer{
		file:   (*os.File).Sync,
		system: system,
		rest:   20,
		few:    make(chan struct{}, 4),
		many:   make(chan struct{}, 32),
		turn:   make(chan struct{}, 1),
	}
}

// sync returns when what was written to f before is durable.
func (s *syncer) sync(f *os.File) error {
	slots := s.many
	if s.shares() {
		slots = s.few
		if len(slots) == cap(slots) {
			return s.share(f)
		}
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	return s.alone(f)
}

// shares tells whether there are shared syncs at present.
func (s *syncer) shares() bool {
	if s.system == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resume.IsZero() || !time.Now().Before(s.resume)
}

func (s *syncer) alone(f *os.File) error {
	start := time.Now()
	err := s.file(f)
	took := time.Since(start)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.one = took
	return err
}

// share joins the gathering that is next. The first in it syncs it, when the
// one before is done.
func (s *syncer) share(f *os.File) error {
	s.mu.Lock()
	g := s.next
	first := g == nil
	if first {
		g = &gathering{done: make(chan struct{})}
		s.next = g
	}
	i := len(g.files)
	g.files = append(g.files, f)
	s.mu.Unlock()
	if first {
		s.turn <- struct{}{}
		s.together(g)
		<-s.turn
		close(g.done)
	}
	<-g.done
	return g.errs[i]
}

func (s *syncer) together(g *gathering) {
	start := time.Now()
	s.mu.Lock()
	s.next = nil
	single := len(g.files) == 1 || start.Before(s.resume)
	most := s.one * time.Duration(max(len(g.files), 8)) // 0 before any was timed
	s.mu.Unlock()

	g.errs = make([]error, len(g.files))
	if single {
		for i, f := range g.files {
			g.errs[i] = s.alone(f)
		}
		return
	}
	err := s.system(g.files[0])
	for i := range g.errs {
		g.errs[i] = err
	}
	if took := time.Since(start); most > 0 && took > most {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.resume = start.Add(s.rest * took)
	}
}

// folder makes the names in a folder durable.
func (s *syncer) folder(name string) error {
	if runtime.GOOS == "windows" { // where a folder can't be synced and need not be
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.sync(f)
}
