package fs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/triad-go/triad/tool"
)

type editInput struct {
	Path       string `json:"path"`
	OldText    string `json:"old_text"`
	NewText    string `json:"new_text"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
}

func (f *FS) editFileTool() tool.Tool {
	t := tool.New("edit_file", f.words().EditFile, f.editFile)
	t.Keys = tool.KeysOf(func(in editInput) tool.Keys { return f.keys(in.Path, true) })
	return f.describe(t, map[string]string{
		"path":        f.words().Path,
		"old_text":    f.words().OldText,
		"new_text":    f.words().NewText,
		"replace_all": f.words().ReplaceAll,
	})
}

// editFile replaces text in a file.
func (f *FS) editFile(ctx context.Context, in editInput) (tool.Result, error) {
	if err := f.check(); err != nil {
		return tool.Result{}, err
	}
	lines, err := f.edit(ctx, in)
	if err != nil {
		return tool.Result{}, failed("editing", in.Path, err)
	}
	text := fill(f.words().Edited, "path", in.Path, "line", lines[0])
	if len(lines) > 1 {
		text = fill(f.words().EditedAll, "path", in.Path, "count", len(lines), "lines", numbers(lines))
	}
	return tool.Result{Text: text, Changed: tool.Changed}, nil
}

// edit reads, changes and writes a file while nobody else of the process does.
// It returns the lines at which text was replaced.
func (f *FS) edit(ctx context.Context, in editInput) ([]int, error) {
	switch {
	case in.OldText == "":
		return nil, errors.New("old_text is empty. Give the text to replace; to write a whole file, use write_file")
	case unify(in.OldText).text == unify(in.NewText).text:
		return nil, errors.New("new_text is the same as old_text: there is nothing to change")
	}
	at, err := f.place(in.Path, false)
	if err != nil {
		return nil, err
	}
	defer at.dir.Close()
	unlock, err := at.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()

	file, info, err := at.open(os.O_RDWR)
	if err != nil {
		return nil, err
	}
	content, err := whole(ctx, file, f.MaxFile)
	file.Close()
	if err != nil {
		return nil, err
	}
	edited, lines, err := f.replaceText(string(content), in)
	if err != nil {
		return nil, err
	}
	now, err := at.replace(ctx, []byte(edited), info)
	if err != nil {
		return nil, err
	}
	// Who knew the file knows it still; who did not know what else is in it does not.
	if known, ok := f.known(at.name); ok && known.same(versionOf(info, content)) {
		f.remember(at.name, now)
	}
	return lines, nil
}

// replaceText replaces what the call asks for, or says why it can't.
func (f *FS) replaceText(text string, in editInput) (string, []int, error) {
	u, old := unify(text), unify(in.OldText).text
	places := occurrences(u.text, old)
	lines := linesOf(u.text, places)
	switch {
	case len(places) == 0:
		return "", nil, fmt.Errorf("%w: %s", ErrNoMatch, f.words().whyNone(u.text, old, unify(in.NewText).text))
	case len(places) > 1 && !in.ReplaceAll:
		why := fill(f.words().Occurs, "count", len(places), "lines", numbers(lines))
		return "", nil, fmt.Errorf("%w: %s", ErrAmbiguous, why)
	}
	places = apart(places, len(old))
	return u.replace(places, old, in.NewText), linesOf(u.text, places), nil
}

// numbers lists line numbers, as many as are of use.
func numbers(lines []int) string {
	const most = 20
	var b strings.Builder
	for i, n := range lines {
		if i == most {
			fmt.Fprintf(&b, " … (%d more)", len(lines)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}
