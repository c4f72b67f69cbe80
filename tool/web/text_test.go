package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Text is read in the character set of the header, a mark, or the page, and
// what says nothing and is UTF-8 is UTF-8, also where that shows late.
func TestDecode(t *testing.T) {
	late := strings.Repeat("x", 5000) + "é🔬"
	for name, test := range map[string]struct{ contentType, body, want string }{
		"UTF-8 by header":    {"text/plain; charset=utf-8", "é", "é"},
		"UTF-8, late":        {"text/plain", late, late},
		"UTF-8, cut":         {"text/plain", "é\xc3", "é"},
		"UTF-8 with a mark":  {"text/plain", "\xef\xbb\xbfé", "é"},
		"Latin-1 by header":  {"text/plain; charset=iso-8859-1", "\xe9", "é"},
		"Windows by default": {"text/plain", "\xe9t\xe9 \x80", "été €"},
		"by the page":        {"text/html", `<meta charset="shift_jis">` + "\x93\xfa\x96{", `<meta charset="shift_jis">日本`},
		"GB 18030":           {"text/html; charset=gb18030", "\xd6\xd0", "中"},
		"UTF-16 by a mark":   {"text/plain", "\xff\xfea\x00\xe9\x00", "aé"},
		"UTF-16 by header":   {"text/plain; charset=utf-16be", "\x00a\x00\xe9", "aé"},
		"a name nobody has":  {"text/plain; charset=klingon", "é", "é"},
		"broken":             {"text/plain; charset=utf-8", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, decode([]byte(test.body), test.contentType))
		})
	}
}

// B236, TOOL-E21: a cut is between characters at every limit, and counted.
func TestCut(t *testing.T) {
	for _, unit := range []string{"é", "🔬", "aé🔬"} {
		whole := strings.Repeat(unit, 10)
		for limit := range 21 {
			head, missing := cut(whole, limit)
			require.True(t, utf8.ValidString(head))
			require.LessOrEqual(t, len(head), limit)
			require.True(t, strings.HasPrefix(whole, head))
			require.Equal(t, len(whole), len(head)+missing)
		}
	}
}

// Links are made absolute from where the page says it stands.
func TestBase(t *testing.T) {
	at, err := url.Parse("https://a.test/x/y")
	require.NoError(t, err)
	_, text := readable(`<base href="/docs/"><a href="z">go</a> <a href="#part">down</a> <a href="mailto:a@b.test">mail</a>`, at)
	require.Equal(t, "[go](https://a.test/docs/z) [down](https://a.test/docs/#part) [mail](mailto:a@b.test)", text)
}

func FuzzPage(f *testing.F) {
	f.Add("text/html; charset=utf-8", []byte("<p>a<b>c</p><table><td>x<script>y</script>"))
	f.Add("text/html", []byte("<meta charset=utf-16><div hidden><svg><template></svg>"))
	f.Add("text/plain; charset=shift_jis", []byte("\x93\xfa\x96{\x00"))
	f.Add("", []byte("\xff\xfe<\x00p\x00>"))
	at := &url.URL{Scheme: "https", Host: "a.test"}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		p := page{url: at, status: "200 OK", ok: true, mediaType: contentType, body: body, size: -1}
		r := Web{MaxText: 1000}.result(p)
		if !utf8.ValidString(r.Text) {
			t.Fatalf("not UTF-8: %q", r.Text)
		}
		if !utf8.ValidString(plain(decode(body, contentType))) {
			t.Fatal("plain text is not UTF-8")
		}
	})
}
