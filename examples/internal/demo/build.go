package demo

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Repair reads the sources, builds, mends what the compiler says, builds again,
// and claims what it has seen.
func Repair(h History) (llmtest.Answer, bool) {
	source, read := h.Result("grep")
	builds := h.results("build")
	edits := h.results("edit_file")
	switch {
	case !h.Offers("build"):
		return llmtest.Answer{}, false
	case !read:
		return h.call("First I read the sources.", "grep", map[string]string{"pattern": "."}), true
	case len(builds) == len(edits):
		return h.call("I build it.", "build", struct{}{}), true
	}
	built := builds[len(builds)-1]
	if !built.Failed {
		return llmtest.Text("It builds, and prints " + firstLine(built.Text) + "."), true
	}
	if edit, ok := mend(source.Text, built.Text); ok && len(edits) == 0 {
		return h.calls("A semicolon is missing.", []use{edit}), true
	}
	return llmtest.Text("It does not build, and I do not know why."), true
}

var missing = regexp.MustCompile(`(?m)^([^:\n]+:\d+:)\d+: error: expected ';'`)

// mend makes the edit that the compiler asks for, of sources as grep shows them.
func mend(source, errors string) (use, bool) {
	at := missing.FindStringSubmatch(errors)
	if at == nil {
		return use{}, false
	}
	for line := range strings.Lines(source) {
		if text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), at[1]); ok {
			file, _, _ := strings.Cut(at[1], ":")
			return use{"edit_file", map[string]string{"path": file, "old_text": text, "new_text": text + ";"}}, true
		}
	}
	return use{}, false
}

// FalseClaim builds, and says that all is well whatever comes of it.
func FalseClaim(h History) (llmtest.Answer, bool) {
	if _, built := h.Result("build"); built {
		return llmtest.Text("All done, everything builds perfectly!"), true
	}
	return h.call("I build it.", "build", struct{}{}), h.Offers("build")
}

// NotBuilt reports on a project that does not build, where nothing more can be
// called: after a limit, or where a run was stopped.
func NotBuilt(h History) (llmtest.Answer, bool) {
	why := ""
	for _, built := range h.results("build") {
		if at := faulty.FindString(built.Text); at != "" && built.Failed {
			why = at
		}
	}
	return llmtest.Text("I stop here, and it does not build: " + why), why != "" && !h.Offers("build")
}

var faulty = regexp.MustCompile(`(?m)^\S+: error: .*$`)

// Circle builds the same again and again.
func Circle(h History) (llmtest.Answer, bool) {
	return h.call("I build it.", "build", struct{}{}), h.Offers("build")
}

// AnotherWay builds in two new ways each turn, and never looks for the fault.
func AnotherWay(h History) (llmtest.Answer, bool) {
	standards := []string{"c99", "c11", "c17", "gnu99", "gnu11", "gnu17"}
	n := len(h.results("build"))
	way := func(n int) use {
		return use{"build", map[string]string{"standard": standards[n%len(standards)], "optimize": fmt.Sprint(n / len(standards) % 4)}}
	}
	return h.calls("I try another way.", []use{way(n), way(n + 1)}), h.Offers("build")
}
