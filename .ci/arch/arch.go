// Package arch holds the rules that the source of this project is kept to, as
// checks that run with the tests: go test ./.ci/arch/ from the top.
//
// Each check looks at a tree of files and returns what it finds wrong, so that
// it can be shown a bad tree as well.
package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is the files of the project, by slash-separated path from the top.
type Tree struct {
	Root  string
	Files map[string][]byte
	Go    []*File // those that end in .go, sorted
}

// A File is a parsed Go file.
type File struct {
	*ast.File
	Path string // from the top
	Fset *token.FileSet
}

// Dir returns the folder of the file, "." for the top.
func (f *File) Dir() string { return filepath.ToSlash(filepath.Dir(f.Path)) }

// Test tells whether it is a test file.
func (f *File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Library tells whether it is code that hosts import.
func (f *File) Library() bool {
	return !f.Test() && !strings.HasPrefix(f.Path, "examples/") && !strings.HasPrefix(f.Path, ".")
}

// at returns the place of n as path:line.
func (f *File) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.Path, f.Fset.Position(n.Pos()).Line)
}

// imports returns the paths that the file imports.
func (f *File) imports() (paths []string) {
	for _, spec := range f.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, "\"`"))
	}
	return paths
}

// Load reads the tree below root. What git ignores is left out by name: the
// caches and what tests leave behind.
func Load(root string) (*Tree, error) {
	t := &Tree{Root: root, Files: make(map[string][]byte)}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch ext := filepath.Ext(rel); {
		case d.IsDir() && (rel == ".git" || rel == ".cache" || strings.HasSuffix(rel, "testdata/rapid")):
			return fs.SkipDir
		case d.IsDir() || ext == ".test" || ext == ".out" || rel == ".git":
			return nil
		}
		t.Files[rel], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, path := range t.paths() {
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata/") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, t.Files[path], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		t.Go = append(t.Go, &File{f, path, fset})
	}
	return t, nil
}

// paths returns the paths of all files, sorted.
func (t *Tree) paths() (paths []string) {
	for path := range t.Files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// packages returns the Go files by folder, those of library code alone.
func (t *Tree) packages() map[string][]*File {
	packages := make(map[string][]*File)
	for _, f := range t.Go {
		if f.Library() {
			packages[f.Dir()] = append(packages[f.Dir()], f)
		}
	}
	return packages
}
