package openai

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A value is one JSON value, byte for byte. It is made by [parse], which has
// checked it: everything below walks without looking for faults again.
//
// Chunks are read through this and not into structs, for three reasons. A
// provider that sends a number where others send a string must not cost the
// whole chunk; encoding/json takes "Content" for "content"; and a chunk has
// some thirty members of which five are wanted.
type value []byte

// parse returns data as a value, and whether it is valid JSON.
func parse(data []byte) (value, bool) {
	if !json.Valid(data) {
		return nil, false
	}
	return trim(data), true
}

func trim(data []byte) value {
	for len(data) > 0 && blank(data[0]) {
		data = data[1:]
	}
	for len(data) > 0 && blank(data[len(data)-1]) {
		data = data[:len(data)-1]
	}
	return data
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// absent tells whether there is nothing: no member, or null.
func (v value) absent() bool { return len(v) == 0 || v[0] == 'n' }

func (v value) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v value) isList() bool   { return len(v) > 0 && v[0] == '[' }
func (v value) isString() bool { return len(v) > 0 && v[0] == '"' }

// text returns a string's text; it is empty for every other kind of value.
func (v value) text() string {
	if !v.isString() {
		return ""
	}
	inner := v[1 : len(v)-1]
	for _, c := range inner {
		if c == '\\' || c >= utf8.RuneSelf {
			return v.decode()
		}
	}
	return string(inner)
}

// decode is text with escapes; what is no Unicode becomes U+FFFD.
func (v value) decode() string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// name is text as bytes.
func (v value) name() []byte {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		return []byte(v.decode())
	}
	return inner
}

// word is text for members that some send as a number or a bool.
func (v value) word() string {
	switch {
	case v.absent() || v.isObject() || v.isList():
		return ""
	case v.isString():
		return v.text()
	}
	return string(v)
}

// count returns a number of tokens; 0 for what can be none.
func (v value) count() int {
	const most = 1 << 50
	f, err := strconv.ParseFloat(v.word(), 64)
	if err != nil || !(f > 0 && f < most) {
		return 0
	}
	return int(f)
}

// members goes through an object's members in order; other values have none.
// Names come as bytes, since most are only looked at.
func (v value) members() iter.Seq2[[]byte, value] {
	return func(yield func([]byte, value) bool) {
		if !v.isObject() {
			return
		}
		for rest := v[1:]; ; {
			rest = skipTo(rest)
			if len(rest) == 0 || rest[0] == '}' {
				return
			}
			key := rest[:size(rest)]
			rest = skipTo(rest[len(key):])
			member := rest[:size(rest)]
			rest = rest[len(member):]
			if !yield(key.name(), member) {
				return
			}
		}
	}
}

// list goes through an array's values in order; other values have none.
func (v value) list() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !v.isList() {
			return
		}
		for rest := v[1:]; ; {
			rest = skipTo(rest)
			if len(rest) == 0 || rest[0] == ']' {
				return
			}
			item := rest[:size(rest)]
			rest = rest[len(item):]
			if !yield(item) {
				return
			}
		}
	}
}

// member returns the value of an object's member, the last of that name; none
// if it has none.
func (v value) member(name string) (found value) {
	for key, member := range v.members() {
		if string(key) == name {
			found = member
		}
	}
	return found
}

// skipTo cuts off blanks and the marks between values.
func skipTo(v value) value {
	for len(v) > 0 && (blank(v[0]) || v[0] == ',' || v[0] == ':') {
		v = v[1:]
	}
	return v
}

// size returns the length of the value that v begins with.
func size(v value) int {
	switch v[0] {
	case '"':
		return sizeOfString(v)
	case '{', '[':
	default:
		for i, c := range v {
			if c == ',' || c == '}' || c == ']' || c == ':' || blank(c) {
				return i
			}
		}
		return len(v)
	}
	depth := 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i += sizeOfString(v[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(v)
}

func sizeOfString(v value) int {
	for i := 1; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(v)
}

// quote returns s as a JSON string.
func quote(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
