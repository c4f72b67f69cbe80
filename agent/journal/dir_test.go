package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

type said struct {
	Text string `json:"text"`
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 5, time.FixedZone("", 3600))

func say(text string) journal.Entry {
	return journal.Entry{At: noon, Active: time.Second, Kind: "said", Fact: said{text}}
}

// texts returns what the entries of the log say, and the error that ends it.
func texts(j journal.Journal, id string) (all []string, err error) {
	for e, err := range j.Load(context.Background(), id) {
		if err != nil {
			return all, err
		}
		var s said
		if err := json.Unmarshal(e.Data, &s); err != nil {
			return all, err
		}
		all = append(all, s.Text)
	}
	return all, nil
}

// written returns a Dir, what it was warned of, and the path and content of
// the log of run-1, which says a, b, and (as one append) c and d.
func written(t testing.TB) (d *journal.Dir, warned *[]*journal.TornError, name string, log []byte) {
	t.Helper()
	root := t.TempDir()
	d, err := journal.Open(root)
	require.NoError(t, err)
	warned = &[]*journal.TornError{}
	d.Warn = func(w *journal.TornError) { *warned = append(*warned, w) }
	ctx := context.Background()
	require.NoError(t, d.Append(ctx, "run-1", 0, say("a")))
	require.NoError(t, d.Append(ctx, "run-1", 1, say("b")))
	require.NoError(t, d.Append(ctx, "run-1", 2, say("c"), say(`d is "<last>" ü`)))
	name = filepath.Join(root, "run-1", "journal.jsonl")
	log, err = os.ReadFile(name)
	require.NoError(t, err)
	return d, warned, name, log
}

// SES-19: one checksummed record a line, readable by eye and by JSON tools.
func TestFormat(t *testing.T) {
	d, _, name, log := written(t)
	lines := strings.Split(string(log), "\n")
	require.Equal(t, []string{
		`{"crc":"8515d290","len":12,"version":1}`,
		`{"crc":"bcb80e85","len":98,"n":0,"at":"2026-11-30T11:00:00.000000005Z","active":1000000000,"kind":"said","fact":{"text":"a"}}`,
	}, lines[:2])
	require.Len(t, lines, 6)
	require.Empty(t, lines[5])
	for _, line := range lines[:5] {
		require.True(t, json.Valid([]byte(line)), line)
	}
	require.Contains(t, lines[4], `"fact":{"text":"d is \"<last>\" ü"}`)

	strange := journal.Entry{Kind: "odd \"kind\"\n", Fact: nil}
	require.NoError(t, d.Append(t.Context(), "run-2", 0, strange))
	for e, err := range d.Load(t.Context(), "run-2") {
		require.NoError(t, err)
		require.Equal(t, strange.Kind, e.Kind)
		require.JSONEq(t, "null", string(e.Data))
		require.True(t, e.At.IsZero())
	}
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

// SES-01 (share): another Dir on the folder goes on.
func TestGoOn(t *testing.T) {
	_, _, name, _ := written(t)
	other, err := journal.Open(filepath.Dir(filepath.Dir(name)))
	require.NoError(t, err)
	require.ErrorIs(t, other.Append(t.Context(), "run-1", 3, say("x")), journal.ErrConflict)
	require.NoError(t, other.Append(t.Context(), "run-1", 4, say("e")))
	got, err := texts(other, "run-1")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", `d is "<last>" ü`, "e"}, got)
	n, err := other.Len(t.Context(), "run-1")
	require.NoError(t, err)
	require.Equal(t, 5, n)
}

// SES-08, SES-E93: who appended meanwhile is seen in the file, not remembered.
func TestTwoWriters(t *testing.T) {
	first, _, name, _ := written(t)
	second, err := journal.Open(filepath.Dir(filepath.Dir(name)))
	require.NoError(t, err)
	require.NoError(t, second.Append(t.Context(), "run-1", 4, say("second")))
	require.ErrorIs(t, first.Append(t.Context(), "run-1", 4, say("first")), journal.ErrConflict)
	require.NoError(t, first.Append(t.Context(), "run-1", 5, say("first")))
	n, err := second.Len(t.Context(), "run-1")
	require.NoError(t, err)
	require.Equal(t, 6, n)

	require.NoError(t, os.RemoveAll(filepath.Dir(name)), "a run that was deleted starts anew")
	require.ErrorIs(t, first.Append(t.Context(), "run-1", 6, say("x")), journal.ErrConflict)
	require.NoError(t, first.Append(t.Context(), "run-1", 0, say("new")))
	got, err := texts(second, "run-1")
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, got)
}

// marshals fails, or panics, as a caller's own type may.
type marshals struct{ with any }

func (m marshals) MarshalJSON() ([]byte, error) {
	if err, ok := m.with.(error); ok {
		return nil, err
	}
	panic(m.with)
}

// SES-20, B175: what can't be stored is refused when it is appended, and
// nothing of that append is stored. An error as plain data is stored.
func TestRefused(t *testing.T) {
	d, _, name, log := written(t)
	cause := errors.New("no JSON of this")
	for what, bad := range map[string]journal.Entry{
		"a function": {Kind: "said", Fact: map[string]any{"f": func() {}}},
		"an error":   {Kind: "said", Fact: marshals{cause}},
		"a panic":    {Kind: "said", Fact: marshals{"oops"}},
		"bad JSON":   {Kind: "said", Data: json.RawMessage(`{"a":`)},
		"no kind":    {Fact: said{"x"}},
		"no text":    {Kind: "\xff", Fact: said{"x"}},
		"the year":   {Kind: "said", At: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		err := d.Append(t.Context(), "run-1", 4, say("e"), bad)
		require.ErrorIs(t, err, journal.ErrEntry, what)
		require.ErrorContains(t, err, "run-1: entry 1", what)
	}
	require.ErrorIs(t, d.Append(t.Context(), "run-1", 4, journal.Entry{Kind: "said", Fact: marshals{cause}}), cause)
	now, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, log, now)

	type slice []string
	child := map[string]any{"error": fmt.Sprint(cause), "extra": slice{"a"}}
	require.NoError(t, d.Append(t.Context(), "run-1", 4, journal.Entry{Kind: "failed", Fact: child}))
	for e, err := range d.Load(t.Context(), "run-1") {
		require.NoError(t, err)
		if e.Kind == "failed" {
			require.JSONEq(t, `{"error":"no JSON of this","extra":["a"]}`, string(e.Data))
		}
	}
}

func TestIDs(t *testing.T) {
	d := openDir(t)
	for _, id := range []string{"run-2", "run-1/task_3/7.1", "run-1", "Run-1", "tenant ü/run-9/journal.jsonl/mailbox/lock/con.txt"} {
		require.NoError(t, d.Append(t.Context(), id, 0, say(id)))
		got, err := texts(d, id)
		require.NoError(t, err)
		require.Equal(t, []string{id}, got)
	}
	require.NoError(t, d.Post(t.Context(), "run-3", journal.Post{ID: "x", Kind: "stop"}))
	var ids []string
	for id, err := range d.IDs(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.Equal(t, []string{"Run-1", "run-1", "run-1/task_3/7.1", "run-2", "tenant ü/run-9/journal.jsonl/mailbox/lock/con.txt"}, ids)
	for range d.IDs(t.Context()) {
		break
	}
}

func TestBadIDs(t *testing.T) {
	d := openDir(t)
	for _, id := range []string{
		"", "/", "/run", "run/", "a//b", ".", "..", "a/../b", "../../etc", "a/.", "a\x00b",
		strings.Repeat("x", 300), strings.Repeat("Ü", 50), strings.Repeat("x/", 1500) + "x",
	} {
		require.ErrorIs(t, d.Append(t.Context(), id, 0, say("x")), journal.ErrID, "%q", id)
		_, err := texts(d, id)
		require.ErrorIs(t, err, journal.ErrID)
		_, err = d.Claim(t.Context(), id)
		require.ErrorIs(t, err, journal.ErrID)
		require.ErrorIs(t, d.Post(t.Context(), id, journal.Post{ID: "a", Kind: "stop"}), journal.ErrID)
		_, err = d.Posts(t.Context(), id)
		require.ErrorIs(t, err, journal.ErrID)
		require.ErrorIs(t, d.Taken(t.Context(), id, "a"), journal.ErrID)
	}
	require.ErrorIs(t, d.Post(t.Context(), "run-1", journal.Post{ID: strings.Repeat("x", 300), Kind: "stop"}), journal.ErrID)
	files, err := os.ReadDir(filepath.Join(os.TempDir(), "etc"))
	require.ErrorIs(t, err, fs.ErrNotExist, files)
}
