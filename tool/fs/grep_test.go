package fs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/tool"
)

func (a *agent) grep(pattern string, path ...string) string {
	a.t.Helper()
	return a.ok("grep", args{"pattern": pattern, "path": strings.Join(path, "")})
}

func TestGrep(t *testing.T) {
	a := open(t, t.TempDir())
	put(t, a.dir, map[string]string{
		"b.go":         "package b\n\nfunc One() {}\nfunc two() {}\r\n\treturn // One",
		"a/z.go":       "one\nOne\n",
		"a.txt":        "a.b\naxb\n(One)\n",
		"a/.hidden":    "One\n",
		".git/config":  "One\n",
		"a/.git/x":     "One\n",
		"bin":          "\x00One\n",
		"latin":        "caf\xe9 One\n",
		"empty":        "",
		"link":         "-> b.go",
		"dirlink":      "-> a",
		"notgit/.gitx": "One",
	})
	for name, c := range map[string]struct{ pattern, path, want string }{
		"literal": {"One", "", "a.txt:3:(One)\na/.hidden:1:One\na/z.go:2:One\nb.go:3:func One() {}\nb.go:5:\treturn // One\n" +
			"latin:1:caf\uFFFD One\nnotgit/.gitx:1:One\n[1 binary files were passed over]"},
		"ignoring case":       {"(?i)one", "a/z.go", "a/z.go:1:one\na/z.go:2:One\n"},
		"regular expression":  {`func \w+\(`, ".", "b.go:3:func One() {}\nb.go:4:func two() {}\n[1 binary files were passed over]"},
		"dot":                 {"a.b", "a.txt", "a.txt:1:a.b\na.txt:2:axb\n"},
		"escaped":             {`a\.b`, "a.txt", "a.txt:1:a.b\n"},
		"quoted":              {`\Qa.b\E`, "a.txt", "a.txt:1:a.b\n"},
		"anchors":             {`^One$`, "a", "a/.hidden:1:One\na/z.go:2:One\n"},
		"end before CRLF":     {`\{\}$`, "b.go", "b.go:3:func One() {}\nb.go:4:func two() {}\n"},
		"text anchors":        {`\Aone\z`, "a", "a/z.go:1:one\n"},
		"white space, a line": {`b\s+func`, "b.go", `No line matches "b\\s+func" in 1 files.`},
		"blank lines":         {`^$`, "b.go", "b.go:2:\n"},
		"alternatives":        {`two|axb`, "", "a.txt:2:axb\nb.go:4:func two() {}\n[1 binary files were passed over]"},
		"directory":           {"One", "a/", "a/.hidden:1:One\na/z.go:2:One\n"},
		"link to a file":      {"One", "link", "b.go:3:func One() {}\nb.go:5:\treturn // One\n"},
		"link to a directory": {"One", "dirlink", "a/.hidden:1:One\na/z.go:2:One\n"},
		".git by its name":    {"One", "a/.git", "a/.git/x:1:One\n"},
		"binary by its name":  {"One", "bin", "No line matches \"One\" in 0 files.\n[1 binary files were passed over]"},
		"nothing":             {"nowhere", "a", `No line matches "nowhere" in 2 files.`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, a.grep(c.pattern, c.path))
		})
	}
	a.refused("grep", args{"pattern": "(", "path": "."}, "missing closing )", "RE2")
	a.refused("grep", args{"pattern": `(?=x)`}, "RE2")
	a.refused("grep", args{"pattern": ""}, "the pattern is empty")
	a.refused("grep", args{"pattern": "a\nb"}, "within one line")
	a.refused("grep", args{"pattern": "x", "path": "nowhere"}, "no such file")
}

// Output is bounded in matches, in bytes and in each line; what is left out is said.
func TestGrepIsBounded(t *testing.T) {
	a := open(t, t.TempDir())
	long := strings.Repeat("🔬", 1000) + "needle" + strings.Repeat("é", 1000)
	put(t, a.dir, map[string]string{"z": strings.Repeat("needle\n", 1000), "long": "x\n" + long + "\ny needle\n"})
	a.MaxMatches = 5
	require.Equal(t, strings.Join([]string{"z:1:needle", "z:2:needle", "z:3:needle", "z:4:needle", "z:5:needle",
		"[the first 5 matches; there are more: use a narrower pattern or path]"}, "\n"), a.grep("needle", "z"))
	for i := range 300 {
		put(t, a.dir, map[string]string{fmt.Sprintf("d/%03d", i): "needle\n"})
	}
	require.Equal(t, "d/000:1:needle\nd/001:1:needle\nd/002:1:needle\nd/003:1:needle\nd/004:1:needle\n"+
		"[the first 5 matches; there are more: use a narrower pattern or path]", a.grep("needle", ""))
	a.MaxMatches, a.MaxText = 1000, 100
	require.Less(t, len(a.grep("needle", "d")), 200)

	a.MaxText, a.MaxLine = 10_000, 40
	for _, pattern := range []string{"needle", "nee.le"} {
		lines := strings.Split(a.grep(pattern, "long"), "\n")
		require.Len(t, lines, 3)
		require.Regexp(t, `^long:2:…🔬{2}needleé+ \[\d+ more bytes in this line\]$`, lines[0])
		require.Contains(t, lines[0], fmt.Sprintf("[%d more", len(long)-40))
		require.Equal(t, "long:3:y needle", lines[1])
	}
}

// A line of any length is searched in bounded memory, also where a match lies
// between two pieces of it, and is one match.
func TestGrepInAHugeLine(t *testing.T) {
	a := open(t, t.TempDir())
	for _, at := range []int{0, 64<<10 - 3, 4<<20 - 3, 4<<20 - 6, 8<<20 - 4096 - 3, 20 << 20} {
		for _, end := range []string{"", "needle"} {
			put(t, a.dir, map[string]string{
				"f": "first\n" + strings.Repeat("x", at) + "needle" + strings.Repeat("y", 21<<20-at) + end + "\nlast needle",
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := a.grep("needle", "f")
			runtime.ReadMemStats(&after)
			require.Regexp(t, `^f:2:.*needle.*\nf:3:last needle\n$`, got)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		}
	}
}

// The same lines as the grep of the system, for many patterns, in the order of paths.
func TestGrepLikeGrep(t *testing.T) {
	program, err := exec.LookPath("grep")
	if err != nil {
		t.Skip("there is no grep on this system")
	}
	a := open(t, t.TempDir())
	tree(t, a.dir, 300)
	a.MaxMatches, a.MaxText = 1<<20, 1<<30
	list := tool.NewRegistry(a.Tools()...).List() // their cap goes by MaxText
	for _, pattern := range []string{"needle", "return", "f1", "^func", "err$", "f[0-9]+9", "[a-f]1.*[{}]"} {
		command := exec.Command(program, "-rnE", pattern, ".")
		command.Dir = a.dir
		output, err := command.Output()
		require.NoError(t, err, "%s: %s", pattern, output)
		want := strings.Split(strings.TrimSuffix(strings.ReplaceAll("\n"+string(output), "\n./", "\n"), "\n"), "\n")[1:]
		got := strings.Split(strings.TrimSuffix(a.callOn(list, "grep", args{"pattern": pattern}).Text, "\n"), "\n")
		slices.SortStableFunc(want, func(x, y string) int {
			return strings.Compare(x[:strings.Index(x, ":")], y[:strings.Index(y, ":")])
		})
		require.True(t, slices.Equal(want, got), "%s: %d lines, want %d", pattern, len(got), len(want))
	}
}

// A file that can't be read does not end the search, and is counted.
func TestGrepWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("everything can be read by root")
	}
	a := open(t, t.TempDir())
	put(t, a.dir, map[string]string{"a": "x\n", "b": "x\n", "d/c": "x\n"})
	require.NoError(t, os.Chmod(filepath.Join(a.dir, "b"), 0))
	require.NoError(t, os.Chmod(filepath.Join(a.dir, "d"), 0))
	defer func() { require.NoError(t, os.Chmod(filepath.Join(a.dir, "d"), 0o700)) }()
	require.Equal(t, "a:1:x\n[2 files or directories could not be read]", a.grep("x", ""))
}

// A search ends with its call, and leaves no goroutine.
func TestGrepEndsWithItsCall(t *testing.T) {
	a := open(t, t.TempDir())
	tree(t, a.dir, 500)
	found, _ := a.list().Find("grep")
	current := goleak.IgnoreCurrent()
	for i := range 50 {
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		if i == 0 {
			cancel(enough)
		}
		var canceler sync.WaitGroup
		canceler.Go(func() {
			for range 20 * i {
				runtime.Gosched()
			}
			cancel(enough)
		})
		_, err := found.Run(ctx, tool.Call{Arguments: []byte(`{"pattern":"nowhere"}`)})
		canceler.Wait()
		if err != nil || i == 0 {
			require.ErrorIs(t, err, enough)
		}
	}
	goleak.VerifyNone(t, current) // it waits for those that are about to end
}

// The text that a search looks for first is part of every match: all lines that
// the expression alone matches are found, and no others.
func TestGrepIsTheExpression(t *testing.T) {
	a := open(t, t.TempDir())
	list := a.list()
	patterns := []string{
		"ab", "(?i)ab", "(?i)skate", "a+b", "(ab)+c", "a(?i)bk", "(?i)é", "a|b", "ab?", "a{2}b", "a.b", "[a-b]k", "(?i:A)b", `\bab\b`, "(?s).b$", "^b",
	}
	rapid.Check(t, func(r *rapid.T) {
		pattern := rapid.SampledFrom(patterns).Draw(r, "pattern")
		lines := rapid.SliceOfN(rapid.StringMatching(`([abABkcsSté \x{212A}\x{17F}]|skate|SKATE|\x{17F}kate|s\x{212A}ate){0,6}`), 1, 12).Draw(r, "lines")
		require.NoError(r, os.WriteFile(filepath.Join(a.dir, "f"), []byte(strings.Join(lines, "\n")), 0o666))
		want := ""
		for i, line := range lines {
			if (i < len(lines)-1 || line != "") && regexp.MustCompile(pattern).MatchString(line) {
				want += fmt.Sprintf("f:%d:%s\n", i+1, line)
			}
		}
		got := a.callOn(list, "grep", args{"pattern": pattern, "path": "f"}).Text
		if want == "" {
			want = fmt.Sprintf("No line matches %s in 1 files.", strconv.Quote(pattern))
		}
		require.Equal(r, want, got)
	})
}
