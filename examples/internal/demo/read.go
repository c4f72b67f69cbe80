package demo

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Read reads every file of a folder to its end, a page a turn, and counts what
// it has seen. So its history grows with every turn, as in long work.
func Read(h History) (llmtest.Answer, bool) {
	if !h.Offers("list_dir") || !h.Offers("read_file") {
		return llmtest.Answer{}, false
	}
	listing, listed := h.Result("list_dir")
	if !listed {
		return h.call("I list the folder.", "list_dir", map[string]string{"path": "."}), true
	}
	files, lines := 0, 0
	for _, name := range names(listing.Text) {
		if strings.HasSuffix(name, "/") {
			continue
		}
		files++
		for offset, more := 1, true; more; {
			page := use{"read_file", map[string]any{"path": name, "offset": offset, "limit": pageLines}}
			result, read := h.made(page)
			if !read {
				return h.calls(fmt.Sprintf("I read %s from line %d.", name, offset), []use{page}), true
			}
			more = follows.MatchString(result.Text)
			lines += strings.Count(result.Text, "\n")
			offset += pageLines
		}
	}
	return llmtest.Text(fmt.Sprintf("I have read %d files with about %d lines.", files, lines)), true
}

const pageLines = 30

// follows is the note of read_file that the file goes on.
var follows = regexp.MustCompile(`\bread with offset \d+[^\n]*\]$`)
