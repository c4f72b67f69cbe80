package fs

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"

	"github.com/triad-go/triad/tool"
)

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (f *FS) writeFileTool() tool.Tool {
	t := tool.New("write_file", f.words().WriteFile, f.writeFile)
	t.Keys = tool.KeysOf(func(in writeInput) tool.Keys { return f.keys(in.Path, true) })
	return f.describe(t, map[string]string{"path": f.words().Path, "content": f.words().Content})
}

// writeFile writes a whole file, if it is what the agent knows.
func (f *FS) writeFile(ctx context.Context, in writeInput) (tool.Result, error) {
	if err := f.check(); err != nil {
		return tool.Result{}, err
	}
	result, err := f.writeWhole(ctx, in)
	if err != nil {
		return tool.Result{}, failed("writing", in.Path, err)
	}
	return result, nil
}

func (f *FS) writeWhole(ctx context.Context, in writeInput) (tool.Result, error) {
	at, err := f.place(in.Path, true)
	if err != nil {
		return tool.Result{}, err
	}
	defer at.dir.Close()
	unlock, err := at.lock(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	defer unlock()

	words := []any{"path", in.Path, "bytes", len(in.Content)}
	content := []byte(in.Content)
	is, old, info, err := at.read(ctx)
	created := errors.Is(err, iofs.ErrNotExist)
	if err != nil && !created {
		return tool.Result{}, err
	}
	if known, ok := f.known(at.name); ok && !created && !known.same(is) {
		return tool.Result{}, fmt.Errorf("%w. Nothing was written. Read it again, then write what takes account of the change", ErrStale)
	}
	if !created && is.hashed && bytes.Equal(old, content) {
		f.remember(at.name, is)
		return tool.Result{Text: fill(f.words().Unchanged, words...), Changed: tool.Unchanged}, nil
	}
	now, err := at.replace(ctx, content, info)
	if err != nil {
		return tool.Result{}, err
	}
	f.remember(at.name, now)
	text := f.words().Written
	if created {
		text = f.words().Created
	}
	return tool.Result{Text: fill(text, words...), Changed: tool.Changed}, nil
}

// read returns the version of the file at the place, and its content if it is
// not large. It opens it for writing too, since putting another in its place
// would get around its being protected.
func (p *place) read(ctx context.Context) (version, []byte, os.FileInfo, error) {
	file, info, err := p.open(os.O_RDWR)
	if err != nil {
		return version{}, nil, nil, err
	}
	defer file.Close()
	v, content, err := readVersion(ctx, file, info)
	return v, content, info, err
}

// replace puts a file with this content in the place of the one that info
// describes, or of none, in one step: a reader, and a crash, see the old or the
// new one. It is synced first, since some systems else keep the new name and
// lose the content.
func (p *place) replace(ctx context.Context, content []byte, old os.FileInfo) (v version, err error) {
	if err := context.Cause(ctx); err != nil {
		return version{}, err
	}
	perm := os.FileMode(0o666)
	if old != nil {
		perm = 0o600 // until it has the mode of the old one
	}
	// A short name of its own: the base may be as long as a name can be.
	temp := ".triad-" + rand.Text() + ".tmp"
	file, err := p.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return version{}, err
	}
	defer func() {
		if err != nil {
			p.dir.Remove(temp)
		}
	}()
	info, err := fillFile(file, content, old)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = p.dir.Rename(temp, p.base)
	}
	if err != nil {
		return version{}, err
	}
	return versionOf(info, content), nil
}

// fillFile writes content to a new file, gives it the mode of the old one and syncs it.
func fillFile(file *os.File, content []byte, old os.FileInfo) (os.FileInfo, error) {
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	if old != nil {
		const kept = os.ModePerm | os.ModeSetuid | os.ModeSetgid | os.ModeSticky
		if err := file.Chmod(old.Mode() & kept); err != nil {
			return nil, err
		}
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	return file.Stat()
}
