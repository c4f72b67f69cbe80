package fs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGlob(t *testing.T) {
	a := open(t, t.TempDir())
	put(t, a.dir, map[string]string{
		"main.go": "", "go.mod": "", "a.b/x.go": "", "a/x.go": "", "a/y_test.go": "", "a/b/x.go": "", "a/b/c/x.go": "", "a/b/c/z.ts": "",
		".git/x.go": "", "a/.git/x.go": "", ".github/ci.yml": "", "a/{id}.tsx": "", "w[1].txt": "", "link.go": "-> main.go",
		"dirlink": "-> a", "loop": "-> .",
	})
	for pattern, want := range map[string]string{
		"*.go":              "link.go main.go",
		"main.go":           "main.go",
		"./main.go":         "main.go",
		"a":                 "a/",
		"a/":                "a/",
		"a/*":               "a/b/ a/x.go a/y_test.go a/{id}.tsx",
		"**/*.go":           "a.b/x.go a/b/c/x.go a/b/x.go a/x.go a/y_test.go link.go main.go",
		"a/**/x.go":         "a/b/c/x.go a/b/x.go a/x.go",
		"**/b/**/x.go":      "a/b/c/x.go a/b/x.go",
		"**/**/x.go":        "a.b/x.go a/b/c/x.go a/b/x.go a/x.go",
		"a/**":              "a/b/ a/b/c/ a/b/c/x.go a/b/c/z.ts a/b/x.go a/x.go a/y_test.go a/{id}.tsx",
		"**/c":              "a/b/c/",
		"*/*/x.go":          "a/b/x.go",
		"?/[a-c]/*":         "a/b/c/ a/b/x.go",
		"**/*.{ts,tsx}":     "a/b/c/z.ts a/{id}.tsx",
		"{a,a.b}/x.{go,ts}": "a.b/x.go a/x.go",
		"{a,{go.mod,none}}": "a/ go.mod",
		`a/\{id\}.tsx`:      "a/{id}.tsx",
		`w\[1\].txt`:        "w[1].txt",
		".git/*":            ".git/x.go",
		"**/.git/*":         ".git/x.go a/.git/x.go",
		".*/*":              ".github/ci.yml",
		"dirlink/*.go":      "dirlink/x.go dirlink/y_test.go",
		"a/../*.mod":        "a/../go.mod",
		a.dir + "/*.mod":    "go.mod",
		"loop":              "loop",
		"nowhere/*":         "",
		"*.rs":              "",
		"main.go/*":         "",
		".":                 "",
	} {
		t.Run(pattern, func(t *testing.T) {
			got := a.ok("glob", args{"pattern": pattern})
			if want == "" {
				require.Contains(t, got, "No path matches")
				return
			}
			lines := strings.Fields(got)
			require.Equal(t, want, strings.Join(lines, " "))
			require.True(t, slices.IsSorted(lines))
		})
	}
	a.refused("glob", args{"pattern": "a/[x"}, "syntax error in pattern", "put \\ before")
	a.refused("glob", args{"pattern": "*/../x"}, "can't stand behind a pattern")
	a.refused("glob", args{"pattern": strings.Repeat("{a,b}", 10)}, "more than 100 alternatives")
}

// Lists are bounded in names and bytes, and say that there is more.
func TestListsAreBounded(t *testing.T) {
	a := open(t, t.TempDir())
	require.Equal(t, "(the directory is empty)", a.ok("list_dir", args{}))
	for i := range 30 {
		put(t, a.dir, map[string]string{fmt.Sprintf("f%02d", i): ""})
	}
	a.MaxEntries = 30
	require.NotContains(t, a.ok("list_dir", args{}), "more")
	a.MaxEntries = 2
	require.Equal(t, "f00 (0 bytes)\nf01 (0 bytes)\n[the first 2; there are more: use a narrower pattern or a directory below]", a.ok("list_dir", args{}))
	require.Equal(t, "f00\nf01\n[the first 2; there are more: use a narrower pattern or a directory below]", a.ok("glob", args{"pattern": "**"}))
	a.MaxEntries, a.MaxText = 30, 10
	require.Equal(t, "f00\nf01\n[the first 2; there are more: use a narrower pattern or a directory below]", a.ok("glob", args{"pattern": "*"}))
	a.refused("list_dir", args{"path": "f00"}, "not a directory")
	a.refused("list_dir", args{"path": "none"}, "no such file")
}

// A name can't pass for two lines of a result, or for what is no text.
func TestOddNames(t *testing.T) {
	a := open(t, t.TempDir())
	put(t, a.dir, map[string]string{"a\nb": "x\n", "caf\xe9": "x\n", "é": "x\n"})
	require.Equal(t, "\"a\\nb\"\n\"caf\\xe9\"\né\n", a.ok("glob", args{"pattern": "*"}))
	require.Equal(t, "\"a\\nb\" (2 bytes)\n\"caf\\xe9\" (2 bytes)\né (2 bytes)\n", a.ok("list_dir", args{}))
	require.Equal(t, "\"a\\nb\":1:x\n\"caf\\xe9\":1:x\né:1:x\n", a.grep("x"))
}
