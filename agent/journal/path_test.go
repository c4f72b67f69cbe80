package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPath(t *testing.T) {
	for id, want := range map[string]string{
		"run-42/task_3/7.1": "run-42/task_3/7.1",
		"Run-A":             "!run-!a",
		"a b/ü":             "a%20b/%c3%bc",
		"lock/mailbox":      "%6cock/%6dailbox",
		"journal.jsonl":     "%6aournal.jsonl",
		"con.txt/COM1":      "%63on.txt/!c!o!m1",
		"con.Ü":             "%63on.%c3%9c",
		"com1/lpt9.x":       "%63om1/%6cpt9.x",
		".hidden/end./...":  "%2ehidden/end%2e/%2e.%2e",
		`a\b:c%!`:           "a%5cb%3ac%25%21",
	} {
		p, err := path(id)
		require.NoError(t, err)
		require.Equal(t, want, filepath.ToSlash(p))
		back, ok := idOf(p)
		require.True(t, ok)
		require.Equal(t, id, back)
	}
	for _, p := range []string{"UPPER", "%6", "!", "%zz", "%61", "mailbox", "run-1/lock", "", "!1", "a b"} {
		_, ok := idOf(p)
		require.False(t, ok, p)
	}
}

// No two ids have one folder, also where case does not count, and none has a
// file's name or leads elsewhere.
func TestPathsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-cA-C.%!]{1,3}`), rapid.SampledFrom([]string{"lock", "Lock", "mailbox", "nul", "journal.jsonl", "con.Ü", "LPT1. "}))
		join := func(parts []string) string { return strings.Join(parts, "/") }
		gen := rapid.Map(rapid.SliceOfN(part, 1, 4), join)
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		pa, err := path(a)
		if err != nil {
			return
		}
		if back, ok := idOf(pa); !ok || back != a {
			t.Fatalf("%q has folder %q, which is of %q", a, pa, back)
		}
		if !filepath.IsLocal(pa) || filepath.Clean(pa) != pa {
			t.Fatalf("%q leads to %q", a, pa)
		}
		for _, name := range strings.Split(filepath.ToSlash(pa), "/") {
			if name == logFile || name == lockFile || name == boxName || name == logFile+".new" {
				t.Fatalf("%q has a file's name in %q", a, pa)
			}
		}
		if pb, err := path(b); err == nil && a != b && strings.EqualFold(pa, pb) {
			t.Fatalf("%q and %q have one folder: %q and %q", a, b, pa, pb)
		}
	})
}
