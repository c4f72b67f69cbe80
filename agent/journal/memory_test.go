package journal_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

// GEN-02 (share): the facts themselves come back, and any text is an id: also
// none, which is that of a run in a journal of its own.
func TestMemoryKeepsFacts(t *testing.T) {
	var m journal.Memory
	fact := &said{"a"}
	for _, id := range []string{"", "/task_3", "a//b", ".."} {
		require.NoError(t, m.Append(t.Context(), id, 0, journal.Entry{Kind: "said", Fact: fact}))
		for e, err := range m.Load(t.Context(), id) {
			require.NoError(t, err)
			require.Same(t, fact, e.Fact)
		}
	}
	claim, err := m.Claim(t.Context(), "")
	require.NoError(t, err)
	_, err = m.Claim(t.Context(), "/task_3")
	require.ErrorIs(t, err, journal.ErrBusy)
	require.NoError(t, claim.Release(t.Context()))
}

// B179, SES-20: readers see the log as it was while others append.
func TestMemoryIsShared(t *testing.T) {
	m := journal.NewMemory()
	const all = 2000
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for last := 0; last < all; {
				n := 0
				for e, err := range m.Load(t.Context(), "run-1") {
					if err != nil || e.Fact.(int) != n {
						t.Errorf("entry %d is %v, %v", n, e.Fact, err)
						return
					}
					n++
				}
				if n < last {
					t.Errorf("%d entries after %d", n, last)
					return
				}
				last = n
			}
		})
	}
	for n := range all {
		require.NoError(t, m.Append(t.Context(), "run-1", n, journal.Entry{Kind: "noted", Fact: n}))
	}
	group.Wait()
	n, err := m.Len(t.Context(), "run-1")
	require.NoError(t, err)
	require.Equal(t, all, n)
}

// An append costs the same at any length: less than one allocation.
func TestMemoryAllocations(t *testing.T) {
	m, ctx := journal.NewMemory(), context.Background()
	entries := []journal.Entry{{Kind: "noted", Fact: &said{}}}
	n := 0
	for _, length := range []int{10, 5000} {
		for ; n < length; n++ {
			require.NoError(t, m.Append(ctx, "run-1", n, entries...))
		}
		require.LessOrEqual(t, testing.AllocsPerRun(500, func() {
			_ = m.Append(ctx, "run-1", n, entries...)
			n++
		}), 0.1, fmt.Sprint(length))
	}
}
