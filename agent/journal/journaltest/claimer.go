package journaltest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/triad-go/triad/agent/journal"
)

// TestClaimer tests the claims of a journal. Open returns an empty one.
func TestClaimer(t *testing.T, open func(t *testing.T) journal.Claimer) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, journal.Claimer)
	}{
		{"a run has one owner", oneOwner},
		{"an owner has the runs within", wholeTree},
		{"of two who claim at once one wins", oneClaimWins},
		{"a release frees nothing of others", lateRelease},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func oneOwner(t *testing.T, c journal.Claimer) {
	first, err := c.Claim(t.Context(), "run-1")
	must(t, err)
	_, err = c.Claim(t.Context(), "run-1")
	wantError(t, err, journal.ErrBusy)
	other, err := c.Claim(t.Context(), "run-10")
	must(t, err)
	must(t, first.Renew(t.Context()))
	must(t, first.Release(t.Context()))
	wantError(t, first.Renew(t.Context()), journal.ErrLost)
	must(t, other.Renew(t.Context()))
	_, err = c.Claim(t.Context(), "run-1")
	must(t, err)
}

func wholeTree(t *testing.T, c journal.Claimer) {
	for _, pair := range [][2]string{
		{"a", "a/b"}, {"a", "a/b/c"}, {"a/b", "a"}, {"a/b/c", "a"}, {"a/b", "a/b"}, {"a/b/c", "a/b"},
	} {
		owner, err := c.Claim(t.Context(), pair[0])
		must(t, err)
		_, err = c.Claim(t.Context(), pair[1])
		wantError(t, err, journal.ErrBusy)
		must(t, owner.Release(t.Context()))
	}
	for _, id := range []string{"a/b", "a/c/1", "a/c/2", "ab"} { // side by side
		_, err := c.Claim(t.Context(), id)
		must(t, err)
	}
}

func oneClaimWins(t *testing.T, c journal.Claimer) {
	for n := range 1000 {
		var claims [2]journal.Claim
		var errs [2]error
		var group sync.WaitGroup
		for i := range claims {
			group.Go(func() { claims[i], errs[i] = c.Claim(t.Context(), fmt.Sprintf("a/run-%d", n%10)) })
		}
		group.Wait()
		if errs[0] != nil {
			errs[0], errs[1], claims[0] = errs[1], errs[0], claims[1]
		}
		must(t, errs[0])
		wantError(t, errs[1], journal.ErrBusy)
		must(t, claims[0].Release(t.Context()))
	}
}

func lateRelease(t *testing.T, c journal.Claimer) {
	old, err := c.Claim(t.Context(), "run-1")
	must(t, err)
	must(t, old.Release(t.Context()))
	present, err := c.Claim(t.Context(), "run-1")
	must(t, err)
	must(t, old.Release(t.Context()))
	_, err = c.Claim(t.Context(), "run-1")
	wantError(t, err, journal.ErrBusy)
	must(t, present.Renew(t.Context()))
}
