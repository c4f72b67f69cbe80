package journal_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

var whole = []string{"a", "b", "c", `d is "<last>" ü`}

// reopen returns a Dir that knows nothing yet of the log, which holds log now.
func reopen(t testing.TB, name string, log []byte) (*journal.Dir, *[]*journal.TornError) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, log, 0o600))
	d, err := journal.Open(filepath.Dir(filepath.Dir(name)))
	require.NoError(t, err)
	warned := &[]*journal.TornError{}
	d.Warn = func(w *journal.TornError) { *warned = append(*warned, w) }
	return d, warned
}

// sealed returns the line that has these members after its seal.
func sealed(rest string) string {
	summed := fmt.Sprintf(`"len":%d,%s`, len(rest), rest)
	sum := crc32.Checksum([]byte(summed), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf(`{"crc":"%08x",%s`+"\n", sum, summed)
}

// lineStarts returns where each line starts, and the length of all.
func lineStarts(log []byte) []int {
	starts := []int{0}
	for i, c := range log {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// SES-19, B171: cut at every byte, with nothing, an empty line, two, or unused
// space after it. What was appended whole is there, the rest is left out with a
// warning, and the log goes on.
func TestCut(t *testing.T) {
	d, warned, name, log := written(t)
	starts := lineStarts(log)
	for _, after := range []string{"", "\n", "\n\n", "\x00\x00\x00", "\n\x00"} {
		for at := range len(log) + 1 {
			kept, keptLines := 0, 0
			for i, ends := range []int{1, 2, 3, 5} { // the lines with which appends end, and the header
				end := starts[ends] - 1 // a whole line without its newline counts
				if at >= end {
					kept, keptLines = []int{0, 1, 2, 4}[i], ends
				}
			}
			*warned = nil
			cut := append(bytes.Clone(log[:at]), after...)
			require.NoError(t, os.WriteFile(name, cut, 0o600))
			got, err := texts(d, "run-1")
			require.NoError(t, err, "cut at %d", at)
			require.Equal(t, whole[:kept], append([]string{}, got...), "cut at %d", at)

			torn := at > starts[keptLines]
			require.Equal(t, torn, len(*warned) == 1, "cut at %d: warned of %v", at, *warned)
			if torn {
				require.Equal(t, "run-1", (*warned)[0].ID)
				require.Equal(t, keptLines+1, (*warned)[0].Line)
				bytes := at - starts[keptLines]
				if log[at-1] != '\n' && after != "" && after[0] == '\n' {
					bytes++
				}
				require.EqualValues(t, bytes, (*warned)[0].Bytes)
			}
			edge := at == starts[keptLines] || at == starts[keptLines]-1
			if at%25 != 0 && !edge { // appends are slow
				continue
			}
			fresh, warned := reopen(t, name, cut)
			require.NoError(t, fresh.Append(t.Context(), "run-1", kept, say("more")))
			require.Equal(t, torn, len(*warned) == 1)
			got, err = texts(fresh, "run-1")
			require.NoError(t, err)
			require.Equal(t, append(append([]string{}, whole[:kept]...), "more"), got)
		}
	}
}

// SES-19: a fault inside a log is an error that names the line, after the
// entries before it; and nothing is appended.
func TestDamaged(t *testing.T) {
	_, _, name, log := written(t)
	starts := lineStarts(log)
	line := func(n int) []byte { return log[starts[n-1]:starts[n]] }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for what, c := range map[string]struct {
		log  []byte
		line int
		kept int
	}{
		"a line cut inside":       {join(line(1), line(2)[:50], []byte("\n"), line(3)), 2, 0},
		"a line cut, no newline":  {join(line(1), line(2)[:50], line(3)), 2, 0},
		"an empty line inside":    {join(line(1), line(2), []byte("\n"), line(3)), 3, 1},
		"unused space inside":     {join(line(1), make([]byte, 100), line(2)), 2, 0},
		"a line lost":             {join(line(1), line(3)), 2, 0},
		"a line twice":            {join(line(1), line(2), line(2)), 3, 1},
		"lines swapped":           {join(line(1), line(3), line(2)), 2, 0},
		"no header":               {join(line(2), line(3)), 1, 0},
		"half an append, and on":  {join(line(1), line(2), line(3), line(4), line(2)), 5, 2},
		"words":                   {[]byte("This is no log.\n"), 1, 0},
		"a word, and no newline":  {[]byte("This"), 1, 0},
		"a longer last line":      {join(log[:len(log)-1], []byte("x")), 5, 2},
		"a record that is no log": {join(line(1), []byte(`{"crc":"00000000","len":2,}`)), 2, 0},
	} {
		d, warned := reopen(t, name, c.log)
		got, err := texts(d, "run-1")
		var damaged *journal.DamagedError
		require.ErrorAs(t, err, &damaged, what)
		require.Equal(t, c.line, damaged.Line, "%s: %v", what, err)
		require.Equal(t, "run-1", damaged.ID)
		require.Equal(t, whole[:c.kept], append([]string{}, got...), what)
		require.Empty(t, *warned)

		require.ErrorAs(t, d.Append(t.Context(), "run-1", c.kept, say("x")), &damaged, what)
		_, err = d.Len(t.Context(), "run-1")
		require.ErrorAs(t, err, &damaged, what)
		now, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, c.log, now, what)
	}
}

// SES-19: a byte that is wrong is found, wherever it is and however it is
// wrong; also in the last line, which then is no line that was cut.
func TestFlipped(t *testing.T) {
	d, warned, name, log := written(t)
	starts := lineStarts(log)
	for at := range len(log) {
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
			bad := bytes.Clone(log)
			bad[at] ^= flip
			require.NoError(t, os.WriteFile(name, bad, 0o600))
			_, err := texts(d, "run-1")
			var damaged *journal.DamagedError
			require.ErrorAs(t, err, &damaged, "byte %d: %q becomes %q", at, log[at], bad[at])
			require.Empty(t, *warned)
			line := damaged.Line
			require.True(t, starts[line-1] <= at && at < starts[line], "byte %d, line %d", at, line)
		}
	}
}

// SES-E98: a newer version is refused, version 0 (what a person wrote) is
// migrated with the first append.
func TestVersions(t *testing.T) {
	_, _, name, log := written(t)
	d, _ := reopen(t, name, []byte(sealed(`"version":2}`)+"whatever follows\n"))
	_, err := texts(d, "run-1")
	var version *journal.VersionError
	require.ErrorAs(t, err, &version)
	require.Equal(t, journal.VersionError{ID: "run-1", Version: 2}, *version)
	require.ErrorAs(t, d.Append(t.Context(), "run-1", 0, say("x")), &version)

	bad := bytes.Clone(log)
	bad[lineStarts(log)[2]+100] ^= 1 // in the second entry
	lines := bytes.SplitAfter(bad, []byte("\n"))
	lines[0] = []byte(`{"version": 0}` + "\n\n")
	lines[2] = []byte(`{"kind": "said", "fact": {"text": "mended"}}` + "\r\n")
	d, warned := reopen(t, name, bytes.Join(lines, nil))
	want := []string{"a", "mended", "c", whole[3]}
	got, err := texts(d, "run-1")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.ErrorIs(t, d.Append(t.Context(), "run-1", 3, say("x")), journal.ErrConflict)
	require.NoError(t, d.Append(t.Context(), "run-1", 4, say("e")))
	require.NoError(t, d.Append(t.Context(), "run-1", 5, say("f")))
	got, err = texts(d, "run-1")
	require.NoError(t, err)
	require.Equal(t, append(want, "e", "f"), got)
	require.Empty(t, *warned)
	now, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, log[:lineStarts(log)[1]], now[:lineStarts(log)[1]], "the header is the present one")
	files, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left of the migration")

	for line, text := range map[int]string{
		2: `{"version":0}` + "\n" + `{"kind":"said"}`,
		3: `{"version":0}` + "\n" + `{"kind":"said","fact":{"text":"a"}}` + "\n" + `{"kind":"sa`,
	} {
		d, _ = reopen(t, name, []byte(text))
		_, err = texts(d, "run-1")
		var damaged *journal.DamagedError
		require.ErrorAs(t, err, &damaged)
		require.Equal(t, line, damaged.Line)
	}
}
