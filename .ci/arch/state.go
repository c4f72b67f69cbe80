package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// State checks that no package of the library has variables of its own that
// change: none is assigned to, none has its address taken, none is a lock, a
// counter or a channel. What changes behind a method is not seen.
func State(t *Tree) (faults []string) {
	for dir, files := range t.packages() {
		faults = append(faults, state(t, dir, files)...)
	}
	slices.Sort(faults)
	return faults
}

func state(t *Tree, dir string, files []*File) (faults []string) {
	fset := token.NewFileSet()
	var asts []*ast.File
	var named string
	for _, f := range files {
		parsed, err := parser.ParseFile(fset, f.Path, t.Files[f.Path], parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		asts = append(asts, parsed)
		named = parsed.Name.Name
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	p, _ := config.Check(path.Join(Module, dir), fset, asts, info) // names of imports stay unknown, and that is enough
	if p == nil {
		return []string{dir + ": package " + named + " cannot be read"}
	}
	own := func(e ast.Expr) (string, bool) {
		id := base(e)
		if id == nil {
			return "", false
		}
		v, ok := info.Uses[id].(*types.Var)
		return id.Name, ok && v.Parent() == p.Scope()
	}
	for _, file := range asts {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				faults = append(faults, locks(fset, d)...)
			case *ast.FuncDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					for _, e := range changed(n) {
						if name, ok := own(e); ok {
							faults = append(faults, position(fset, n.Pos())+": the package's variable "+name+" changes")
						}
					}
					return true
				})
			}
		}
	}
	return faults
}

// changed returns what n assigns to, or lets others assign to.
func changed(n ast.Node) (out []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			out = n.Lhs
		}
	case *ast.IncDecStmt:
		out = append(out, n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			out = append(out, n.X)
		}
	case *ast.SendStmt:
		out = append(out, n.Chan)
	case *ast.CallExpr:
		if len(n.Args) > 0 && (isName(n.Fun, "delete") || isName(n.Fun, "clear") || isName(n.Fun, "copy")) {
			out = append(out, n.Args[0])
		}
	}
	return out
}

// base returns the name at the root of x.f[i].
func base(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// locks returns the package-level variables whose type says that they change.
func locks(fset *token.FileSet, d *ast.GenDecl) (faults []string) {
	if d.Tok != token.VAR {
		return nil
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		kind := v.Type
		if kind == nil && len(v.Values) > 0 {
			switch x := v.Values[0].(type) {
			case *ast.CompositeLit:
				kind = x.Type
			case *ast.CallExpr:
				if isName(x.Fun, "make") && len(x.Args) > 0 {
					kind = x.Args[0]
				}
			}
		}
		s, selector := kind.(*ast.SelectorExpr)
		_, channel := kind.(*ast.ChanType)
		if channel || selector && (isName(s.X, "sync") || isName(s.X, "atomic")) {
			for _, name := range v.Names {
				faults = append(faults, position(fset, v.Pos())+": the package's variable "+name.Name+" is there to change")
			}
		}
	}
	return faults
}

func position(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// nothing imports every package as an empty one.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	last := path.Base(name)
	if strings.HasPrefix(last, "v") && strings.Trim(last[1:], "0123456789") == "" {
		last = path.Base(path.Dir(name))
	}
	p := types.NewPackage(name, last)
	p.MarkComplete()
	return p, nil
}
