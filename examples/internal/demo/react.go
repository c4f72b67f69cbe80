package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// React looks at a folder as somebody new to it would: it lists it, reads the
// file that tells most, searches for what the prompt puts in quotes, and says
// what it found.
func React(h History) (llmtest.Answer, bool) {
	if !h.Offers("list_dir") || !h.Offers("read_file") || !h.Offers("grep") {
		return llmtest.Answer{}, false
	}
	listing, listed := h.Result("list_dir")
	if !listed {
		return h.call("First I look at what is there.", "list_dir", map[string]string{"path": "."}), true
	}
	entries := names(listing.Text)
	file, subject := telling(entries), quoted(h.Prompt())
	page, read := h.Result("read_file")
	found, searched := h.Result("grep")

	var next []use
	if file != "" && !read {
		next = append(next, use{"read_file", map[string]any{"path": file, "limit": 20}})
	}
	if subject != "" && !searched {
		next = append(next, use{"grep", map[string]string{"pattern": regexp.QuoteMeta(subject)}})
	}
	if len(next) > 0 {
		return h.calls("Now I look closer.", next), true
	}

	says := []string{fmt.Sprintf("The folder holds %d entries: %s.", len(entries), strings.Join(entries, ", "))}
	if read {
		says = append(says, fmt.Sprintf("%s begins with “%s”.", file, firstLine(page.Text)))
	}
	if searched {
		says = append(says, fmt.Sprintf("A search for “%s” gives: %s", subject, firstLine(found.Text)))
	}
	return llmtest.Text(strings.Join(says, "\n")), true
}

// names returns the entries of a listing, without their sizes and without those
// that begin with a dot.
func names(listing string) (entries []string) {
	for line := range strings.Lines(listing) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " (")
		if name != "" && !strings.HasPrefix(name, ".") {
			entries = append(entries, name)
		}
	}
	return entries
}

// telling returns the entry that says most about a folder, or "".
func telling(entries []string) string {
	for _, name := range []string{"go.mod", "package.json", "pom.xml", "README.md", "README"} {
		if slices.Contains(entries, name) {
			return name
		}
	}
	for _, name := range entries {
		if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".go") {
			return name
		}
	}
	return ""
}

var quotes = regexp.MustCompile("(?:^|\\s)[\"“'`]([^\"”'`]+)[\"”'`]")

// quoted returns the first words in quotes.
func quoted(prompt string) string {
	if m := quotes.FindStringSubmatch(prompt); m != nil {
		return m[1]
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
