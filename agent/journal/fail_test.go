package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func note(n int) Entry { return Entry{Kind: "noted", Fact: n} }

func noted(t *testing.T, d *Dir, id string) []int {
	t.Helper()
	var all []int
	for e, err := range d.Load(context.Background(), id) {
		require.NoError(t, err)
		var n int
		require.NoError(t, json.Unmarshal(e.Data, &n))
		all = append(all, n)
	}
	return all
}

// B169 (share), GEN-03 (share): the store fails. The append says so, nothing
// of it is in the log, and the same append may be tried again.
func TestFailedAppend(t *testing.T) {
	d, err := Open(t.TempDir())
	require.NoError(t, err)
	works, disk := d.syncs.file, errors.New("no disk")
	for what, fail := range map[string]func(*os.File) error{
		"the sync fails": func(*os.File) error { return disk },
		"a part is written": func(f *os.File) error {
			info, err := f.Stat()
			return errors.Join(disk, err, f.Truncate(info.Size()-5))
		},
		"it can't be cut off": func(f *os.File) error {
			return errors.Join(disk, f.Close())
		},
	} {
		t.Run(what, func(t *testing.T) {
			id := "run of " + what
			require.NoError(t, d.Append(t.Context(), id, 0, note(0)))
			info, err := os.Stat(filepath.Join(must(d.folder(id)), logFile))
			require.NoError(t, err)

			d.syncs.file = fail
			err = d.Append(t.Context(), id, 1, note(1), note(2))
			d.syncs.file = works
			require.ErrorIs(t, err, disk)
			if what == "it can't be cut off" {
				require.ErrorIs(t, err, os.ErrClosed)
				require.ErrorIs(t, d.Append(t.Context(), id, 1, note(1), note(2)), ErrConflict, "they are there after all")
				require.Equal(t, []int{0, 1, 2}, noted(t, d, id))
				require.NoError(t, d.Append(t.Context(), id, 3, note(3)))
				return
			}
			require.Equal(t, []int{0}, noted(t, d, id))
			now, err := os.Stat(filepath.Join(must(d.folder(id)), logFile))
			require.NoError(t, err)
			require.Equal(t, info.Size(), now.Size())
			require.NoError(t, d.Append(t.Context(), id, 1, note(1), note(2)))
			require.Equal(t, []int{0, 1, 2}, noted(t, d, id))
		})
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// GEN-03 (share), SES-19: an append, a post and a take return when the file is
// synced, and, where its name is new or this process has not seen to it, the
// folders that lead to it.
func TestSyncedBeforeReturn(t *testing.T) {
	root := t.TempDir()
	var synced []string
	open := func() *Dir {
		d := newDir(root, nil)
		d.syncs.file = func(f *os.File) error {
			info, err := f.Stat()
			require.NoError(t, err)
			require.Positive(t, info.Size(), "it is written before")
			name, err := filepath.Rel(root, f.Name())
			require.NoError(t, err)
			synced = append(synced, filepath.ToSlash(name))
			return f.Sync()
		}
		return d
	}
	d := open()
	want := func(err error, names ...string) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, names, synced)
		synced = nil
	}
	ctx := t.Context()
	want(d.Append(ctx, "a/b", 0, note(0), note(1)), "a/b/journal.jsonl", "a/b", "a", ".")
	want(d.Append(ctx, "a/b", 2, note(2)), "a/b/journal.jsonl")
	want(open().Append(ctx, "a/b", 3, note(3)), "a/b/journal.jsonl", "a/b", "a", ".")
	want(d.Append(ctx, "a/b", 4, note(4)), "a/b/journal.jsonl", "a/b", "a", ".")
	require.NoError(t, os.RemoveAll(filepath.Join(root, "a", "b")))
	want(d.Append(ctx, "a/b", 0, note(0)), "a/b/journal.jsonl", "a/b", "a", ".")

	want(d.Post(ctx, "r", Post{ID: "p", Kind: "stop"}), "r/mailbox/new", "r/mailbox", "r", ".")
	want(d.Post(ctx, "r", Post{ID: "p", Kind: "stop"}), "r/mailbox", "r", ".")
	want(d.Taken(ctx, "r", "p"), "r/mailbox/taken", "r/mailbox")
}

// Whatever the number of runs, few files stay open; and what a Dir has
// forgotten it reads again.
func TestManyRuns(t *testing.T) {
	d := newDir(t.TempDir(), nil)
	d.syncs.file = func(*os.File) error { return nil }
	const runs = 3 * mostIdle
	for n := range 3 {
		for i := range runs {
			require.NoError(t, d.Append(t.Context(), fmt.Sprint("run-", i), n, note(n)))
		}
		require.LessOrEqual(t, len(d.idle), mostIdle)
		clear(d.known)
	}
	require.Equal(t, []int{0, 1, 2}, noted(t, d, "run-7"))
}
