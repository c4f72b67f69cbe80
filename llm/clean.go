package llm

import (
	"strings"
	"unicode/utf8"
)

// Clean returns text as it can be sent to any provider: NUL and each byte that
// is not part of valid UTF-8, as those of a lone surrogate are not, becomes
// U+FFFD. These are the replacements that encoding/json makes for the latter,
// so text that went through a log comes out the same. Clean text is returned
// as it is.
func Clean(text string) string {
	if utf8.ValidString(text) {
		if strings.IndexByte(text, 0) < 0 {
			return text
		}
		return strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r // of an invalid byte: RuneError
	}, text)
}
