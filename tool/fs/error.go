package fs

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"strconv"
)

// Errors of the tools, for [errors.Is]. A model reads them with the path and
// what can be done about them.
var (
	// ErrOutside says that a path leads out of the root, or through an absolute link.
	ErrOutside = errors.New("outside the root directory")

	// ErrNotFile says that a path names a directory, a pipe, a device or a socket.
	ErrNotFile = errors.New("not a regular file")

	// ErrStale says that a file changed since it was read through this [FS].
	ErrStale = errors.New("the file changed since you read it")

	// ErrNoMatch says that the text to be replaced is not in the file.
	ErrNoMatch = errors.New("old_text does not occur in the file")

	// ErrAmbiguous says that the text to be replaced is there more than once.
	ErrAmbiguous = errors.New("old_text must occur exactly once")

	// ErrTooLarge says that a file is larger than [FS.MaxFile].
	ErrTooLarge = errors.New("the file is too large")
)

// failed says what failed, under the path that the model wrote. The names that
// package os adds are those of this machine and tell a model nothing.
func failed(doing, path string, err error) error {
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		err = fault.Err
	} else if fault, ok := errors.AsType[*os.LinkError](err); ok {
		err = fault.Err
	}
	return fmt.Errorf("fs: %s %s: %w", doing, quote(path), err)
}

// quote makes a path safe to show: it may be of any length and hold anything.
func quote(path string) string {
	const most = 300
	if len(path) > most {
		return strconv.Quote(cut(path, most)) + "…"
	}
	return strconv.Quote(path)
}

// notFile says what stands where a regular file is needed.
func notFile(mode iofs.FileMode) error {
	kind := "something else"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&iofs.ModeSymlink != 0:
		kind = "a link that was just put there"
	case mode&iofs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&iofs.ModeSocket != 0:
		kind = "a socket"
	case mode&iofs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%w but %s", ErrNotFile, kind)
}
