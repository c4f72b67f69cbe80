package fs

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"slices"
)

// gitDir is passed over by glob and grep, unless it is asked for by name.
const gitDir = ".git"

// An entry is what a directory holds under one name.
type entry struct {
	iofs.DirEntry
	sort string // the name, of a directory with a slash: so a tree walked in order has its paths in order
}

// entries reads a directory by its resolved name, sorted.
func (f *FS) entries(name string) ([]entry, error) {
	dir, err := f.root.Open(name + "/.") // as in openDir
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(found))
	for i, d := range found {
		entries[i] = entry{d, d.Name()}
		if d.IsDir() {
			entries[i].sort += "/"
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.sort, b.sort) })
	return entries, nil
}

// directory returns the resolved name of the directory that a path names.
func (f *FS) directory(name string) (string, error) {
	resolved, err := f.resolve(name)
	if err != nil {
		return "", err
	}
	info, err := f.root.Lstat(resolved)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", errors.New("not a directory")
	}
	return resolved, nil
}

// below joins a name to that of its directory.
func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}
