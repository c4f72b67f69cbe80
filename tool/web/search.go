package web

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/triad-go/triad/tool"
)

// A Hit is one result of a search.
type Hit struct {
	Title   string
	URL     string
	Snippet string
}

// A SearchFunc asks a search service. At most count hits are wanted, best
// first; more are dropped. It is called by several calls at once.
type SearchFunc func(ctx context.Context, query string, count int) ([]Hit, error)

// DefaultHits is how many hits a search wants that does not say it.
const DefaultHits = 10

// searchArguments are those of web_search.
type searchArguments struct {
	Query string `json:"query" jsonschema:"minLength=1,description=What to search for"`
	Count int    `json:"count,omitempty" jsonschema:"minimum=1,maximum=50,default=10,description=How many results at most"`
}

// Search returns the tool web_search over a search function of the host. It is
// read-only, and bounded and wrapped like a page. Of w, MaxText, Timeout and
// Texts hold. A nil function is a fault that registration reports.
func (w Web) Search(search SearchFunc) tool.Tool {
	var run func(context.Context, searchArguments) (tool.Result, error)
	if search != nil {
		run = func(ctx context.Context, in searchArguments) (tool.Result, error) {
			count := cmp.Or(in.Count, DefaultHits)
			hits, err := search(ctx, in.Query, count)
			if err != nil {
				return tool.Result{}, fmt.Errorf("web: searching: %w", err)
			}
			return tool.Text(w.hits(in.Query, hits[:min(count, len(hits))])), nil
		}
	}
	return w.bounded(tool.New("web_search", searchDescription, run, tool.ReadOnly))
}

// hits tells the hits as a numbered list.
func (w Web) hits(query string, hits []Hit) string {
	texts := w.Texts.complete()
	if len(hits) == 0 {
		return fill(texts.NoHits, "{query}", strconv.Quote(query))
	}
	var list strings.Builder
	for i, h := range hits {
		fmt.Fprintf(&list, "%d. %s\n   %s\n", i+1, oneLine(h.Title), oneLine(h.URL))
		if h.Snippet != "" {
			fmt.Fprintf(&list, "   %s\n", oneLine(h.Snippet))
		}
	}
	text, missing := cut(strings.TrimSuffix(list.String(), "\n"), w.maxText())
	if missing > 0 {
		text += "\n" + fill(texts.Cut, "{bytes}", missing)
	}
	return text
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}
