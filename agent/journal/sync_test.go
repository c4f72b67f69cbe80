package journal

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeSyncer takes time and no disk.
func fakeSyncer(one, all time.Duration) (s *syncer, ones, alls *atomic.Int64) {
	ones, alls = &atomic.Int64{}, &atomic.Int64{}
	s = newSyncer(func(*os.File) error { alls.Add(1); time.Sleep(all); return nil })
	s.file = func(*os.File) error { ones.Add(1); time.Sleep(one); return nil }
	return s, ones, alls
}

func syncAtOnce(s *syncer, runs, each int) []error {
	errs := make([]error, runs)
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			for range each {
				errs[i] = errors.Join(errs[i], s.sync(nil))
			}
		})
	}
	group.Wait()
	return errs
}

// SES-23: one run syncs by itself; 16 runs need fewer syncs than appends.
func TestSharedSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ones, alls := fakeSyncer(time.Millisecond, 2*time.Millisecond)
		syncAtOnce(s, 1, 10)
		require.EqualValues(t, 10, ones.Load())
		require.Zero(t, alls.Load())

		syncAtOnce(s, 16, 10)
		syncs := ones.Load() - 10 + alls.Load()
		require.Less(t, syncs, int64(160))
		require.Positive(t, alls.Load())
		t.Logf("%d syncs for 160 appends", syncs)
	})
}

// A sync of the whole file system that takes longer than its files would one
// by one is not used for a while: twenty times as long.
func TestSlowSharedSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ones, alls := fakeSyncer(time.Millisecond, time.Second)
		syncAtOnce(s, 4, 1)
		syncAtOnce(s, 16, 20)
		require.EqualValues(t, 1, alls.Load())
		require.Greater(t, ones.Load(), int64(300))
		time.Sleep(20 * time.Second)
		syncAtOnce(s, 16, 20)
		require.EqualValues(t, 2, alls.Load())
	})
}

func TestSyncErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := errors.New("no disk")
		s, _, _ := fakeSyncer(time.Millisecond, time.Millisecond)
		s.system = func(*os.File) error { time.Sleep(time.Millisecond); return disk }
		failed := 0
		for _, err := range syncAtOnce(s, 16, 1) {
			if err != nil {
				require.ErrorIs(t, err, disk)
				failed++
			}
		}
		require.Positive(t, failed)
		require.Less(t, failed, 16)

		s.system = nil // of a system without
		require.NoError(t, errors.Join(syncAtOnce(s, 16, 3)...))
	})
}

// SES-23 on the real disk.
func TestSharedSyncsOfDir(t *testing.T) {
	d, err := Open(t.TempDir())
	require.NoError(t, err)
	if d.syncs.system == nil {
		t.Skip("this file system has no sync of all it holds that can be relied on")
	}
	var syncs atomic.Int64
	counted := func(f func(*os.File) error) func(*os.File) error {
		return func(file *os.File) error { syncs.Add(1); return f(file) }
	}
	const runs, each = 16, 50
	appendTo := func(from, to int) {
		var group sync.WaitGroup
		for i := range runs {
			group.Go(func() {
				for n := from; n < to; n++ {
					if err := d.Append(t.Context(), fmt.Sprintf("run-%d", i), n, Entry{Kind: "noted", Fact: n}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
	}
	appendTo(0, 1)   // makes the files
	d.syncs.rest = 0 // others may use this disk
	d.syncs.resume = time.Time{}
	// The first syncs wait until the other runs have gathered behind them: four
	// by themselves, one that gathered alone, eleven together. How the disk and
	// the processors are used otherwise decides nothing then.
	gathered, fsync := make(chan struct{}), d.syncs.file
	d.syncs.file = counted(func(f *os.File) error { <-gathered; return fsync(f) })
	d.syncs.system = counted(d.syncs.system)
	go func() {
		defer close(gathered)
		for waiting := 0; waiting < runs-5; runtime.Gosched() {
			d.syncs.mu.Lock()
			if waiting = 0; d.syncs.next != nil {
				waiting = len(d.syncs.next.files)
			}
			d.syncs.mu.Unlock()
		}
	}()
	appendTo(1, 1+each)
	t.Logf("%d syncs for %d appends", syncs.Load(), runs*each)
	require.Less(t, syncs.Load(), int64(runs*each))
}
