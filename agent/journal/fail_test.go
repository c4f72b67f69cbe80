package journal

import (
	"context"
	"encoding/json"
	"errors"
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
