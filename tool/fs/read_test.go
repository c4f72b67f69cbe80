package fs_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

var goOn = regexp.MustCompile(`read with offset (\d+)`)

// pages reads a file as a model would: page after page, as each says.
func (a *agent) pages(t require.TestingT, list *tool.List, path string, limit int) (text string, pages int) {
	for offset := 1; ; pages++ {
		arguments := args{"path": path, "offset": offset}
		if limit > 0 {
			arguments["limit"] = limit
		}
		result := a.callOn(list, "read_file", arguments)
		require.Equal(t, tool.OK, result.Outcome, result.Text)
		page, note := result.Text, ""
		if offset > 1 || goOn.MatchString(page) { // else there is no note
			at := strings.LastIndex(page, "[lines ")
			page, note = page[:at], page[at:]
		}
		text += page
		next := goOn.FindStringSubmatch(note)
		if next == nil {
			return text, pages + 1
		}
		offset, _ = strconv.Atoi(next[1])
	}
}

// TOOL-22: reading takes a start line and a line count and says how to go on;
// 10,000 lines in pages, without loss or repeat.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	var all strings.Builder
	for i := 1; i <= 10_000; i++ {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	put(t, dir, map[string]string{"f.txt": all.String()})
	a := open(t, dir)
	list := a.list()
	for limit, want := range map[int]int{0: 5, 999: 11, 1000: 10, 10_000: 4, 20_000: 4} {
		text, pages := a.pages(t, list, "f.txt", limit)
		require.Equal(t, all.String(), text)
		require.Equal(t, want, pages)
	}
	require.Equal(t, "line 1\nline 2\n[lines 1-2 of 10000; to go on, read with offset 3]",
		a.ok("read_file", args{"path": "f.txt", "limit": 2}))
	require.Equal(t, "line 9999\nline 10000\n[lines 9999-10000, the last of the file]",
		a.ok("read_file", args{"path": "f.txt", "offset": 9999, "limit": 2}))
	require.Equal(t, a.ok("read_file", args{"path": "f.txt", "limit": 1}),
		a.ok("read_file", args{"path": "f.txt", "limit": 1, "offset": 0}))
	a.refused("read_file", args{"path": "f.txt", "offset": 10_001}, "offset 10001 is past the end: the file has 10000 lines")
	for _, bad := range []args{{"path": "f.txt", "offset": -1}, {"path": "f.txt", "limit": 0}, {"path": "f.txt", "limit": -3}, {}} {
		require.Equal(t, tool.BadArguments, a.call("read_file", bad).Outcome)
	}
	a.MaxText = 40
	require.Equal(t, "line 1\nline 2\nline 3\nline 4\nline 5\n[lines 1-5 of 10000; to go on, read with offset 6]", a.read("f.txt"))
}

// TOOL-22: pages of any text, whatever their size, put together are the text
// with LF as line ends.
func TestPagesOfAnyText(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir)
	list := a.list()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`(?s)([ab\n]|\r\n|é|🔬){0,60}`).Draw(r, "text")
		a.MaxText = rapid.IntRange(80, 200).Draw(r, "most")
		a.MaxLine = a.MaxText
		limit := rapid.IntRange(1, 9).Draw(r, "limit")
		require.NoError(r, os.WriteFile(filepath.Join(dir, "f.txt"), []byte(text), 0o666))
		if text == "" {
			require.Equal(r, "(the file is empty)", a.read("f.txt"))
			return
		}
		got, pages := a.pages(r, list, "f.txt", limit)
		want := strings.ReplaceAll(text, "\r\n", "\n")
		if got = withoutNotes(got); pages > 1 || strings.Contains(text, "\r\n") {
			got, want = strings.TrimSuffix(got, "\n"), strings.TrimSuffix(want, "\n")
		}
		require.Equal(r, want, got)
	})
}

// withoutNotes cuts off a note that says nothing of how to go on.
func withoutNotes(text string) string {
	if at := strings.LastIndex(text, "["); at >= 0 {
		return text[:at]
	}
	return text
}

// TOOL-22: what is no plain text with LF is shown as such, and said.
func TestKindsOfText(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":            {"", "(the file is empty)"},
		"one line":         {"a", "a"},
		"no end":           {"a\nb", "a\nb"},
		"end":              {"a\nb\n", "a\nb\n"},
		"blank lines":      {"\n\n", "\n\n"},
		"CRLF":             {"a\r\nb\r\n", "a\nb\n[the lines end in CRLF, shown here as LF; edit_file keeps them]"},
		"mixed":            {"a\r\nb\n", "a\nb\n[some lines end in CRLF and some in LF, shown here all as LF; edit_file keeps each]"},
		"lone CR":          {"a\rb\n", "a\rb\n"},
		"BOM":              {"\uFEFFa\n", "a\n[the file starts with a UTF-8 byte order mark, not shown; edit_file keeps it]"},
		"only a BOM":       {"\uFEFF", "(the file is empty)"},
		"Latin-1":          {"caf\xe9\n", "caf\uFFFD\n[1 bytes are not UTF-8 text, shown here as \uFFFD; do not copy those into an edit]"},
		"half a character": {"a\xf0\x9f\n", "a\uFFFD\uFFFD\n[2 bytes are not UTF-8 text, shown here as \uFFFD; do not copy those into an edit]"},
		"binary":           {"\x7fELF\x00\x01", "(binary file, application/octet-stream, 6 bytes: not shown)"},
		"image":            {"\x89PNG\r\n\x1a\n\x00\x00", "(binary file, image/png, 10 bytes: not shown)"},
		"UTF-16":           {"\xff\xfea\x00", "(binary file, UTF-16 text, 4 bytes: not shown)"},
		"late NUL":         {strings.Repeat("a\n", 5000) + "\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, map[string]string{"f": c.content})
			text := open(t, dir).read("f")
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\x00")
			if c.want != "" {
				require.Equal(t, c.want, text)
			}
		})
	}
}

// TOOL-22, TOOL-E21, B236: a line of 1 MB is cut between characters, and the cut
// says how much is missing; the lines around it are there.
func TestLongLines(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("🔬", 1<<18)
	put(t, dir, map[string]string{"f": "before\n" + long + "\r\nafter\n", "end": long})
	a := open(t, dir)
	for most := 1; most <= 20; most++ {
		a.MaxLine = most
		shown := strings.Repeat("🔬", most/4)
		if most < 6 {
			continue // "before" is cut too
		}
		require.Equal(t, fmt.Sprintf("before\n%s [%d more bytes in this line]\nafter\n"+
			"[some lines end in CRLF and some in LF, shown here all as LF; edit_file keeps each]", shown, 1<<20-len(shown)), a.read("f"))
		require.Equal(t, fmt.Sprintf("%s [%d more bytes in this line]", shown, 1<<20-len(shown)), a.read("end"))
	}
	a.MaxLine, a.MaxText = 5000, 10
	require.Less(t, len(a.ok("read_file", args{"path": "f", "offset": 2})), 200)
}

// TOOL-22: the last page of a file of 1 GB, with one line of that size in it,
// takes no memory to speak of.
func TestLastPageOfAHugeFile(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "f"))
	require.NoError(t, err)
	_, err = file.WriteString(strings.Repeat("first\n", 10_000))
	require.NoError(t, err)
	_, err = file.WriteAt([]byte("\nsecond to last\nlast"), 1<<30) // what is between takes no room on the disk
	require.NoError(t, err)
	require.NoError(t, file.Close())
	a := open(t, dir)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := a.ok("read_file", args{"path": "f", "offset": 10_002})
	first := a.ok("read_file", args{"path": "f", "limit": 1})
	cut := a.ok("read_file", args{"path": "f", "offset": 10_001, "limit": 1})
	runtime.ReadMemStats(&after)
	require.Equal(t, "second to last\nlast\n[lines 10002-10003, the last of the file]", text)
	require.Equal(t, fmt.Sprintf("first\n[lines 1-1 of a file of %d bytes; to go on, read with offset 2]", 1<<30+20), first)
	require.Contains(t, cut, "more bytes in this line]\n")
	require.Less(t, len(cut), 10_000)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// Changing a file while it is read gives no half characters and no error.
func TestReadingIsOneVersion(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	versions := []string{strings.Repeat("a\n", 1000), strings.Repeat("b\n", 900)}
	b.ok("write_file", args{"path": "f", "content": versions[0]})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			b.callOn(b.list(), "write_file", args{"path": "f", "content": versions[i%2]})
		}
	}()
	for range 200 {
		require.Contains(t, versions, a.read("f"))
	}
	<-done
}

// A limit that allows nothing is refused, by every tool.
func TestBadLimits(t *testing.T) {
	for name, spoil := range map[string]func(*fs.FS){
		"MaxLines": func(f *fs.FS) { f.MaxLines = 0 }, "MaxText": func(f *fs.FS) { f.MaxText = -1 },
		"MaxLine": func(f *fs.FS) { f.MaxLine = 0 }, "MaxMatches": func(f *fs.FS) { f.MaxMatches = -5 },
		"MaxEntries": func(f *fs.FS) { f.MaxEntries = 0 }, "MaxFile": func(f *fs.FS) { f.MaxFile = 0 },
	} {
		a := open(t, t.TempDir())
		spoil(a.FS)
		for tool, result := range a.every("f") {
			require.Contains(t, result.Text, name+" is ", tool)
		}
		a.refused("glob", args{"pattern": "*"}, name+" is ")
	}
}

// The largest limits are no limits.
func TestNoLimits(t *testing.T) {
	a := open(t, t.TempDir())
	a.MaxLines, a.MaxText, a.MaxLine, a.MaxMatches, a.MaxEntries = math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt
	a.MaxFile = math.MaxInt64
	registry := tool.NewRegistry(a.Tools()...)
	require.NoError(t, registry.Err())
	long := strings.Repeat("x", 400<<10)
	a.ok("write_file", args{"path": "f", "content": long})
	a.ok("edit_file", args{"path": "f", "old_text": long, "new_text": long + "y"})
	text := a.callOn(registry.List(), "read_file", args{"path": "f"}).Text
	require.True(t, strings.HasPrefix(text, long+"y"), "%d bytes: …%s", len(text), text[max(0, len(text)-200):])
	require.Equal(t, "f:1:"+long+"y\n", a.callOn(registry.List(), "grep", args{"pattern": "x"}).Text)
}
