package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is how many nodes of a page are made Markdown of. The converter
// takes more than twice as long for twice as many, and can't be stopped.
const maxElements = 50_000

// readable returns the title and the text of an HTML page: as Markdown, with
// absolute links that the model can follow, or else as plain text.
func readable(source string, at *url.URL) (title, text string) {
	document, err := html.Parse(strings.NewReader(source))
	if err != nil { // nested too deep
		return "", plain(source)
	}
	elements := 0
	for n := range document.Descendants() {
		elements++
		switch {
		case n.DataAtom == atom.Title && n.Namespace == "" && title == "" && n.FirstChild != nil:
			title = oneLine(n.FirstChild.Data)
		case n.DataAtom == atom.Base:
			if u, err := at.Parse(attribute(n, "href")); err == nil {
				at = u
			}
		}
	}
	if elements > maxElements {
		return title, plain(source)
	}
	prune(document)
	// Marks that happen to be in the text are left as they are: escapes would
	// only be noise to a model.
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	b, err := c.ConvertNode(document, converter.WithDomain(at.String()))
	if err != nil {
		return title, plain(source)
	}
	return title, string(b)
}

// prune takes out what is no text and what the converter would keep: templates,
// drawings, what is hidden, and images that are part of the page itself.
func prune(document *html.Node) {
	for _, n := range slices.Collect(document.Descendants()) {
		_, hidden := lookup(n, "hidden")
		data := n.DataAtom == atom.Img && strings.HasPrefix(attribute(n, "src"), "data:")
		if n.Parent != nil && (hidden || data || n.DataAtom == atom.Template || n.DataAtom == atom.Svg) {
			n.Parent.RemoveChild(n)
		}
	}
}

func attribute(n *html.Node, name string) string {
	value, _ := lookup(n, name)
	return value
}

func lookup(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
