//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"os"
	"syscall"
)

// The ways to lock a file. A lock belongs to the open file: two in one process
// exclude each other too, and it ends with the file or the process.
const (
	lockShared = syscall.LOCK_SH
	lockAlone  = syscall.LOCK_EX
	lockNow    = syscall.LOCK_NB // or not at all
)

// errLocked says that a lock could not be had at once.
const errLocked = syscall.EWOULDBLOCK

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}

func funlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
