package journal_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/agent/journal/journaltest"
)

// everything is what a host hands to a run.
type everything interface {
	journal.Journal
	journal.Claimer
	journal.Mailbox
}

func openDir(t testing.TB) *journal.Dir {
	t.Helper()
	d, err := journal.Open(t.TempDir())
	require.NoError(t, err)
	return d
}

// TestContracts: SES-08 (fenced by length), SES-21 (1,000 times two at once, of
// claims and of last entries), SES-22, SES-07 (a stop posted is seen at once),
// B179 (what is kept is out of reach), B117 (share: an ended context leaves the
// log as it is, a stop is a post), for every journal that ships.
func TestContracts(t *testing.T) {
	for name, open := range map[string]func(*testing.T) everything{
		"Memory": func(*testing.T) everything { return journal.NewMemory() },
		"Dir":    func(t *testing.T) everything { return openDir(t) },
		"Leased": func(*testing.T) everything { return &journal.Leased{Store: &journal.MemoryStore{}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journaltest.TestJournal(t, func(t *testing.T) journal.Journal { return open(t) })
			journaltest.TestClaimer(t, func(t *testing.T) journal.Claimer { return open(t) })
			journaltest.TestMailbox(t, func(t *testing.T) journal.Mailbox { return open(t) })
		})
	}
}

// TestMemoryStore: SES-02, SES-03, SES-08, SES-E93, SES-E94, SES-21.
func TestMemoryStore(t *testing.T) {
	journaltest.TestLeases(t, func(t *testing.T, test func(*testing.T, journal.Store, func(time.Duration))) {
		synctest.Test(t, func(t *testing.T) { test(t, &journal.MemoryStore{}, time.Sleep) })
	})
}
