package fs

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is how many links one path may lead through; more is taken for a loop.
const maxLinks = 40

// slashed returns an absolute path in slashes, with one at its end.
func slashed(abs string) string {
	return strings.TrimSuffix(filepath.ToSlash(abs), "/") + "/"
}

// relative returns a path as the model wrote it in slashes and relative to the
// root. It may still lead out.
func (f *FS) relative(name string) (string, error) {
	slash := filepath.ToSlash(name)
	switch {
	case name == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path holds a NUL byte")
	case filepath.VolumeName(name) == "" && !strings.HasPrefix(slash, "/"):
		return slash, nil
	}
	// As written first: cleaning takes "link/.." for nothing, which it is not.
	for _, abs := range []string{slash, filepath.ToSlash(filepath.Clean(name))} {
		for _, root := range f.names {
			if below, ok := strings.CutPrefix(abs+"/", root); ok {
				return "./" + below, nil
			}
		}
	}
	return "", fmt.Errorf("%w; write paths relative to it", ErrOutside)
}

// resolve returns the one name, relative to the root and free of links, "." and
// "..", of what a path leads to. What does not exist keeps the name by which it
// would be made; for a link to nothing that comes with the error errDangling.
//
// The name is for telling files apart. That nothing outside is touched is left
// to [os.Root], which looks again when the name is used.
func (f *FS) resolve(name string) (string, error) {
	rel, err := f.relative(name)
	if err != nil {
		return "", err
	}
	var done []string
	todo := strings.Split(rel, "/")
	links, fromLink, exist := 0, 0, 0 // fromLink of todo come from a link; the first exist of done exist
	dangling := false
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		inLink := fromLink > 0
		fromLink = max(0, fromLink-1)

		switch part {
		case "", ".":
			continue
		case "..":
			switch {
			case len(done) == 0:
				return "", ErrOutside
			case len(done) > exist:
				return "", iofs.ErrNotExist
			}
			done = done[:len(done)-1]
			exist = len(done)
			continue
		}

		done = append(done, part)
		if len(done) > exist+1 {
			continue // below what does not exist
		}
		at := path.Join(done...)
		info, err := f.root.Lstat(at)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			dangling = dangling || inLink
			continue
		case err != nil:
			return "", err
		case info.Mode()&iofs.ModeSymlink == 0:
			exist = len(done)
			continue
		}

		if links++; links > maxLinks {
			return "", errors.New("too many links on the way: they may go in a circle")
		}
		target, err := f.target(at)
		if err != nil {
			return "", err
		}
		done = done[:len(done)-1]
		todo = append(target, todo...)
		fromLink += len(target)
	}
	if dangling {
		return path.Join(done...), errDangling
	}
	return path.Join(append(done, ".")...), nil
}

var errDangling = fmt.Errorf("a link on the way leads to nothing: %w", iofs.ErrNotExist)

// target returns the parts of the path that a link holds.
func (f *FS) target(link string) ([]string, error) {
	target, err := f.root.Readlink(link)
	if err != nil {
		return nil, err
	}
	slash := filepath.ToSlash(target)
	if filepath.VolumeName(target) != "" || strings.HasPrefix(slash, "/") {
		return nil, fmt.Errorf("%w: an absolute link is on the way", ErrOutside)
	}
	return strings.Split(slash, "/"), nil
}
