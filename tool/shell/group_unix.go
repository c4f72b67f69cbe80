//go:build unix

package shell

import (
	"os"
	"syscall"
)

// interpreter runs a command line.
func interpreter() []string { return []string{"/bin/sh", "-c"} }

// ownGroup puts a program in a session and a process group of its own, both
// numbered by its process id, without a terminal to ask questions on.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminate asks every process of p's group to end.
func terminate(p *os.Process) {
	// A stopped process acts on a signal only once it goes on.
	_ = syscall.Kill(-p.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-p.Pid, syscall.SIGCONT)
}

// kill ends every process of p's group.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// groupEmpty tells whether p's group holds nothing that could be ended. The
// program itself must have been waited for. Orphans that were given to this
// process, as happens when it is the first one of a container, are waited for
// here, since nobody else does.
func groupEmpty(p *os.Process) bool {
	for {
		pid, err := syscall.Wait4(-p.Pid, nil, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			break
		}
	}
	return syscall.Kill(-p.Pid, 0) != nil || !alive(p.Pid)
}
