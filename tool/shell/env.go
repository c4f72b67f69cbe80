package shell

import (
	"os"
	"strings"
)

// passed names the variables of the host that every program gets: where to
// find programs and files, and how to write text. A host's keys are elsewhere.
var passed = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ",
	"LANG", "LC_ALL", "LC_CTYPE",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}

// environ returns the environment of a program: what is passed, and what extra
// adds, "NAME=value" as it is and "NAME" with the host's value, if it has one.
func environ(extra []string) []string {
	env := make([]string, 0, len(passed)+len(extra))
	add := func(name string) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range passed {
		add(name)
	}
	for _, entry := range extra {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		} else {
			add(entry)
		}
	}
	return env
}
