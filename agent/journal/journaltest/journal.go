package journaltest

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"testing"

	"github.com/triad-go/triad/agent/journal"
)

// TestJournal tests a journal. Open returns an empty one.
func TestJournal(t *testing.T, open func(t *testing.T) journal.Journal) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, journal.Journal)
	}{
		{"an unknown log is empty", emptyLog},
		{"what was appended is loaded, in order", appendAndLoad},
		{"an append at another length changes nothing", fencedByLength},
		{"of two who append at once one wins", oneAppendWins},
		{"logs of runs within runs are apart", nested},
		{"an append adds all or nothing", allOrNothing},
		{"what is kept is out of reach", outOfReach},
		{"a loop over a log may be left, and may append", leaveAndAppend},
		{"an ended context adds nothing", ended},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func emptyLog(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	wantLog(t, j, "run-1", 0)
	wantError(t, j.Append(t.Context(), "run-1", 1, entry(1)), journal.ErrConflict)
	must(t, j.Append(t.Context(), "run-1", 0))
	wantLog(t, j, "run-1", 0)
}

func appendAndLoad(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	must(t, j.Append(t.Context(), "run-1", 0, entry(0)))
	must(t, j.Append(t.Context(), "run-1", 1, entry(1), entry(2), entry(3)))
	must(t, j.Append(t.Context(), "run-1", 4, entry(4)))
	wantLog(t, j, "run-1", 5)

	data := entry(5)
	raw, err := json.Marshal(data.Fact)
	must(t, err)
	data.Fact, data.Data = nil, raw
	must(t, j.Append(t.Context(), "run-1", 5, data))
	wantLog(t, j, "run-1", 6)

	for n := 6; n < 1000; n++ {
		must(t, j.Append(t.Context(), "run-1", n, entry(n)))
	}
	wantLog(t, j, "run-1", 1000)
}

func fencedByLength(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	must(t, j.Append(t.Context(), "run-1", 0, entry(0), entry(1)))
	for _, at := range []int{-1, 0, 1, 3, math.MaxInt} {
		wantError(t, j.Append(t.Context(), "run-1", at, entry(2)), journal.ErrConflict)
	}
	wantLog(t, j, "run-1", 2)
}

// oneAppendWins lets two append what can only be there once, such as the end
// of a run, a thousand times.
func oneAppendWins(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	const rounds = 1000
	for n := range rounds {
		var errs [2]error
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { errs[i] = j.Append(t.Context(), "run-1", n, entry(n)) })
		}
		group.Wait()
		if errs[0] != nil {
			errs[0], errs[1] = errs[1], errs[0]
		}
		must(t, errs[0])
		wantError(t, errs[1], journal.ErrConflict)
	}
	wantLog(t, j, "run-1", rounds)
}

func nested(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	ids := []string{"run-1", "run-1/task_3", "run-1/task_3/7.1", "run-1/task_3/7.2"}
	for n := range 3 {
		for i, id := range ids {
			if n <= i {
				must(t, j.Append(t.Context(), id, n, entry(n)))
			}
		}
	}
	for i, id := range ids {
		wantLog(t, j, id, min(i+1, 3))
	}
}

func allOrNothing(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	must(t, j.Append(t.Context(), "run-1", 0, entry(0)))
	noKind := entry(2)
	noKind.Kind = ""
	wantError(t, j.Append(t.Context(), "run-1", 1, entry(1), noKind), journal.ErrEntry)
	wantLog(t, j, "run-1", 1)
	must(t, j.Append(t.Context(), "run-1", 1, entry(1)))
	wantLog(t, j, "run-1", 2)
}

func outOfReach(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	raw := entry(1)
	data, err := json.Marshal(raw.Fact)
	must(t, err)
	raw.Fact, raw.Data = nil, data
	entries := []journal.Entry{entry(0), raw}
	must(t, j.Append(t.Context(), "run-1", 0, entries...))
	entries[0], entries[1] = entry(8), entry(9)
	copy(data, "{changed}")
	wantLog(t, j, "run-1", 2)
	for _, e := range load(t, j, "run-1") {
		copy(e.Data, "{changed}")
	}
	wantLog(t, j, "run-1", 2)
}

func leaveAndAppend(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	must(t, j.Append(t.Context(), "run-1", 0, entry(0), entry(1), entry(2)))
	for e, err := range j.Load(t.Context(), "run-1") {
		must(t, err)
		if factOf(t, e).N == 1 {
			break
		}
	}
	n := 3
	for e, err := range j.Load(t.Context(), "run-1") {
		must(t, err)
		if factOf(t, e) != entry(n-3).Fact {
			t.Fatalf("%v where %d was due", e, n-3)
		}
		must(t, j.Append(t.Context(), "run-1", n, entry(n)))
		n++
	}
	wantLog(t, j, "run-1", 6)
}

func ended(t *testing.T, j journal.Journal) {
	own(t, j, "run-1")
	ctx, cancel := context.WithCancel(t.Context())
	must(t, j.Append(ctx, "run-1", 0, entry(0)))
	cancel()
	wantError(t, j.Append(ctx, "run-1", 1, entry(1)), context.Canceled)
	var last error
	for _, last = range j.Load(ctx, "run-1") {
	}
	wantError(t, last, context.Canceled)
	wantLog(t, j, "run-1", 1)
}
