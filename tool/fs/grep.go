package fs

import (
	"context"
	"errors"
	"strconv"

	"github.com/triad-go/triad/tool"
)

type grepInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty"`
}

func (f *FS) grepTool() tool.Tool {
	t := tool.New("grep", f.words().Grep, f.grep, tool.ReadOnly)
	return f.describe(t, map[string]string{"pattern": f.words().Pattern, "path": f.words().SearchIn})
}

// grep lists the lines that match a regular expression.
func (f *FS) grep(ctx context.Context, in grepInput) (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	wanted, err := parseWanted(in.Pattern)
	if err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	found := &findings{listing: listing{maxLines: f.MaxMatches, maxText: f.MaxText, more: f.words().MoreLines}}
	if err := f.search(ctx, in.Path, wanted, found); err != nil {
		return "", failed("searching", in.Path, err)
	}
	notes := found.notes()
	if found.binary > 0 {
		notes = append(notes, fill(f.words().LeftBinary, "files", found.binary))
	}
	if found.faulty > 0 {
		notes = append(notes, fill(f.words().LeftFaulty, "files", found.faulty))
	}
	text := found.Builder.String()
	if found.lines == 0 {
		text = fill(f.words().NoLine, "pattern", quote(in.Pattern), "files", found.searched)
	}
	return withNotes(text, notes...), nil
}

// findings are what a search came to so far.
type findings struct {
	listing
	searched, binary, faulty int
}

// add takes what a batch came to, and tells whether there is room for more.
func (f *findings) add(b *batch) bool {
	f.searched += b.searched
	f.binary += b.binary
	f.faulty += b.faulty
	for _, m := range b.matches {
		if !f.listing.add(shownName(m.path) + ":" + strconv.Itoa(m.line) + ":" + m.text) {
			return false
		}
	}
	return true
}

// search looks through the file or directory that a path names.
func (f *FS) search(ctx context.Context, name string, wanted *wanted, found *findings) error {
	resolved, err := f.resolve(name)
	if err != nil {
		return err
	}
	info, err := f.root.Lstat(resolved)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return f.searchTree(ctx, resolved, wanted, found)
	case !info.Mode().IsRegular():
		return notFile(info.Mode())
	}
	at, err := f.place(name, false)
	if err != nil {
		return err
	}
	defer at.dir.Close()
	b := &batch{names: []string{at.base}, paths: []string{at.name}}
	f.newSearcher(wanted).batchIn(ctx, at.dir, b)
	if b.err != nil {
		return b.err
	}
	if b.faulty > 0 {
		return errors.New("the file can't be read")
	}
	found.add(b)
	return nil
}
