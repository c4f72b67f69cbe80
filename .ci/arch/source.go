package arch

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// pure lists the files that decide: they act on nothing and ask no clock.
var pure = []string{
	"agent/event.go", "agent/state.go", "agent/fold.go", "agent/turn.go", "agent/outcome.go",
	"agent/step.go", "agent/next.go", "agent/ask.go", "agent/limit.go", "agent/end.go",
	"plan/event.go", "plan/state.go", "plan/next.go", "plan/end.go", "plan/dag.go",
	"team/event.go", "team/state.go", "team/next.go",
	"tool/order.go",
	"budget/budget.go", "budget/spent.go", "budget/stall.go", "budget/prices.go",
}

var (
	impure = []string{"context", "sync", "os", "net", "math/rand", "crypto/rand", "syscall", "runtime", "log", "testing", "unsafe"}
	clock  = strings.Fields("Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker")
)

// Pure checks the files that decide: no imports that act, no clock, no
// goroutine, no channel.
func Pure(t *Tree) (faults []string) {
	for _, f := range t.Go {
		if !slices.Contains(pure, f.Path) {
			continue
		}
		for _, imported := range f.imports() {
			if slices.ContainsFunc(impure, func(bad string) bool { return imported == bad || strings.HasPrefix(imported, bad+"/") }) {
				faults = append(faults, f.Path+" decides, and imports "+imported)
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
				faults = append(faults, f.at(n)+" decides, and acts")
			case *ast.SelectorExpr:
				if isName(n.X, "time") && slices.Contains(clock, n.Sel.Name) {
					faults = append(faults, f.at(n)+" decides, and asks the clock")
				}
			}
			return true
		})
	}
	return faults
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && isName(s.X, pkg) && s.Sel.Name == name
}

// Quiet checks that the library prints nothing, logs nothing, ends no process
// and runs nothing at start.
func Quiet(t *Tree) (faults []string) {
	for _, f := range t.Go {
		if !f.Library() {
			continue
		}
		for _, imported := range f.imports() {
			if imported == "log" || strings.HasPrefix(imported, "log/") {
				faults = append(faults, f.Path+" imports "+imported)
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					faults = append(faults, f.at(n)+" has an init function")
				}
			case *ast.SelectorExpr:
				switch {
				case isName(n.X, "fmt") && strings.HasPrefix(n.Sel.Name, "Print"),
					isSelector(n, "os", "Stdout"), isSelector(n, "os", "Stderr"), isSelector(n, "os", "Exit"):
					faults = append(faults, f.at(n)+" uses "+n.X.(*ast.Ident).Name+"."+n.Sel.Name)
				}
			case *ast.CallExpr:
				if isName(n.Fun, "print") || isName(n.Fun, "println") {
					faults = append(faults, f.at(n)+" prints")
				}
			}
			return true
		})
	}
	return faults
}

var badType = regexp.MustCompile(`(Manager|Engine|Util|Utils|Helper|Helpers|Context)$`)

// Types checks the names of types, that no struct keeps a context, and that a
// context is a function's first parameter.
func Types(t *Tree) (faults []string) {
	for _, f := range t.Go {
		if f.Test() {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if badType.MatchString(n.Name.Name) {
					faults = append(faults, f.at(n)+": a type named "+n.Name.Name)
				}
			case *ast.StructType:
				for _, field := range n.Fields.List {
					if isSelector(field.Type, "context", "Context") {
						faults = append(faults, f.at(field)+": a struct keeps a context")
					}
				}
			case *ast.FuncType:
				for i, param := range n.Params.List {
					if i > 0 && isSelector(param.Type, "context", "Context") {
						faults = append(faults, f.at(param)+": the context is not the first parameter")
					}
				}
			}
			return true
		})
	}
	return faults
}

// Docs checks that every package and every exported name has a comment.
func Docs(t *Tree) (faults []string) {
	described := make(map[string]bool)
	first := make(map[string]string) // a file of each package
	for _, f := range t.Go {
		if f.Test() {
			continue
		}
		described[f.Dir()] = described[f.Dir()] || f.Doc != nil
		if first[f.Dir()] == "" {
			first[f.Dir()] = f.Path
		}
		for _, d := range f.Decls {
			for _, name := range undocumented(d) {
				faults = append(faults, f.at(d)+": "+name+" has no comment")
			}
		}
	}
	for dir, file := range first {
		if !described[dir] {
			faults = append(faults, file+": package "+path.Base(dir)+" has no comment")
		}
	}
	slices.Sort(faults)
	return faults
}

// undocumented returns the exported names of a declaration that nothing is said
// about. A comment on a group of values is about all of them.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !quietMethod(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// quietMethod tells whether d is a one-line method of a table, such as the Kind
// methods of events that follow the one with the comment.
func quietMethod(d *ast.FuncDecl) bool {
	return d.Recv != nil && d.Body != nil && len(d.Body.List) <= 1 && slices.Contains([]string{"Kind", "Fact"}, d.Name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// Tests checks that no test is skipped without a reason, and that none sleeps
// in a package that does not use the fake clock of testing/synctest. Benchmarks
// may sleep, as their work does, and fuzz targets may skip an input.
func Tests(t *Tree) (faults []string) {
	fake := make(map[string]bool)
	for _, f := range t.Go {
		fake[f.Dir()] = fake[f.Dir()] || f.Test() && slices.Contains(f.imports(), "testing/synctest")
	}
	for _, f := range t.Go {
		if !f.Test() {
			continue
		}
		for _, d := range f.Decls {
			name := ""
			if fn, ok := d.(*ast.FuncDecl); ok {
				name = fn.Name.Name
			}
			mayRest, mayLeave := fake[f.Dir()] || strings.HasPrefix(name, "Benchmark"), strings.HasPrefix(name, "Fuzz")
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && !mayLeave && (s.Sel.Name == "Skip" && len(call.Args) == 0 || s.Sel.Name == "SkipNow") {
					faults = append(faults, f.at(n)+" skips without a reason")
				}
				if isSelector(call.Fun, "time", "Sleep") && !mayRest {
					faults = append(faults, f.at(n)+" sleeps on a real clock")
				}
				return true
			})
		}
	}
	return faults
}
