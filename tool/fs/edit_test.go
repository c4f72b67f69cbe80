package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// edit edits a file that holds content, and returns what it holds then.
func edit(t *testing.T, content, old, replacement string, all bool) (string, tool.Result) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, map[string]string{"f": content})
	result := open(t, dir).call("edit_file", args{"path": "f", "old_text": old, "new_text": replacement, "replace_all": all})
	return on(t, dir, "f"), result
}

// TOOL-38, B226: what is replaced, and that only touched lines change.
func TestEdit(t *testing.T) {
	for name, c := range map[string]struct {
		content, old, replacement string
		all                       bool
		want                      string
	}{
		"once":                           {"a\nb\nc\n", "b", "B", false, "a\nB\nc\n"},
		"delete":                         {"a\nb\nc\n", "b\n", "", false, "a\nc\n"},
		"over lines":                     {"a\nb\nc\n", "a\nb", "x", false, "x\nc\n"},
		"whole":                          {"abc", "abc", "x", false, "x"},
		"last line without end":          {"a\nb", "b", "B", false, "a\nB"},
		"every":                          {"x x x", "x", "yy", true, "yy yy yy"},
		"every that do not overlap":      {"aaaaa", "aa", "b", true, "bba"},
		"all of one":                     {"abc", "b", "B", true, "aBc"},
		"no pattern":                     {"a.c abc", "a.c", "$1", false, "$1 abc"},
		"characters":                     {"é🔬é", "🔬", "🔭", false, "é🔭é"},
		"B226 LF for CRLF":               {"a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", false, "a\r\nx\r\nb\r\nc\r\n"},
		"B226 CRLF for CRLF":             {"a\r\nb\r\nc\r\n", "a\r\nb", "a\r\nx", false, "a\r\nx\r\nc\r\n"},
		"CRLF for LF":                    {"a\nb\nc\n", "a\r\nb", "a\r\nx\r\ny", false, "a\nx\ny\nc\n"},
		"one line of CRLF to two":        {"a\r\nb\r\n", "b", "b\nc", false, "a\r\nb\r\nc\r\n"},
		"last line of CRLF to two":       {"a\r\nb", "b", "b\nc", false, "a\r\nb\r\nc"},
		"every in CRLF":                  {"x\r\nx\r\n", "x\n", "x\ny\n", true, "x\r\ny\r\nx\r\ny\r\n"},
		"file without line end, LF":      {"ab", "ab", "a\nb", false, "a\nb"},
		"file without line end, CRLF":    {"ab", "ab", "a\r\nb", false, "a\r\nb"},
		"B226 mixed, one line":           {"a\r\nb\nc\r\n", "b", "B", false, "a\r\nB\nc\r\n"},
		"B226 mixed, context kept":       {"a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nb\nx\nc\nd", false, "a\r\nb\nx\r\nc\r\nd\n"},
		"B226 mixed, both ends changed":  {"a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "A\nb\nc\nD\n", false, "A\r\nb\nc\r\nD\n"},
		"B226 mixed, line taken out":     {"a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "A\nc\nD", false, "A\r\nc\r\nD\n"},
		"B226 mixed, put in front":       {"a\r\nb\nc\r\n", "a\nb\n", "x\na\nb\n", false, "x\r\na\r\nb\nc\r\n"},
		"lone CR":                        {"a\rb\r\nc\n", "b\nc", "b\nC", false, "a\rb\r\nC\n"},
		"BOM":                            {"\uFEFFa\r\nb\r\n", "a\n", "x\n", false, "\uFEFFx\r\nb\r\n"},
		"not UTF-8 around it":            {"caf\xe9\nb\n\xff", "b", "B", false, "caf\xe9\nB\n\xff"},
		"NUL around it":                  {"\x00b\x00", "b", "B", false, "\x00B\x00"},
		"new_text holds old_text":        {"a", "a", "aa", true, "aa"},
		"old_text is a blank line":       {"a\n\nb\n", "a\n\n", "a\n", false, "a\nb\n"},
		"every through CRLF and through": {"x\r\nx\nx", "x", "y\nz", true, "y\r\nz\r\ny\nz\ny\nz"},
	} {
		t.Run(name, func(t *testing.T) {
			got, result := edit(t, c.content, c.old, c.replacement, c.all)
			require.Equal(t, tool.OK, result.Outcome, result.Text)
			require.Equal(t, c.want, got)
			require.Equal(t, tool.Changed, result.Changed)
		})
	}
}

// TOOL-38, B226: an edit that is not clear is refused, with count and line
// numbers or the likely reason, and nothing changes.
func TestEditRefused(t *testing.T) {
	for name, c := range map[string]struct {
		content, old, replacement string
		all                       bool
		words                     []string
	}{
		"B226 twice":           {"a\nb\na\n", "a", "x", false, []string{"exactly once", "2 times, at lines 1, 3", "replace_all"}},
		"twice in one line":    {"\naa\n", "a", "x", false, []string{"2 times, at lines 2, 2"}},
		"overlapping":          {"aaa", "aa", "x", false, []string{"2 times"}},
		"LF and CRLF":          {"a\nb\na\r\nb\n", "a\nb", "x", false, []string{"2 times, at lines 1, 3"}},
		"often":                {strings.Repeat("a\n", 100), "a", "x", false, []string{"100 times", "20 … (80 more)"}},
		"B226 empty":           {"a", "", "x", false, []string{"old_text is empty"}},
		"empty, all":           {"a", "", "x", true, []string{"old_text is empty"}},
		"B226 equal":           {"a", "a", "a", false, []string{"the same as old_text"}},
		"equal but line ends":  {"a\nb", "a\r\nb", "a\nb", true, []string{"the same as old_text"}},
		"none":                 {"a\n", "b", "x", false, []string{"does not occur", "Read the file again"}},
		"none, all":            {"a\n", "b", "x", true, []string{"does not occur"}},
		"empty file":           {"", "b", "x", false, []string{"the file is empty"}},
		"indentation":          {"if x {\n\treturn\n}\n", "if x {\n    return\n}", "y", false, []string{"lines 1-3 differ from it only in white space", `"if x {\n\treturn\n}\n"`}},
		"white space at end":   {"a  \nb\n", "a\nb", "y", false, []string{"lines 1-2 differ from it only in white space", `"a  \nb\n"`}},
		"white space within":   {"x\na  =  b\n", "a = b", "y", false, []string{"lines 2-2 differ from it only in white space"}},
		"case":                 {"x\nHello\n", "hello", "y", false, []string{"upper and lower case", "line 2", `"Hello"`}},
		"numbered":             {"one\ntwo\n", "     1\tone\n     2\ttwo", "y", false, []string{"start with numbers"}},
		"numbered by grep":     {"one\n", "12:one", "y", false, []string{"start with numbers"}},
		"escaped":              {"one\ntwo\n", `one\ntwo`, "y", false, []string{"escaped twice"}},
		"quotes escaped":       {"say \"hi\"\n", `say \"hi\"`, "y", false, []string{"escaped twice"}},
		"done before":          {"x\nnew line\n", "old line", "new line", false, []string{"new_text does, at lines 2"}},
		"not UTF-8":            {"caf\xe9\n", "caf\uFFFD", "y", false, []string{"not UTF-8"}},
		"differs further down": {"func f() {\n\ta()\n\tb()\n}\n", "func f() {\n\ta()\n\tc()\n}", "y", false, []string{"first line is at line 1", `has: "\tb()"`, `has: "\tc()"`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, result := edit(t, c.content, c.old, c.replacement, c.all)
			require.Equal(t, tool.Failed, result.Outcome)
			require.Equal(t, c.content, got)
			for _, w := range c.words {
				require.Contains(t, result.Text, w)
			}
			require.Less(t, len(result.Text), 2000)
		})
	}
	a := open(t, t.TempDir())
	a.refused("edit_file", args{"path": "no/such", "old_text": "a", "new_text": "b"}, "no such file")
	a.MaxFile = 3
	put(t, a.dir, map[string]string{"big": "four"})
	a.refused("edit_file", args{"path": "big", "old_text": "f", "new_text": "b"}, fs.ErrTooLarge.Error())
}

// TOOL-38: with LF alone an edit is strings.Replace; with CRLF too it is that on
// the text with LF, and the bytes before and behind what changes stay.
func TestEditIsReplace(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir)
	list := a.list()
	path := filepath.Join(dir, "f")
	ends := map[string]string{"LF": `[ab\n]`, "CRLF": `([ab]|\r\n)`, "mixed": `([ab]|\n|\r\n)`}
	for name, char := range ends {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				text := rapid.StringMatching(char+`{0,30}`).Draw(r, "text")
				old := rapid.StringMatching(char+`{1,3}`).Draw(r, "old")
				replacement := rapid.StringMatching(char+`{0,4}`).Draw(r, "new")
				all := rapid.Bool().Draw(r, "all")
				require.NoError(r, os.WriteFile(path, []byte(text), 0o666))
				result := a.callOn(list, "edit_file", args{"path": "f", "old_text": old, "new_text": replacement, "replace_all": all})

				got, before := on(t, path), text
				text, old, replacement = lf(text), lf(old), lf(replacement)
				first, last := strings.Index(text, old), strings.LastIndex(text, old)
				if first < 0 || old == replacement || first != last && !all {
					require.True(r, result.Failed())
					require.Equal(r, before, got)
					return
				}
				require.False(r, result.Failed(), result.Text)
				require.Equal(r, strings.ReplaceAll(text, old, replacement), lf(got))
				if name == "LF" {
					require.NotContains(r, got, "\r")
				}
				if first == last { // what is around the one place is the same, byte for byte
					head, tail := text[:first], text[first+len(old):]
					require.True(r, strings.HasPrefix(got, raw(before, len(head))))
					require.True(r, strings.HasSuffix(got, before[len(raw(before, len(text)-len(tail))):]))
				}
			})
		})
	}
}

func lf(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// raw returns the start of text that is n bytes long with LF as line ends.
func raw(text string, n int) string {
	i := 0
	for ; n > 0; n-- {
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		i++
	}
	return text[:i]
}
