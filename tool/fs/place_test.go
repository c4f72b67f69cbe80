package fs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TOOL-37: between every look and the act that follows, what was looked at is
// swapped for a link that leads out. The act fails, or is about what was looked at.
func TestSwappedBetweenLookAndAct(t *testing.T) {
	for name, act := range map[string]func(t *testing.T, f *FS, swap func(name string)){
		"directory, then read": func(t *testing.T, f *FS, swap func(string)) {
			at, err := f.place("d/f", false)
			require.NoError(t, err)
			defer at.dir.Close()
			swap("d")
			_, content, _, err := at.read(t.Context())
			require.NoError(t, err)
			require.Equal(t, "inside", string(content))
		},
		"directory, then write": func(t *testing.T, f *FS, swap func(string)) {
			at, err := f.place("d/f", true)
			require.NoError(t, err)
			defer at.dir.Close()
			swap("d")
			_, err = at.replace(t.Context(), []byte("new"), nil)
			require.NoError(t, err)
			content, err := f.root.ReadFile("d.away/f")
			require.NoError(t, err)
			require.Equal(t, "new", string(content))
		},
		"file, then open": func(t *testing.T, f *FS, swap func(string)) {
			at, err := f.place("d/f", false)
			require.NoError(t, err)
			defer at.dir.Close()
			swap("d/f")
			_, _, err = at.open(os.O_RDWR)
			require.ErrorIs(t, err, ErrNotFile)
			_, _, err = openRegular(at.dir, "f", os.O_RDWR)
			require.Error(t, err)
		},
		"file, then write": func(t *testing.T, f *FS, swap func(string)) {
			at, err := f.place("d/f", false)
			require.NoError(t, err)
			defer at.dir.Close()
			swap("d/f")
			_, err = at.replace(t.Context(), []byte("new"), nil)
			require.NoError(t, err)
			content, err := f.root.ReadFile("d/f")
			require.NoError(t, err)
			require.Equal(t, "new", string(content))
		},
		"directory, then opened": func(t *testing.T, f *FS, swap func(string)) {
			resolved, err := f.directory("d")
			require.NoError(t, err)
			swap("d")
			_, err = f.openDir(resolved)
			require.Error(t, err)
			_, err = f.entries(resolved)
			require.Error(t, err)
			require.Error(t, f.root.MkdirAll(resolved+"/made", 0o777))
		},
		"directory, then searched": func(t *testing.T, f *FS, swap func(string)) {
			wanted, err := parseWanted("e")
			require.NoError(t, err)
			swap("d")
			b := &batch{dir: "d", names: []string{"f"}, paths: []string{"d/f"}}
			f.newSearcher(wanted).batch(t.Context(), b)
			require.Equal(t, 1, b.faulty)
			require.Empty(t, b.matches)
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
			require.NoError(t, os.MkdirAll(filepath.Join(root, "d"), 0o777))
			require.NoError(t, os.Mkdir(outside, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(root, "d/f"), []byte("inside"), 0o666))
			require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o666))
			f, err := Open(root)
			require.NoError(t, err)
			defer f.Close()
			act(t, f, func(name string) {
				path := filepath.Join(root, name)
				require.NoError(t, os.Rename(path, path+".away"))
				require.NoError(t, os.Symlink(filepath.Join(outside, strings.TrimPrefix(name, "d")), path)) // d to it, d/f to its f
			})
			entries, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, entries, 1)
			content, err := os.ReadFile(filepath.Join(outside, "f"))
			require.NoError(t, err)
			require.Equal(t, "secret", string(content))
		})
	}
}
