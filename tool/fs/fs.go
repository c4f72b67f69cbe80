// Package fs gives an agent files: tools to read, list, find, search, write and
// edit what is below one directory, and nothing else.
//
// Every path is resolved and confined to that directory by [os.Root], at the
// moment of use. A path is relative to the root, or absolute and inside it.
// Relative links that stay inside work and lead to what they name; absolute
// links, and links that lead out, are refused.
//
// A file is written by putting a new one in its place, so that nobody ever sees
// half of it: its mode is kept; its owner, access lists and other hard links are not.
package fs

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/triad-go/triad/tool"
)

// Defaults of the limits of an [FS].
const (
	DefaultMaxLines   = 2000
	DefaultMaxText    = 32 << 10
	DefaultMaxLine    = 2000
	DefaultMaxMatches = 200
	DefaultMaxEntries = 1000
	DefaultMaxFile    = 16 << 20
)

// An FS is a directory that an agent may work in. [Open] sets its fields to
// their defaults; change them before the first use. A limit below 1 makes every
// call fail with an error that names it.
//
// An FS remembers which version of each file was read through it, and refuses
// to overwrite a newer one whole; see [ErrStale]. Agents that are to notice each
// other's writes need an FS each. What it remembers ends with the process.
//
// It may be used by many goroutines at once.
type FS struct {
	MaxLines   int   // lines of a page of read_file, where the call asks for no number
	MaxText    int   // bytes of file text, names or matches in one result
	MaxLine    int   // bytes that are shown of one line
	MaxMatches int   // lines in a result of grep
	MaxEntries int   // names in a result of list_dir or glob
	MaxFile    int64 // bytes of a file that edit_file takes

	// Texts is what the model reads, apart from errors. An empty one stands for
	// the English text.
	Texts Texts

	root  *os.Root
	names []string // absolute names of the root, each ending in a slash: as given, and without links

	mu   sync.Mutex
	seen map[string]version // by name; see resolve
}

// Open opens the directory dir, which may be named by a link. Close the FS when
// no run uses its tools any more.
func Open(dir string) (*FS, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("fs: opening %s: %w", quote(dir), err)
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, failed("opening", dir, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, failed("opening", dir, err)
	}
	return &FS{
		MaxLines:   DefaultMaxLines,
		MaxText:    DefaultMaxText,
		MaxLine:    DefaultMaxLine,
		MaxMatches: DefaultMaxMatches,
		MaxEntries: DefaultMaxEntries,
		MaxFile:    DefaultMaxFile,
		Texts:      DefaultTexts(),
		root:       root,
		names:      []string{slashed(real), slashed(given)},
		seen:       map[string]version{},
	}, nil
}

// Close closes the directory. Calls of the tools fail from then on.
func (f *FS) Close() error { return f.root.Close() }

// Tools returns read_file, list_dir, glob, grep, write_file and edit_file.
func (f *FS) Tools() []tool.Tool {
	return append(f.ReadTools(), f.writeFileTool(), f.editFileTool())
}

// ReadTools returns those that change nothing: read_file, list_dir, glob and grep.
func (f *FS) ReadTools() []tool.Tool {
	return []tool.Tool{f.readFileTool(), f.listDirTool(), f.globTool(), f.grepTool()}
}

// check reports a limit that allows nothing.
func (f *FS) check() error {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"MaxLines", int64(f.MaxLines)},
		{"MaxText", int64(f.MaxText)},
		{"MaxLine", int64(f.MaxLine)},
		{"MaxMatches", int64(f.MaxMatches)},
		{"MaxEntries", int64(f.MaxEntries)},
		{"MaxFile", f.MaxFile},
	} {
		if limit.value < 1 {
			return fmt.Errorf("fs: %s is %d: it must be at least 1", limit.name, limit.value)
		}
	}
	return nil
}
