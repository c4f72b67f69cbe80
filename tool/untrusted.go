package tool

import (
	"regexp"
	"strings"
)

// mark finds what could be taken for a mark of [Untrusted], however it is spelled.
var mark = regexp.MustCompile(`(?i)<(\s*/?\s*untrusted)`)

// Untrusted returns text between marks that say that it is data from source,
// outside, and no instruction. Marks within text are escaped, so it can't end
// its wrapping. [Tool.Untrusted] does this with all that a tool says: use one
// of the two, not both.
func Untrusted(text, source string) string { return english.untrusted(text, source) }

func (t *Texts) untrusted(text, source string) string {
	source = strings.NewReplacer(`"`, "'", "<", "(", ">", ")", "\n", " ", "\r", " ").Replace(source)
	return `<untrusted source="` + source + "\">\n" + t.Untrusted + "\n\n" +
		mark.ReplaceAllString(text, "&lt;$1") + "\n</untrusted>"
}
