package arch

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Layout checks that the top level holds what the design lists and nothing
// else, and that no package has a name that says nothing.
func Layout(t *Tree) (faults []string) {
	allowed := strings.Fields("agent llm tool plan team compress budget examples go.mod go.sum go.work go.work.sum README.md design.md BENCHMARKS.md LICENSE")
	empty := strings.Fields("util utils common types pkg helper helpers misc base shared lib core interfaces models")
	seen := make(map[string]bool)
	for _, file := range t.paths() {
		top, _, _ := strings.Cut(file, "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) && !seen[top] {
			faults = append(faults, top+": the design does not have it at the top")
			seen[top] = true
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if slices.Contains(empty, path.Base(dir)) && !strings.Contains(dir, "testdata") && !seen[dir] {
				faults = append(faults, dir+": the name says nothing")
				seen[dir] = true
			}
		}
	}
	for _, must := range []string{"go.mod", "README.md", "design.md", "BENCHMARKS.md", "LICENSE"} {
		if _, ok := t.Files[must]; !ok {
			faults = append(faults, must+": missing")
		}
	}
	return faults
}

// maxLines is how long a file may be.
const maxLines = 400

// Sizes checks the length of Go files, tests apart.
func Sizes(t *Tree) (faults []string) {
	for _, f := range t.Go {
		if n := bytes.Count(t.Files[f.Path], []byte("\n")); n > maxLines && !f.Test() {
			faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d", f.Path, n, maxLines))
		}
	}
	return faults
}

// The patterns hold brackets so that they do not find themselves.
var (
	leftOver = regexp.MustCompile(`\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b|not imple[m]ented`)
	machine  = regexp.MustCompile(`(^|[^\w.~])/(wor[k]|roo[t]|hom[e]/\w+|User[s]/\w+|tm[p]/bash_jobs)/`)
	registry = regexp.MustCompile(`proxy\.golan[g]\.org|registry\.npmj[s]\.org|deb\.debia[n]\.org`)
)

// Words checks all text for what is not to stand in the project: left-overs,
// paths of one machine, hosts of registries.
func Words(t *Tree) (faults []string) {
	for _, file := range t.paths() {
		text := t.Files[file]
		if !utf8.Valid(text) || file == "LICENSE" {
			continue
		}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			for what, pattern := range map[string]*regexp.Regexp{"left over": leftOver, "path of a machine": machine, "host of a registry": registry} {
				if found := pattern.Find(line); found != nil {
					faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", file, number, what, bytes.TrimSpace(found)))
				}
			}
		}
	}
	return faults
}

var (
	anID    = regexp.MustCompile(`\b(GEN|LLM|TOOL|AGT|PLAN|TEAM|CMP|BUD|PRM|SES|SKL|MCP|MEM|TMP|OUT|EX)[-_ ]?E?\d+\b`)
	goodID  = regexp.MustCompile(`^[A-Z]+-(E\d+|\d\d+)$`)
	aCase   = regexp.MustCompile(`\bB\d{3}\b`)
	isNamed = func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".txtar")
	}
)

// IDs checks the ids of requirements and field cases that tests name. Known is
// the text that defines them; without it only the form is checked. It also
// returns the ids that are named.
func IDs(t *Tree, known string) (faults []string, named map[string]bool) {
	named = make(map[string]bool)
	for _, file := range t.paths() {
		if !isNamed(file) || strings.HasPrefix(file, ".") {
			continue
		}
		text := string(t.Files[file])
		ids := anID.FindAllString(text, -1)
		for _, id := range ids {
			if !goodID.MatchString(id) {
				faults = append(faults, file+": "+id+" is no id of a requirement")
			}
		}
		for _, id := range append(ids, aCase.FindAllString(text, -1)...) {
			named[id] = true
		}
	}
	if known != "" {
		defined := make(map[string]bool)
		for _, id := range append(anID.FindAllString(known, -1), aCase.FindAllString(known, -1)...) {
			defined[id] = true
		}
		for id := range named {
			if !defined[id] {
				faults = append(faults, id+": named by a test and defined nowhere")
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults), named
}
