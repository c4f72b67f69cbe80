package fs

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// GEN-09: every text can be replaced, has its place, and what it fills in is
// filled in.
func TestTexts(t *testing.T) {
	f, err := Open(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	texts := reflect.ValueOf(&f.Texts).Elem()
	for i := range texts.NumField() {
		require.NotEmpty(t, texts.Field(i).String(), texts.Type().Field(i).Name)
		texts.Field(i).SetString("¶")
	}
	for _, made := range f.Tools() {
		require.Equal(t, "¶", made.Description)
		schema := string(made.Schema)
		require.Equal(t, strings.Count(schema, `"description":"¶"`), strings.Count(schema, `"type":`)-1, schema)
	}
	require.Equal(t, "1 {b} {c} 3", fill("{a} {b} {c} {d}", "a", 1, "d", 3, "c", "{c}"))
}

// The table of locks holds nothing once no call uses it.
func TestLocksVanish(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.writeFile(t.Context(), writeInput{Path: "a/f", Content: "c"})
	require.NoError(t, err)
	at, err := f.place("a/f", false)
	require.NoError(t, err)
	defer at.dir.Close()
	var table lockTable
	unlock, err := table.lock(t.Context(), at.info, "f")
	require.NoError(t, err)
	other, err := table.lock(t.Context(), at.info, "g")
	require.NoError(t, err)
	require.Len(t, table.held, 2)
	unlock()
	other()
	require.Empty(t, table.held)
	require.Empty(t, locks.held)
}

// GEN-09: an empty text stands for the English one, so that a host need only
// say what it wants otherwise.
func TestTextsAreCompleted(t *testing.T) {
	f, err := Open(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	usual := f.Tools()
	usualList, err := f.listDir(t.Context(), listInput{})
	require.NoError(t, err)
	f.Texts = Texts{Path: "¶"}
	for i, made := range f.Tools() {
		require.Equal(t, usual[i].Description, made.Description)
		require.Equal(t, strings.ReplaceAll(string(usual[i].Schema), DefaultTexts().Path, "¶"), string(made.Schema))
	}
	require.NoError(t, f.root.WriteFile("a", nil, 0o600))
	text, err := f.readFile(t.Context(), readInput{Path: "a"})
	require.NoError(t, err)
	require.Equal(t, DefaultTexts().Empty, text)
	require.Equal(t, DefaultTexts().EmptyDir, usualList)
	list, err := f.listDir(t.Context(), listInput{})
	require.NoError(t, err)
	require.Equal(t, "a (0 bytes)\n", list)
}
