package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// find returns the one complete plan object in a reply: a JSON object with one
// of the lists. It may stand in a fence or between sentences; what stands in its
// own texts, or in other objects, is none.
func find(reply string, lists []string) (object string, faults faultList) {
	var found []string
	broken := ""
	work := 32*len(reply) + 1<<16 // bytes to look at: a reply of brackets alone must not take for ever
	for at := 0; ; {
		next := strings.IndexByte(reply[at:], '{')
		if next < 0 {
			break
		}
		at += next
		size, err := whole(reply[at:])
		plan, looked := is(reply[at:], lists)
		work -= size + looked
		switch {
		case err == nil:
			if plan {
				found = append(found, reply[at:at+size])
			}
			at += size
		case work < 0:
			faults.add(NoPlan, "", "the reply is full of brackets that are no JSON")
			return "", faults
		case plan: // what stands in a broken plan is no plan
			broken = fmt.Sprintf("the plan object is not complete JSON: %v", err)
			at = past(reply, at)
		case errors.Is(err, io.ErrUnexpectedEOF):
			at = len(reply)
		default:
			at++
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		faults.add(ManyPlans, "", "the reply holds %d plan objects; it must hold one", len(found))
	case broken != "":
		faults.add(NoPlan, "", "%s", broken)
	default:
		faults.add(NoPlan, "", "the reply holds no JSON object with the list %q", lists[0])
	}
	return "", faults
}

// whole returns the size of the JSON object that text begins with; with an
// error, how far it was looked at.
func whole(text string) (int, error) {
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			return min(int(s.Offset), len(text)), err
		}
		return len(text), err
	}
	return int(d.InputOffset()), nil
}

// is tells whether the object that text begins with, which may be broken, has
// one of the lists as a key of its own, and how far it looked.
func is(text string, lists []string) (found bool, looked int) {
	looked = walk(text, func(depth int, name string, end int) bool {
		if depth == 1 && slices.Contains(lists, name) {
			found = strings.HasPrefix(strings.TrimLeft(text[end:], " \t\r\n"), ":")
		}
		return !found
	})
	return found, looked
}

// past returns where the brackets that open at at are closed again, or the end.
func past(reply string, at int) int {
	return at + walk(reply[at:], func(int, string, int) bool { return true })
}

// walk goes from a bracket to the one that closes it, shows the texts on the
// way, with the depth at which each stands, and returns where it got to.
func walk(text string, show func(depth int, text string, end int) bool) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case '"':
			start := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return len(text)
			}
			if !show(depth, text[start:i], i+1) {
				return i
			}
		}
	}
	return len(text)
}
