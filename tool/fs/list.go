package fs

import (
	"context"
	iofs "io/fs"
	"strings"

	"github.com/triad-go/triad/tool"
)

type listInput struct {
	Path string `json:"path,omitempty"`
}

func (f *FS) listDirTool() tool.Tool {
	t := tool.New("list_dir", f.words().ListDir, f.listDir, tool.ReadOnly)
	return f.describe(t, map[string]string{"path": f.words().Dir})
}

// listDir lists one directory.
func (f *FS) listDir(ctx context.Context, in listInput) (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	dir, err := f.directory(in.Path)
	if err != nil {
		return "", failed("listing", in.Path, err)
	}
	entries, err := f.entries(dir)
	if err != nil {
		return "", failed("listing", in.Path, err)
	}
	if len(entries) == 0 {
		return f.words().EmptyDir, nil
	}
	l, words := f.newListing(), f.words()
	for _, e := range entries {
		if err := context.Cause(ctx); err != nil {
			return "", failed("listing", in.Path, err)
		}
		if !l.add(f.entryLine(words, dir, e)) {
			break
		}
	}
	return l.String(), nil
}

// entryLine tells what an entry of dir is.
func (f *FS) entryLine(words *Texts, dir string, e entry) string {
	text := shownName(e.sort)
	note := ""
	switch {
	case e.IsDir():
		return text
	case e.Type()&iofs.ModeSymlink != 0:
		target, err := f.root.Readlink(below(dir, e.Name()))
		if err != nil {
			return text // gone
		}
		note = fill(words.Link, "target", shownName(target))
	case !e.Type().IsRegular():
		note = words.Special
	default:
		info, err := f.root.Lstat(below(dir, e.Name()))
		if err != nil {
			return text // gone
		}
		note = fill(words.Bytes, "bytes", info.Size())
	}
	return text + " (" + note + ")"
}

// A listing is a bounded list of lines.
type listing struct {
	strings.Builder
	lines, maxLines, maxText int
	more                     string // says that there is more; {shown}
	cut                      bool
}

func (f *FS) newListing() *listing {
	return &listing{maxLines: f.MaxEntries, maxText: f.MaxText, more: f.words().MoreEntries}
}

// add adds a line, and tells whether there was room. The first always has.
func (l *listing) add(line string) bool {
	if l.lines == l.maxLines || l.lines > 0 && l.Len()+len(line) > l.maxText {
		l.cut = true
		return false
	}
	l.WriteString(line)
	l.WriteByte('\n')
	l.lines++
	return true
}

// notes says whether something is missing.
func (l *listing) notes() []string {
	if l.cut {
		return []string{fill(l.more, "shown", l.lines)}
	}
	return nil
}

// String returns the lines, and a note if there are more.
func (l *listing) String() string { return withNotes(l.Builder.String(), l.notes()...) }
