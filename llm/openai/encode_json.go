package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// replacement is what stands for what no server takes: U+FFFD.
const replacement = "\uFFFD"

// appendString appends s as a JSON string. Each run of invalid UTF-8 (a lone
// surrogate is one), and each NUL, becomes U+FFFD: some servers refuse them,
// some databases behind servers do (LLM-E11).
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0 // of what is not copied yet
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < 0x20 || c == '"' || c == '\\' {
				dst = append(dst, s[start:i]...)
				dst = appendEscape(dst, c)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || size > 1 {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, replacement...)
		for i < len(s) && s[i] >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				break
			}
			i++
		}
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case 0:
		return append(dst, replacement...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// compacted returns valid JSON text without the space between its tokens and
// without what no server takes.
func compacted(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return []byte(cleanJSON(b.String())), nil
}

// cleanJSON replaces, in valid JSON text, the escapes of NUL and of lone
// surrogates, and invalid UTF-8. A server that decodes the text would have
// them back; and Go's own decoder hides them, so they are looked for by hand.
func cleanJSON(s string) string {
	s = strings.ToValidUTF8(s, replacement)
	if !strings.Contains(s, `\u0`) && !strings.Contains(s, `\ud`) && !strings.Contains(s, `\uD`) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		at := strings.IndexByte(s, '\\')
		if at < 0 || at+1 >= len(s) {
			break
		}
		b.WriteString(s[:at])
		s = s[at:]
		n := 2
		if r := escapedRune(s); r >= 0 {
			n = 6
			switch {
			case isHigh(r) && isLow(escapedRune(s[6:])):
				n = 12
			case r == 0 || isHigh(r) || isLow(r):
				b.WriteString(`\ufffd`)
				s = s[6:]
				continue
			}
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

// escapedRune returns the code unit of the escape \uXXXX that s begins with, or -1.
func escapedRune(s string) int64 {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	r, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return int64(r)
}

func isHigh(r int64) bool { return r >= 0xD800 && r < 0xDC00 }
func isLow(r int64) bool  { return r >= 0xDC00 && r < 0xE000 }

// arguments returns the argument text of a call as it is sent: always a valid
// JSON object. One that the model wrote goes out as it is; none at all is {};
// an object that was encoded twice loses one level; anything else, such as a
// text that was cut, stands inside an object, so that the model sees what it
// wrote (LLM-29).
func arguments(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || trimmed == "null":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return cleanJSON(text)
	case trimmed[0] == '"':
		var inner string
		if json.Unmarshal([]byte(trimmed), &inner) == nil {
			if inner = strings.TrimSpace(inner); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
				return cleanJSON(inner)
			}
		}
	}
	return string(append(appendString([]byte(`{"unreadable_arguments":`), text), '}'))
}
