package fs

import (
	"context"
	"errors"

	"github.com/triad-go/triad/tool"
)

type globInput struct {
	Pattern string `json:"pattern"`
}

func (f *FS) globTool() tool.Tool {
	t := tool.New("glob", f.words().Glob, f.glob, tool.ReadOnly)
	return f.describe(t, map[string]string{"pattern": f.words().Glance})
}

// glob lists the paths that match a pattern.
func (f *FS) glob(ctx context.Context, in globInput) (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	p, err := f.parseGlob(in.Pattern)
	if err != nil {
		return "", failed("finding", in.Pattern, err)
	}
	l := f.newListing()
	if err := f.find(ctx, p, l); err != nil {
		return "", failed("finding", in.Pattern, err)
	}
	if l.lines == 0 {
		return fill(f.words().NoPath, "pattern", quote(in.Pattern)), nil
	}
	return l.String(), nil
}

// find adds to l what matches p. What vanishes or can't be read matches nothing.
func (f *FS) find(ctx context.Context, p globPattern, l *listing) error {
	dir, err := f.directory(p.base)
	if errors.Is(err, ErrOutside) {
		return err
	}
	if err != nil {
		return nil
	}
	return f.findBelow(ctx, dir, p.base, p, p.start(), l)
}

// findBelow goes through the directory dir, shown as at, of which the parts of p
// named by alive may match the entries.
func (f *FS) findBelow(ctx context.Context, dir, at string, p globPattern, alive []bool, l *listing) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	entries, err := f.entries(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		next, open := p.step(alive, e.Name())
		if !open {
			continue
		}
		if next[len(p.parts)] && !l.add(shownName(below(at, e.sort))) {
			return nil
		}
		if e.IsDir() {
			if err := f.findBelow(ctx, below(dir, e.Name()), below(at, e.Name()), p, next, l); err != nil {
				return err
			}
		}
		if l.cut {
			return nil
		}
	}
	return nil
}
