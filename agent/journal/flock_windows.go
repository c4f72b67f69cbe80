package journal

import (
	"os"
	"syscall"
	"unsafe"
)

// The ways to lock a file. A lock belongs to the open file: two in one process
// exclude each other too, and it ends with the file or the process.
const (
	lockShared = 0
	lockNow    = 1 // LOCKFILE_FAIL_IMMEDIATELY
	lockAlone  = 2 // LOCKFILE_EXCLUSIVE_LOCK
)

// errLocked says that a lock could not be had at once.
const errLocked = syscall.Errno(33) // ERROR_LOCK_VIOLATION

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx   = kernel32.NewProc("LockFileEx")
	unlockFileEx = kernel32.NewProc("UnlockFileEx")
)

// beyond is a byte that no file has: a lock here keeps bytes from being written
// or read.
func beyond() *syscall.Overlapped { return &syscall.Overlapped{OffsetHigh: 0x7fffffff} }

func flock(f *os.File, how int) error {
	ok, _, err := lockFileEx.Call(f.Fd(), uintptr(how), 0, 1, 0, uintptr(unsafe.Pointer(beyond())))
	if ok == 0 {
		return err
	}
	return nil
}

func funlock(f *os.File) error {
	ok, _, err := unlockFileEx.Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(beyond())))
	if ok == 0 {
		return err
	}
	return nil
}
