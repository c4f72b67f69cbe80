package fs

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A globPattern is a path whose parts are patterns.
type globPattern struct {
	base  string     // the parts before the first that is more than a name
	parts [][]string // alternatives for each name; nil for **
}

// parseGlob reads a pattern, relative to the root or absolute and inside it.
func (f *FS) parseGlob(pattern string) (globPattern, error) {
	rel, err := f.relative(pattern)
	if err != nil {
		return globPattern{}, err
	}
	var p globPattern
	var base []string
	for _, part := range strings.Split(rel, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && len(p.parts) > 0:
			return p, errors.New(`".." can't stand behind a pattern`)
		case part == "**":
			if n := len(p.parts); n == 0 || p.parts[n-1] != nil {
				p.parts = append(p.parts, nil)
			}
		case len(p.parts) == 0 && !strings.ContainsAny(part, `*?[{\`):
			base = append(base, part)
		default:
			names, err := alternatives(part)
			if err != nil {
				return p, err
			}
			p.parts = append(p.parts, names)
		}
	}
	if n := len(base); len(p.parts) == 0 && n > 0 && base[n-1] != ".." {
		p.parts = [][]string{{base[n-1]}}
		base = base[:n-1]
	}
	// Not cleaned: resolve knows what a link followed by ".." is.
	p.base = strings.Join(base, "/")
	if p.base == "" {
		p.base = "."
	}
	return p, nil
}

// alternatives writes out the braces of a part, and checks the patterns.
func alternatives(part string) ([]string, error) {
	const most = 100
	names := []string{part}
	for i := 0; i < len(names); {
		open, end := braces(names[i])
		if end < 0 {
			if _, err := path.Match(names[i], ""); err != nil {
				return nil, fmt.Errorf("%q is no pattern: %w; put \\ before [ ] * ? { } that are part of a name", part, err)
			}
			i++
			continue
		}
		before, after := names[i][:open], names[i][end+1:]
		var written []string
		for inner := range strings.SplitSeq(names[i][open+1:end], ",") {
			written = append(written, before+inner+after)
		}
		if names = slices.Replace(names, i, i+1, written...); len(names) > most {
			return nil, fmt.Errorf("%q has more than %d alternatives", part, most)
		}
	}
	return names, nil
}

// braces finds the first innermost pair of braces; end is -1 if there is none.
func braces(part string) (open, end int) {
	open = -1
	for i := 0; i < len(part); i++ {
		switch part[i] {
		case '\\':
			i++
		case '{':
			open = i
		case '}':
			if open >= 0 {
				return open, i
			}
		}
	}
	return open, -1
}

// start returns which parts may match the first name. The last place, behind
// all parts, stands for a whole match.
func (p globPattern) start() []bool {
	alive := make([]bool, len(p.parts)+1)
	alive[0] = true
	p.pass(alive)
	return alive
}

// pass lets every ** match no name at all.
func (p globPattern) pass(alive []bool) {
	for i, names := range p.parts {
		if alive[i] && names == nil {
			alive[i+1] = true
		}
	}
}

// step returns which parts may match the next name after this one, and whether
// any does.
func (p globPattern) step(alive []bool, name string) (next []bool, any bool) {
	next = make([]bool, len(alive))
	for i, names := range p.parts {
		switch {
		case !alive[i]:
		case names == nil:
			next[i] = next[i] || name != gitDir
		case slices.ContainsFunc(names, func(n string) bool { ok, _ := path.Match(n, name); return ok }):
			next[i+1] = next[i+1] || name != gitDir || slices.Contains(names, gitDir)
		}
	}
	p.pass(next)
	return next, slices.Contains(next, true)
}
