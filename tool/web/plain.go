package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plain returns the text of a page that is too deep or too large to be made
// Markdown of. It is plainer, and its cost only grows with the page's length.
func plain(source string) string {
	var text strings.Builder
	skip := atom.Atom(0) // the element whose content is no text
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken { // the end: a string gives no other error
			return tidy(text.String())
		}
		if kind == html.TextToken {
			if skip == 0 {
				text.WriteString(html.UnescapeString(string(tokens.Raw())))
			}
			continue
		}
		name, _ := tokens.TagName()
		element := atom.Lookup(name)
		switch {
		case kind == html.StartTagToken && skip == 0 && silent(element):
			skip = element
		case kind == html.EndTagToken && element == skip:
			skip = 0
		case !inline(element):
			text.WriteByte('\n')
		}
	}
}

// silent tells whether what is in an element is not shown.
func silent(element atom.Atom) bool {
	switch element {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Noscript, atom.Iframe, atom.Title:
		return true
	}
	return false
}

// inline tells whether an element stands within a line.
func inline(element atom.Atom) bool {
	switch element {
	case atom.A, atom.Abbr, atom.B, atom.Code, atom.Em, atom.Font, atom.I, atom.Img, atom.Kbd, atom.Mark,
		atom.Q, atom.S, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr:
		return true
	}
	return false
}

// tidy joins the blanks of each line and leaves out empty lines.
func tidy(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
