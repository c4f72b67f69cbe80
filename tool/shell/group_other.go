//go:build !unix

package shell

import (
	"os"
	"runtime"
	"syscall"
)

// Where there are no process groups, only the program itself is ended, at
// once, and what it started lives on.

func interpreter() []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C"}
	}
	return []string{"sh", "-c"}
}

func ownGroup() *syscall.SysProcAttr { return nil }

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }

func groupEmpty(*os.Process) bool { return true }
