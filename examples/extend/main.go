// Command extend adds to a loop what the library does not have, with nothing but
// its events: diagnostics that reach the model before its next turn, and an undo
// of all that a run has changed.
//
//	go run ./examples/extend -yes "Write a greeting in Go."
//	go run ./examples/extend -yes -undo "Write a greeting in Go."
//
// The file goes to the folder of -dir; without it, to one among the system's
// temporary files, which is named.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() {
	var e extension
	cli.Main(e.run, cli.Apart, e.flags)
}

type extension struct{ undo bool }

func (x *extension) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.BoolVar(&x.undo, "undo", false, "put all files back when the run is over")
}

func (x *extension) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if err := o.MakeDir(); err != nil {
		return agent.Result{}, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer root.Close()
	folder, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer folder.Close()
	tools := tool.NewRegistry(folder.Tools()...)
	loop := &agent.Loop{Client: o.Client(demo.New(demo.Greet)), Tools: tools, Policy: o.Policy(), Budget: o.Budget()}
	run, err := o.Open(ctx, loop)
	if err != nil {
		return agent.Result{}, err
	}

	before, changes := snapshot{}, map[string]string{} // files by call
	for event, err := range o.Events(ctx, run) {
		if err != nil {
			return run.Result(), err
		}
		switch e := event.(type) {
		case agent.CallStarted: // nothing is done about it before this loop body has returned
			if t, ok := tools.List().Find(e.Name); ok && t.Access != tool.ReadOnly {
				changes[e.Call] = path(e.Arguments)
				err = before.take(root, changes[e.Call])
			}
		case agent.CallEnded: // nor is the model asked again before it has returned
			if faults := diagnose(root, changes[e.Call]); faults != "" {
				err = run.Say("Diagnostics: " + faults)
			}
		}
		if err != nil {
			return run.Result(), err
		}
	}
	if x.undo {
		err = before.restore(root)
		o.Note("Put back: %s.", strings.Join(slices.Sorted(maps.Keys(before)), ", "))
	}
	return run.Result(), err
}

// path is the argument that names the file, in each tool of tool/fs.
func path(arguments json.RawMessage) string {
	var in struct{ Path string }
	json.Unmarshal(arguments, &in) // the tool's schema was checked before the call was noted
	return in.Path
}

// diagnose returns what is wrong with a Go file, or "".
func diagnose(root *os.Root, name string) string {
	text, err := root.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".go") {
		return ""
	}
	if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.AllErrors); err != nil {
		return err.Error()
	}
	return ""
}
