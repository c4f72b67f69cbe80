package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Source is a place where skills are.
type Source struct {
	// FS holds them, each in a directory of its own, at any depth up to 8. A
	// directory with a SKILL.md is one skill: what is below it belongs to it.
	// Directories whose names begin with a dot are passed over.
	FS fs.FS

	// Dir is the name of FS's root, under which the model finds a skill's files
	// with its other tools. Empty tells the model no directory.
	Dir string
}

// Folder is the source in a folder of this machine. One that is not there
// gives a warning when it is read.
func Folder(dir string) Source {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return Source{FS: os.DirFS(dir), Dir: filepath.ToSlash(dir)}
}

const (
	file     = "SKILL.md"
	maxDepth = 8
	maxDirs  = 5000 // in one source, so that a wrong folder does not take forever
)

// A scan reads one source.
type scan struct {
	Source
	maxBytes int
	seen     []fs.FileInfo // directories, so that links to them end
	found    []Skill
	warnings []Warning
}

func (s *scan) warn(name string, leftOut bool, why string) {
	s.warnings = append(s.warnings, Warning{Path: s.name(name), Why: why, LeftOut: leftOut})
}

// name is what a path in the source is called outside.
func (s *scan) name(p string) string { return path.Join(s.Dir, p) }

// dir looks at a directory and what is below it.
func (s *scan) dir(name string, depth int) {
	info, err := fs.Stat(s.FS, name)
	switch {
	case err != nil:
		s.warn(name, true, why(err))
		return
	case slices.ContainsFunc(s.seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
		s.warn(name, true, "a link to a folder that is read already")
		return
	case depth > maxDepth:
		s.warn(name, true, fmt.Sprintf("more than %d folders deep", maxDepth))
		return
	case len(s.seen) == maxDirs:
		s.warn(name, true, fmt.Sprintf("more than %d folders; no more are read", maxDirs))
	}
	s.seen = append(s.seen, info)
	if len(s.seen) > maxDirs {
		return
	}
	if info, err := fs.Stat(s.FS, path.Join(name, file)); err == nil && !info.IsDir() {
		s.skill(name, info)
		return
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.warn(path.Join(name, file), true, why(err))
		return
	}
	entries, err := fs.ReadDir(s.FS, name)
	if err != nil {
		s.warn(name, true, why(err))
	}
	for _, e := range entries {
		below := path.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !s.isDir(below, e) {
			continue
		}
		s.dir(below, depth+1)
	}
}

// isDir tells whether an entry is a directory, or a link to one.
func (s *scan) isDir(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := fs.Stat(s.FS, name)
	if err != nil {
		s.warn(name, true, why(err))
		return false
	}
	return info.IsDir()
}

// skill reads the skill in a directory.
func (s *scan) skill(dir string, info fs.FileInfo) {
	name := path.Join(dir, file)
	text, err := s.read(name, info)
	if err != nil {
		s.warn(name, true, err.Error())
		return
	}
	folder := path.Base(s.name(dir))
	if folder == "." {
		folder = "" // a root without a name
	}
	found, odd, err := parse(text, folder)
	if err != nil {
		s.warn(name, true, err.Error())
		return
	}
	for _, o := range odd {
		s.warn(name, false, o)
	}
	if slices.ContainsFunc(s.found, func(other Skill) bool { return other.Name == found.Name }) {
		s.warn(name, true, fmt.Sprintf("the same source has a skill %q already", found.Name))
		return
	}
	if s.Dir != "" {
		found.Dir = s.name(dir)
	}
	s.found = append(s.found, found)
}

func (s *scan) read(name string, info fs.FileInfo) (string, error) {
	tooBig := fmt.Errorf("it is larger than %d bytes", s.maxBytes)
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a file")
	}
	if info.Size() > int64(s.maxBytes) {
		return "", tooBig
	}
	f, err := s.FS.Open(name)
	if err != nil {
		return "", errors.New(why(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(min(s.maxBytes, math.MaxInt-1))+1)) // it may have grown
	switch {
	case err != nil:
		return "", errors.New(why(err))
	case len(data) > s.maxBytes:
		return "", tooBig
	}
	return string(data), nil
}

// why is an error without the path, which the warning names.
func why(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
