// Package journaltest has the contracts of package journal as tests, for those
// who keep logs in a store of their own.
//
// A store that one process or machine uses implements [journal.Journal], and,
// as it can, [journal.Claimer] and [journal.Mailbox]: call [TestJournal],
// [TestClaimer] and [TestMailbox]. A store that several machines share
// implements [journal.Store]: call [TestLeases], and the others on the
// [journal.Leased] of it.
package journaltest

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// fact is what the tests keep.
type fact struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

func entry(n int) journal.Entry {
	return journal.Entry{
		At:     time.Date(2026, 11, 30, 22, 7, n, 123456789, time.UTC),
		Active: time.Duration(n) * time.Second,
		Kind:   "noted",
		Fact:   fact{N: n, Text: "<ö> & \"" + strconv.Itoa(n) + "\" \u2028\n"},
	}
}

// factOf returns the fact of an entry, however the store keeps it.
func factOf(t testing.TB, e journal.Entry) fact {
	t.Helper()
	if f, ok := e.Fact.(fact); ok {
		return f
	}
	var f fact
	if err := json.Unmarshal(e.Data, &f); err != nil {
		t.Fatalf("entry with neither its fact nor JSON of it: %v", err)
	}
	return f
}

func load(t testing.TB, j journal.Journal, id string) []journal.Entry {
	t.Helper()
	var entries []journal.Entry
	for e, err := range j.Load(context.Background(), id) {
		must(t, err)
		entries = append(entries, e)
	}
	return entries
}

// wantLog checks that the log holds the entries 0 to n-1.
func wantLog(t testing.TB, j journal.Journal, id string, n int) {
	t.Helper()
	got := load(t, j, id)
	if len(got) != n {
		t.Fatalf("log of %s has %d entries, want %d", id, len(got), n)
	}
	for i, e := range got {
		want := entry(i)
		if !e.At.Equal(want.At) || e.Active != want.Active || e.Kind != want.Kind || factOf(t, e) != want.Fact {
			t.Errorf("entry %d of %s is %+v, want %+v", i, id, e, want)
		}
	}
}

// own claims the run where the journal knows of claims.
func own(t testing.TB, j journal.Journal, id string) {
	t.Helper()
	if c, ok := j.(journal.Claimer); ok {
		_, err := c.Claim(context.Background(), id)
		must(t, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error is %v, want %v", got, want)
	}
}
