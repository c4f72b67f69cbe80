package arch

import (
	"go/ast"
	"regexp"
	"strings"
)

var (
	goBlock    = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	outputLine = regexp.MustCompile(`(?i)^\s*//\s*(unordered )?output:`)
)

// Readme checks that each block of Go code in the text is the body of an
// Example function in some test, word for word, up to its output.
func Readme(t *Tree, file string) (faults []string) {
	bodies := make(map[string]bool)
	for _, f := range t.Go {
		if !f.Test() {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && strings.HasPrefix(fn.Name.Name, "Example") {
				from, to := f.Fset.Position(fn.Body.Lbrace).Offset+1, f.Fset.Position(fn.Body.Rbrace).Offset
				bodies[body(string(t.Files[f.Path][from:to]))] = true
			}
		}
	}
	for _, block := range goBlock.FindAllStringSubmatch(string(t.Files[file]), -1) {
		code := strings.TrimSpace(block[1])
		if !bodies[code] {
			line, _, _ := strings.Cut(code, "\n")
			faults = append(faults, file+": no Example has the body that begins "+line)
		}
	}
	return faults
}

// body returns the code of an example as a page shows it: without the indent of
// its function and without its output.
func body(code string) string {
	var out []string
	for line := range strings.Lines(code) {
		if outputLine.MatchString(line) {
			break
		}
		out = append(out, strings.TrimPrefix(line, "\t"))
	}
	return strings.TrimSpace(strings.Join(out, ""))
}
