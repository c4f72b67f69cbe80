package skill

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

func about(name, description string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: " + description + "\n---\nHow to " + name + ".\n"), Mode: 0o644}
}

func names(l *Library) (list []string) {
	for _, s := range l.Skills() {
		list = append(list, s.Name)
	}
	return list
}

func strs(warnings []Warning) (list []string) {
	for _, w := range warnings {
		list = append(list, w.String())
	}
	return list
}

// SKL-01, SKL-E101: a later source overrides, a SKILL.md stops the descent, bad
// files are left out with a warning and harm no other.
func TestLoad(t *testing.T) {
	first := fstest.MapFS{
		"report/SKILL.md":         about("report", "first"),
		"report/below/SKILL.md":   about("below", "not a skill"),
		"deep/er/review/SKILL.md": about("review", "deep"),
		"twice/SKILL.md":          about("review", "again"),
		".git/x/SKILL.md":         about("x", "hidden"),
		"bad/SKILL.md":            {Data: []byte("# no front matter")},
		"big/SKILL.md":            {Data: []byte(md("description: y") + strings.Repeat("a", 2000))},
		"empty/README.md":         {},
	}
	second := fstest.MapFS{"report/SKILL.md": about("report", "second"), "off/SKILL.md": about("off", "hidden")}
	l := &Library{Sources: []Source{{first, "a"}, {second, "b"}, {nil, "c"}}, Disabled: []string{"off"}, MaxBytes: 1000}
	require.Empty(t, l.Skills())
	require.Equal(t, []string{
		"skill: a/bad/SKILL.md: left out: it does not begin with front matter (a line ---)",
		"skill: a/big/SKILL.md: left out: it is larger than 1000 bytes",
		`skill: a/twice/SKILL.md: the folder is named "twice" and the skill "review"`,
		`skill: a/twice/SKILL.md: left out: the same source has a skill "review" already`,
		"skill: c: left out: the source has no file system",
	}, strs(l.Load()))
	require.Equal(t, []string{"report", "review"}, names(l))
	require.Equal(t, Skill{Name: "report", Description: "second", Body: "How to report.", Dir: "b/report"}, l.Skills()[0])
	require.Equal(t, "a/deep/er/review", l.Skills()[1].Dir)
}

// SKL-E101: a SKILL.md at the root is the only skill of its source.
func TestRoot(t *testing.T) {
	l := &Library{Sources: []Source{{FS: fstest.MapFS{"SKILL.md": about("root", "y"), "below/SKILL.md": about("below", "y")}}}}
	require.Empty(t, l.Load())
	require.Equal(t, []string{"root"}, names(l))
	require.Empty(t, l.Skills()[0].Dir)
}

// SKL-E101: link loops end, and what links lead to is read once.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"skills/a/SKILL.md": string(about("a", "y").Data), "elsewhere/b/SKILL.md": string(about("b", "y").Data)} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	link := func(to, name string) { require.NoError(t, os.Symlink(to, filepath.Join(dir, "skills", name))) }
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skills/group"), 0o755))
	link("..", "group/up")
	link("itself", "itself")
	link("../elsewhere/b", "linked")
	link("nowhere", "gone")
	l := &Library{Sources: []Source{Folder(filepath.Join(dir, "skills"))}}
	warnings := strings.Join(strs(l.Load()), "\n")
	require.Equal(t, []string{"a", "b"}, names(l))
	require.Contains(t, warnings, "group/up: left out: a link to a folder that is read already")
	require.Contains(t, warnings, "itself: left out: ")
	require.Contains(t, warnings, "gone: left out: ")
	require.Equal(t, filepath.ToSlash(dir)+"/skills/linked", l.Skills()[1].Dir)

	deep := strings.Repeat("d/", maxDepth)
	l = &Library{Sources: []Source{
		{FS: fstest.MapFS{deep + "x/SKILL.md": about("x", "y"), deep[2:] + "z/SKILL.md": about("z", "y")}},
		Folder(filepath.Join(dir, "none")),
	}}
	warnings = strings.Join(strs(l.Load()), "\n")
	require.Equal(t, []string{"z"}, names(l))
	require.Contains(t, warnings, "more than 8 folders deep")
	require.Contains(t, warnings, "none: left out: ")
}

// A file that can't be read is left out, and says why.
func TestFaults(t *testing.T) {
	l := &Library{Sources: []Source{{FS: faulty{}, Dir: "f"}}}
	require.Equal(t, []string{"skill: f/SKILL.md: left out: permission denied"}, strs(l.Load()))
	l = &Library{Sources: []Source{{FS: fstest.MapFS{"a/SKILL.md": {Mode: fs.ModeNamedPipe}, "b/SKILL.md/c": {}}}}}
	require.Equal(t, []string{"skill: a/SKILL.md: left out: it is not a file"}, strs(l.Load()))
}

type faulty struct{}

func (faulty) Open(name string) (fs.File, error) {
	if name == "." {
		return fstest.MapFS{}.Open(name)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// SKL-05: a new skill is a new file; loading again finds it, and what is gone is gone.
func TestReload(t *testing.T) {
	files := fstest.MapFS{"a/SKILL.md": about("a", "y")}
	l := &Library{Sources: []Source{{FS: files}}}
	require.Empty(t, l.Load())
	files["b/SKILL.md"] = about("b", "y")
	require.Equal(t, []string{"a"}, names(l))
	delete(files, "a/SKILL.md")
	require.Empty(t, l.Load())
	require.Equal(t, []string{"b"}, names(l))
}

// SKL-04, SKL-07: the catalogue names what is enabled, with the conditions of use.
func TestCatalog(t *testing.T) {
	l := &Library{Disabled: []string{"off"}, Sources: []Source{{FS: fstest.MapFS{
		"a/SKILL.md":      {Data: []byte("---\nname: a\ndescription: Does {when}.\nwhen_to_use: it rains\ncompatibility: a roof\n---\nx")},
		"long/SKILL.md":   about("long", strings.Repeat("é", 2000)),
		"off/SKILL.md":    about("off", "y"),
		"hidden/SKILL.md": {Data: []byte("---\nname: hidden\ndescription: y\ndisable-model-invocation: true\n---\nx")},
	}}}}
	require.Empty(t, l.Catalog())
	l.Load()
	require.Equal(t, "- a: Does {when}. Use it when: it rains Needs: a roof\n- long: "+strings.Repeat("é", 1023)+"…", l.Catalog())
}

// A bound that makes no sense is warned of, and the largest one is none.
func TestMaxBytes(t *testing.T) {
	source := Source{FS: fstest.MapFS{"report/SKILL.md": about("report", "x")}}
	l := &Library{Sources: []Source{source}, MaxBytes: -5}
	require.Equal(t, []string{"skill: MaxBytes: -5 is negative; 131072 is taken"}, strs(l.Load()))
	require.Equal(t, []string{"report"}, names(l))
	l = &Library{Sources: []Source{source}, MaxBytes: math.MaxInt}
	require.Empty(t, l.Load())
	require.Equal(t, []string{"report"}, names(l))
	require.NoError(t, tool.NewRegistry(l.Tool()).Err())
}
