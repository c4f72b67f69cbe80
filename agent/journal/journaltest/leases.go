package journaltest

import (
	"sync"
	"testing"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// TestLeases tests a store that several machines share. Run is called once for
// each case: it calls test with an empty store and a function that lets time
// pass on the store's clock, such as [time.Sleep] in a bubble of testing/synctest.
func TestLeases(t *testing.T, run func(t *testing.T, test func(t *testing.T, s journal.Store, pass func(time.Duration)))) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, journal.Store, func(time.Duration))
	}{
		{"a lease is given while there is none", onlyIfAbsent},
		{"a lease is of a whole tree", leaseOfTree},
		{"a lease that is renewed lasts", renewed},
		{"an owner that lost its lease can't write", fenced},
		{"a late release leaves the new lease", compareAndDelete},
		{"of two who claim at once one wins", oneLeaseWins},
		{"a lease writes its own run only", ownRunOnly},
	} {
		t.Run(test.name, func(t *testing.T) { run(t, test.run) })
	}
}

const lasts = 30 * time.Minute

func onlyIfAbsent(t *testing.T, s journal.Store, pass func(time.Duration)) {
	first, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	_, err = s.Claim(t.Context(), "run-1", lasts)
	wantError(t, err, journal.ErrBusy)
	pass(lasts - time.Second)
	_, err = s.Claim(t.Context(), "run-1", lasts)
	wantError(t, err, journal.ErrBusy)
	pass(2 * time.Second)
	second, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	if second.Number <= first.Number {
		t.Errorf("number %d follows %d", second.Number, first.Number)
	}
	must(t, s.Release(t.Context(), second))
	third, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	if third.Number <= second.Number {
		t.Errorf("number %d follows %d", third.Number, second.Number)
	}
	_, err = s.Claim(t.Context(), "run-2", 0)
	wantError(t, err, journal.ErrLease)
}

func leaseOfTree(t *testing.T, s journal.Store, pass func(time.Duration)) {
	for _, pair := range [][2]string{{"a", "a/b/c"}, {"a/b/c", "a"}} {
		first, err := s.Claim(t.Context(), pair[0], lasts)
		must(t, err)
		_, err = s.Claim(t.Context(), pair[1], lasts)
		wantError(t, err, journal.ErrBusy)
		pass(lasts + time.Second)
		second, err := s.Claim(t.Context(), pair[1], lasts)
		must(t, err)
		if second.Number <= first.Number {
			t.Errorf("number %d follows %d", second.Number, first.Number)
		}
		wantError(t, s.Append(t.Context(), first, "a/b/c", 0, entry(0)), journal.ErrLost)
		must(t, s.Release(t.Context(), second))
	}
}

func renewed(t *testing.T, s journal.Store, pass func(time.Duration)) {
	l, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	for range 8 { // 40 minutes
		pass(lasts / 6)
		must(t, s.Renew(t.Context(), l, lasts))
	}
	_, err = s.Claim(t.Context(), "run-1", lasts)
	wantError(t, err, journal.ErrBusy)
	must(t, s.Append(t.Context(), l, "run-1", 0, entry(0)))
	pass(lasts + time.Second)
	wantError(t, s.Renew(t.Context(), l, lasts), journal.ErrLost)
	_, err = s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
}

func fenced(t *testing.T, s journal.Store, pass func(time.Duration)) {
	old, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	must(t, s.Append(t.Context(), old, "run-1", 0, entry(0)))
	pass(lasts + time.Second)
	wantError(t, s.Append(t.Context(), old, "run-1", 1, entry(9)), journal.ErrLost)

	present, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	wantError(t, s.Append(t.Context(), old, "run-1", 1, entry(9)), journal.ErrLost)
	wantError(t, s.Append(t.Context(), old, "run-1/task_1", 0, entry(9)), journal.ErrLost)
	must(t, s.Append(t.Context(), present, "run-1", 1, entry(1)))
	must(t, s.Append(t.Context(), present, "run-1/task_1", 0, entry(0)))
	wantError(t, s.Append(t.Context(), present, "run-1", 1, entry(9)), journal.ErrConflict)

	j := &journal.Leased{Store: s}
	wantLog(t, j, "run-1", 2)
	wantLog(t, j, "run-1/task_1", 1)
}

func compareAndDelete(t *testing.T, s journal.Store, pass func(time.Duration)) {
	old, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	pass(lasts + time.Second)
	present, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	must(t, s.Release(t.Context(), old))
	_, err = s.Claim(t.Context(), "run-1", lasts)
	wantError(t, err, journal.ErrBusy)
	must(t, s.Append(t.Context(), present, "run-1", 0, entry(0)))
	must(t, s.Release(t.Context(), present))
	must(t, s.Release(t.Context(), present))
	wantError(t, s.Append(t.Context(), present, "run-1", 1, entry(1)), journal.ErrLost)
}

func oneLeaseWins(t *testing.T, s journal.Store, _ func(time.Duration)) {
	for range 1000 {
		var leases [2]journal.Lease
		var errs [2]error
		var group sync.WaitGroup
		for i := range leases {
			group.Go(func() { leases[i], errs[i] = s.Claim(t.Context(), "run-1", lasts) })
		}
		group.Wait()
		if errs[0] != nil {
			errs[0], errs[1], leases[0] = errs[1], errs[0], leases[1]
		}
		must(t, errs[0])
		wantError(t, errs[1], journal.ErrBusy)
		must(t, s.Release(t.Context(), leases[0]))
	}
}

func ownRunOnly(t *testing.T, s journal.Store, _ func(time.Duration)) {
	l, err := s.Claim(t.Context(), "run-1", lasts)
	must(t, err)
	for _, id := range []string{"run-10", "run-2/run-1", "run"} {
		wantError(t, s.Append(t.Context(), l, id, 0, entry(0)), journal.ErrLost)
	}
	wantError(t, s.Append(t.Context(), journal.Lease{ID: "run-2", Number: l.Number}, "run-2", 0, entry(0)), journal.ErrLost)
	must(t, s.Append(t.Context(), l, "run-1/task_1/2.1", 0, entry(0)))
}
