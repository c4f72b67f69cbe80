package fs

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/triad-go/triad/tool"
)

// keys says what a call on the file that a path names touches, so that calls on
// other files may overlap with it: the file itself, and, to read, the directories
// on the way, whose names other calls may take. All spellings of a path, also
// those through links, have the same keys. A path that can't be resolved has
// none: its call conflicts as one that says nothing.
//
// To follow links it looks at the disk, when the reply comes and before any call
// of the turn runs. So it does not see a link that another call of the turn makes;
// then only the lock of the file keeps edits apart.
//
// list_dir, glob and grep have no keys, since what they read is not known before:
// as read-only calls they wait for every write, and not for each other.
func (f *FS) keys(name string, write bool) tool.Keys {
	resolved, err := f.resolve(name)
	if err != nil && !errors.Is(err, errDangling) {
		return tool.Keys{}
	}
	var keys tool.Keys
	file := f.key(resolved)
	if write {
		keys.Writes = []string{file}
	} else {
		keys.Reads = []string{file}
	}
	for end := strings.LastIndexByte(file, '/'); end >= len(scheme); end = strings.LastIndexByte(file[:end], '/') {
		keys.Reads = append(keys.Reads, file[:end])
	}
	return keys
}

// scheme begins the keys of files.
const scheme = "file:"

// key returns the key of a resolved name. It holds the name of the root, so that
// roots that overlap agree; and no case, since some file systems take A and a for
// one name. On others, that only costs an overlap.
func (f *FS) key(resolved string) string {
	abs := filepath.Join(filepath.FromSlash(f.names[0]), filepath.FromSlash(resolved))
	return scheme + strings.ToLower(strings.TrimSuffix(filepath.ToSlash(abs), "/"))
}
