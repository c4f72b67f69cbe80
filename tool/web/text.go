package web

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/triad-go/triad/tool"
)

// result tells a page: where it is from, its status, its text, and what is missing.
func (w Web) result(p page) tool.Result {
	texts := w.Texts.complete()
	title, body := p.text(texts)
	body, missing := cut(body, w.maxText())
	lines := []string{fill(texts.URL, "{url}", p.url), fill(texts.Status, "{status}", p.status)}
	if title != "" {
		lines = append(lines, fill(texts.Title, "{title}", title))
	}
	lines = append(lines, "", body)
	if missing > 0 {
		lines = append(lines, fill(texts.Cut, "{bytes}", missing))
	}
	if p.cut {
		lines = append(lines, fill(texts.Unread, "{bytes}", len(p.body)))
	}
	if p.broken != nil {
		lines = append(lines, fill(texts.Broken, "{problem}", p.broken))
	}
	r := tool.Text(strings.Join(lines, "\n"))
	if !p.ok || p.broken != nil {
		r.Outcome = tool.Failed
	}
	return r
}

// text returns the page's title, if it has one, and what can be read of it.
func (p page) text(texts Texts) (title, body string) {
	kind := p.kind()
	binary := fill(fill(texts.Binary, "{bytes}", p.length()), "{type}", kind)
	if len(p.body) == 0 {
		return "", texts.Empty
	}
	if p.encoding != "" || !textual(kind) {
		return "", binary
	}
	body = decode(p.body, p.mediaType)
	if strings.ContainsRune(body, 0) {
		return "", binary
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		title, body = readable(body, p.url)
	}
	return title, cmp.Or(strings.TrimSpace(body), texts.NoText)
}

// kind is the media type of the page; where the server did not say, a guess.
func (p page) kind() string {
	if kind, _, err := mime.ParseMediaType(p.mediaType); err == nil {
		return kind
	}
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(p.body))
	return kind
}

// length is the size of the body as far as it is known.
func (p page) length() int64 { return max(p.size, int64(len(p.body))) }

// textual tells whether a media type is text that can be told as it is.
func textual(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript",
		"application/ecmascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/x-ndjson", "application/x-sh", "application/sql":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") ||
		strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml")
}

// decode returns body as UTF-8, in the character set that the header, a mark at
// its start or the HTML itself says, or else the likely one.
func decode(body []byte, contentType string) string {
	encoding, _, certain := charset.DetermineEncoding(body, contentType)
	// The guess looks at the first kilobyte only.
	if whole := trimPartial(body); !certain && utf8.Valid(whole) {
		return string(bytes.TrimPrefix(whole, []byte("\uFEFF")))
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		text = body
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(text), "\uFFFD"), "\uFEFF")
}

// trimPartial takes off the beginning of a character that was cut.
func trimPartial(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// cut returns the start of text, at most n bytes of whole characters, and how
// many bytes are missing.
func cut(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], len(text) - n
}
