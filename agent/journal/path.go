package journal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of names in a [Dir]: of one part of an id as a folder's name, which
// file systems limit, and of all of it.
const (
	maxName = 240
	maxPath = 2000
)

// path returns the path of a run's folder beneath the root. No two ids have
// the same one, also where a file system ignores case or changes how letters
// are composed, and none leads elsewhere.
func path(id string) (string, error) {
	p := make([]byte, 0, 64)
	for rest, more := id, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		switch {
		case name == "":
			return "", badID("a part of it is empty")
		case name == "." || name == "..":
			return "", badID("a part of it is " + name)
		case strings.IndexByte(name, 0) >= 0:
			return "", badID("it has a zero byte")
		}
		if len(p) > 0 {
			p = append(p, filepath.Separator)
		}
		start := len(p)
		if p = appendName(p, name); len(p)-start > maxName {
			return "", badID("a part of it is too long")
		}
	}
	if len(p) > maxPath {
		return "", badID("it is too long")
	}
	return string(p), nil
}

// idOf returns the id whose path is p, if there is one.
func idOf(p string) (string, bool) {
	names := strings.Split(filepath.ToSlash(p), "/")
	for i, name := range names {
		n, ok := unescape(name)
		if !ok {
			return "", false
		}
		names[i] = n
	}
	id := strings.Join(names, "/")
	back, err := path(id)
	return id, err == nil && back == p
}

// escape returns name as a file's name; see appendName.
func escape(name string) string { return string(appendName(nil, name)) }

// appendName appends name as a file's name. Lower case letters, digits, _, -
// and inner dots are kept; a capital letter is ! and the small one, as in the
// module cache of Go; every other byte is % and its number.
func appendName(p []byte, name string) []byte {
	start := len(p)
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0 && i < len(name)-1:
			p = append(p, c)
		case c >= 'A' && c <= 'Z':
			p = append(p, '!', c+'a'-'A')
		default:
			p = append(p, percent(c)...)
		}
	}
	if reserved(p[start:]) {
		p = slices.Replace(p, start, start+1, percent(p[start])...)
	}
	return p
}

func percent(c byte) []byte { return hex.AppendEncode([]byte{'%'}, []byte{c}) }

func unescape(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '!' && i+1 < len(name):
			i++
			b.WriteByte(name[i] - 'a' + 'A')
		case c == '%' && i+2 < len(name):
			raw, err := hex.DecodeString(name[i+1 : i+3])
			if err != nil {
				return "", false
			}
			b.Write(raw)
			i += 2
		case c == '!' || c == '%':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// reserved tells whether a name is that of a file in a run's folder, or of a
// device on Windows.
func reserved(name []byte) bool {
	stem, _, _ := bytes.Cut(name, []byte{'.'})
	switch string(stem) {
	case "journal", "mailbox", "lock", "con", "prn", "aux", "nul":
		return true
	}
	return len(stem) == 4 && (bytes.HasPrefix(stem, []byte("com")) || bytes.HasPrefix(stem, []byte("lpt")))
}

func badID(why string) error { return fmt.Errorf("%s: %w", why, ErrID) }
