package fs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/triad-go/triad/tool"
)

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" jsonschema:"minimum=0"`
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1"`
}

func (f *FS) readFileTool() tool.Tool {
	t := tool.New("read_file", fill(f.words().ReadFile, "lines", f.MaxLines), f.readFile, tool.ReadOnly)
	t.Keys = tool.KeysOf(func(in readInput) tool.Keys { return f.keys(in.Path, false) })
	return f.describe(t, map[string]string{
		"path":   f.words().Path,
		"offset": f.words().Offset,
		"limit":  fill(f.words().Limit, "lines", f.MaxLines),
	})
}

// readFile shows a page of a file and remembers which version was read.
func (f *FS) readFile(ctx context.Context, in readInput) (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	text, err := f.readPage(ctx, in)
	if err != nil {
		return "", failed("reading", in.Path, err)
	}
	return text, nil
}

func (f *FS) readPage(ctx context.Context, in readInput) (string, error) {
	if in.Offset < 0 || in.Limit < 0 {
		return "", errors.New("offset and limit must not be negative")
	}
	at, err := f.place(in.Path, false)
	if err != nil {
		return "", err
	}
	defer at.dir.Close()
	file, info, err := at.open(os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()

	// Of a file that is not large, what is shown and what is remembered is one reading.
	version, content, err := readVersion(ctx, file, info)
	if err != nil {
		return "", err
	}
	var r io.Reader = bytes.NewReader(content)
	if !version.hashed {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		r = file
	}
	text, err := f.page(ctx, r, info.Size(), version.hashed, in)
	if err == nil {
		f.remember(at.name, version)
	}
	return text, err
}

// page tells the page that in asks for. Count says that the text is not large.
func (f *FS) page(ctx context.Context, r io.Reader, size int64, count bool, in readInput) (string, error) {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if head = head[:n]; binary(head) {
		return fill(f.words().Binary, "type", kindOf(head), "bytes", size), nil
	}
	limit := in.Limit
	if limit == 0 {
		limit = f.MaxLines
	}
	p, err := pager{
		first: max(1, in.Offset), lines: limit,
		maxText: f.MaxText, maxLine: min(f.MaxLine, f.MaxText),
		left: f.words().LineLeft, count: count,
	}.read(ctx, io.MultiReader(bytes.NewReader(head), r))
	switch {
	case err != nil:
		return "", err
	case p.total == 0:
		return f.words().Empty, nil
	case p.last < p.first:
		return "", fmt.Errorf("offset %d is past the end: the file has %d lines", p.first, p.total)
	}
	return withNotes(p.text, f.pageNotes(p, size)...), nil
}

// pageNotes says what the text of a page does not.
func (f *FS) pageNotes(p page, size int64) []string {
	var notes []string
	switch {
	case p.more && p.total >= 0:
		notes = append(notes, fill(f.words().More, "first", p.first, "last", p.last, "total", p.total, "next", p.last+1))
	case p.more:
		notes = append(notes, fill(f.words().MoreOfLarge, "first", p.first, "last", p.last, "bytes", size, "next", p.last+1))
	case p.first > 1:
		notes = append(notes, fill(f.words().LastPage, "first", p.first, "last", p.last))
	}
	switch {
	case p.crlf && p.lf:
		notes = append(notes, f.words().MixedEnds)
	case p.crlf:
		notes = append(notes, f.words().CRLF)
	}
	if p.bom {
		notes = append(notes, f.words().BOM)
	}
	if p.bad > 0 {
		notes = append(notes, fill(f.words().NotUTF8, "bytes", p.bad))
	}
	return notes
}

// withNotes adds notes to a text, on a line of their own.
func withNotes(text string, notes ...string) string {
	if len(notes) == 0 {
		return text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "[" + strings.Join(notes, "; ") + "]"
}
