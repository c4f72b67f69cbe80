package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLoad: whatever the file holds, reading it does not panic, and yields
// nothing but a beginning of what was written; and where it is not refused, an
// append goes on from there. Version 0 has no checksums to tell by.
func FuzzLoad(f *testing.F) {
	log := header()
	var want []Entry
	for n := range 6 {
		e := Entry{At: note(n).At.AddDate(n, 0, 0), Kind: "noted", Data: []byte(`{"n":[1,"}"]}`)}
		want = append(want, e)
	}
	for _, part := range [][2]int{{0, 1}, {1, 4}, {4, 6}} {
		lines, err := newEncoder().encode(part[0], want[part[0]:part[1]])
		require.NoError(f, err)
		log = append(log, lines...)
	}
	f.Add(log)
	f.Add(log[:len(log)-7])
	f.Add(log[:len(log)-1])
	f.Add(append(bytes.Clone(log[:len(log)-9]), "\n\n"...))
	f.Add(bytes.Replace(log, []byte(`"n":2`), []byte(`"n":3`), 1))
	f.Add([]byte("{\"version\":0}\n{\"kind\":\"a\",\"fact\":1}\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newReader("run", bytes.NewReader(data))
		var got []Entry
		var failed error
		for e, err := range r.entries() {
			if failed = err; err == nil {
				got = append(got, e)
			}
		}
		if r.version == 0 {
			return
		}
		if len(got) > len(want) {
			t.Fatalf("%d entries", len(got))
		}
		for i, e := range got {
			require.Equal(t, want[i], e)
		}
		var damaged *DamagedError
		var version *VersionError
		if failed != nil && !errors.As(failed, &damaged) && !errors.As(failed, &version) {
			t.Fatalf("untyped: %v", failed)
		}
		if failed == nil && len(data) < 4096 {
			goOn(t, data, len(got))
		}
	})
}

// goOn appends to a log that holds data, and which is length entries long.
func goOn(t *testing.T, data []byte, length int) {
	d := newDir(t.TempDir(), nil)
	d.syncs.file = func(*os.File) error { return nil }
	dir := filepath.Join(d.root, "run")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, logFile), data, 0o600))
	require.NoError(t, d.Append(context.Background(), "run", length, note(1)))
	n, err := d.Len(context.Background(), "run")
	require.NoError(t, err)
	require.Equal(t, length+1, n)
}
