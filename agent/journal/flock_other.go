//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package journal

import (
	"errors"
	"os"
)

// The ways to lock a file.
const (
	lockShared = 1 << iota
	lockAlone
	lockNow
)

// errLocked says that a lock could not be had at once.
var errLocked = errors.New("locked")

// flock has no lock to take: without one a [Dir] is not safe, and refuses to work.
func flock(*os.File, int) error { return errors.ErrUnsupported }

func funlock(*os.File) error { return errors.ErrUnsupported }
