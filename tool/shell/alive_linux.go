package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// alive tells whether a process of the group is still at work. One that has
// ended and was not waited for counts as gone: the first process of a machine
// or a container may take its time with orphans, or never do it.
func alive(group int) bool {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true // no /proc here: believe the signal that found it
	}
	number := []byte(strconv.Itoa(group))
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		// The line is "pid (name) state parent group …", and a name may hold anything.
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(fields) > 2 && bytes.Equal(fields[2], number) && !bytes.ContainsAny(fields[0], "ZX") {
			return true
		}
	}
	return false
}
