package journal_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

// keep is the loop of an owner: it renews as often as it must until its work is
// done, or until it has lost the claim.
func keep(ctx context.Context, c journal.Claim, work <-chan time.Time) error {
	renew := time.NewTicker(c.Every())
	defer renew.Stop()
	for {
		select {
		case <-work:
			return c.Release(ctx)
		case <-renew.C:
			if err := c.Renew(ctx); err != nil {
				return err
			}
		}
	}
}

// SES-02, SES-03: a lease lasts 30 minutes and is renewed every 5. After 40
// minutes of work it is still held; a pause, which ends the loop, frees it.
func TestLeaseIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &journal.MemoryStore{}
		here, there := &journal.Leased{Store: store}, &journal.Leased{Store: store}
		claim, err := here.Claim(t.Context(), "run-1")
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, claim.Every())

		done := make(chan error)
		go func() { done <- keep(t.Context(), claim, time.After(41*time.Minute)) }()
		time.Sleep(40 * time.Minute)
		_, err = there.Claim(t.Context(), "run-1")
		require.ErrorIs(t, err, journal.ErrBusy)
		require.NoError(t, here.Append(t.Context(), "run-1", 0, say("a")))

		time.Sleep(2 * time.Minute)
		require.NoError(t, <-done)
		require.ErrorIs(t, here.Append(t.Context(), "run-1", 1, say("b")), journal.ErrLost)
		_, err = there.Claim(t.Context(), "run-1")
		require.NoError(t, err)
	})
}

// SES-08, SES-E93, SES-E94, B174: an owner stalls past the end of its lease and
// a second takes over. The first can't write, on another machine or on the same
// one, is told so when it renews, and its late release frees nothing.
func TestLostLease(t *testing.T) {
	for name, second := range map[string]func(*journal.Leased) *journal.Leased{
		"two machines": func(first *journal.Leased) *journal.Leased { return &journal.Leased{Store: first.Store} },
		"one machine":  func(first *journal.Leased) *journal.Leased { return first },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := &journal.Leased{Store: &journal.MemoryStore{}}
				old, err := first.Claim(t.Context(), "run-1")
				require.NoError(t, err)
				require.NoError(t, old.(journal.Journal).Append(t.Context(), "run-1", 0, say("a")))

				time.Sleep(29 * time.Minute)
				second := second(first)
				_, err = second.Claim(t.Context(), "run-1")
				require.ErrorIs(t, err, journal.ErrBusy, "a crashed owner is waited for")
				time.Sleep(time.Minute)
				present, err := second.Claim(t.Context(), "run-1")
				require.NoError(t, err)

				for _, id := range []string{"run-1", "run-1/task_1"} {
					at := 1 - len(id)/len("run-1/task_1")
					require.ErrorIs(t, old.(journal.Journal).Append(t.Context(), id, at, say("late")), journal.ErrLost)
					require.NoError(t, present.(journal.Journal).Append(t.Context(), id, at, say("b")))
				}
				require.ErrorIs(t, old.Renew(t.Context()), journal.ErrLost)
				require.NoError(t, old.Release(t.Context()))
				require.NoError(t, present.Renew(t.Context()))
				require.NoError(t, second.Append(t.Context(), "run-1", 2, say("c")))
				got, err := texts(present.(journal.Journal), "run-1")
				require.NoError(t, err)
				require.Equal(t, []string{"a", "b", "c"}, got)
			})
		})
	}
}

// A claim below one that was lost does not stand in the way of a later one above.
func TestLeaseAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal.Leased{Store: &journal.MemoryStore{}}
		_, err := j.Claim(t.Context(), "run-1/task_1")
		require.NoError(t, err)
		time.Sleep(time.Hour)
		_, err = j.Claim(t.Context(), "run-1")
		require.NoError(t, err)
		require.NoError(t, j.Append(t.Context(), "run-1/task_1", 0, say("a")))
		require.ErrorIs(t, j.Append(t.Context(), "run-10", 0, say("a")), journal.ErrLost)
	})
}

func TestLeaseTimes(t *testing.T) {
	for _, c := range []struct{ lasts, renew, want time.Duration }{
		{0, 0, 5 * time.Minute},
		{time.Minute, 0, 10 * time.Second},
		{10 * time.Hour, 0, 5 * time.Minute},
		{0, time.Second, time.Second},
		{-1, 0, 0}, {0, -1, 0}, {time.Minute, time.Minute, 0}, {1, 0, 0},
	} {
		j := &journal.Leased{Store: &journal.MemoryStore{}, Lasts: c.lasts, Renew: c.renew}
		claim, err := j.Claim(t.Context(), "run-1")
		if c.want == 0 {
			require.ErrorIs(t, err, journal.ErrLease, "%+v", c)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, claim.Every())
	}
}

// SES-20: the store that stands for other machines refuses what is no JSON.
func TestMemoryStoreRefuses(t *testing.T) {
	j := &journal.Leased{Store: &journal.MemoryStore{}}
	_, err := j.Claim(t.Context(), "run-1")
	require.NoError(t, err)
	cause := errors.New("no JSON of this")
	err = j.Append(t.Context(), "run-1", 0, say("a"), journal.Entry{Kind: "said", Fact: marshals{cause}})
	require.ErrorIs(t, err, journal.ErrEntry)
	require.ErrorIs(t, err, cause)
	got, err := texts(j, "run-1")
	require.NoError(t, err)
	require.Empty(t, got)
}
