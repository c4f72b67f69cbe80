package journal

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// systemSync returns the function that makes the file system durable that holds
// dir; nil if it has none that can be relied on.
func systemSync(dir string) func(*os.File) error {
	call, ok := syncfsCall()
	if !ok || !reportsErrors() || !syncsAll(dir) {
		return nil
	}
	return func(f *os.File) error {
		if _, _, e := syscall.Syscall(call, f.Fd(), 0, 0); e != 0 {
			return os.NewSyscallError("syncfs", e)
		}
		return nil
	}
}

// syncfsCall returns the number of the system call, which package syscall does
// not have everywhere.
func syncfsCall() (uintptr, bool) {
	switch runtime.GOARCH {
	case "amd64":
		return 306, true
	case "arm64", "riscv64", "loong64":
		return 267, true
	}
	return 0, false
}

// syncsAll tells whether dir is on a file system that is known to make all it
// holds durable. Some, such as those in user space, only say so.
func syncsAll(dir string) bool {
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil {
		return false
	}
	switch uint32(fs.Type) {
	case 0xef53, // ext4
		0x58465342, // xfs
		0x9123683e: // btrfs
		return true
	}
	return false
}

// reportsErrors tells whether syncfs reports what could not be written, which
// it does since Linux 5.8.
func reportsErrors() bool {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return false
	}
	var release strings.Builder
	for _, c := range u.Release {
		if c == 0 {
			break
		}
		release.WriteByte(byte(c))
	}
	major, rest, _ := strings.Cut(release.String(), ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(strings.TrimRight(minor, "-+abcdefghijklmnopqrstuvwxyz"))
	return err1 == nil && err2 == nil && (a > 5 || a == 5 && b >= 8)
}
