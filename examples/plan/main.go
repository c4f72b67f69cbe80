// Command plan reaches a goal by a graph of tasks: a planner drafts it, a person
// reviews it, and workers carry it out side by side. Say what should be in it,
// and it is drafted anew.
//
//	go run ./examples/plan "Create demoapp, read its pom.xml back, check the layout"
//	go run ./examples/plan -yes -graph "Create demoapp, read its pom.xml back, check the layout"
//
// The files go to the folder of -dir, and the run's log to that of -journal, so
// that it waits for who reviews it; without these flags, both are among the
// system's temporary files. No file is written before somebody says so.
package main

import (
	"context"
	"flag"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() {
	var e example
	cli.Main(e.run, cli.Apart, cli.Keeps, e.flags)
}

type example struct{ graph bool }

func (x *example) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.BoolVar(&x.graph, "graph", false, "show the plan as a graph, in Mermaid")
}

func (x *example) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if err := o.MakeDir(); err != nil {
		return agent.Result{}, err
	}
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()
	client := o.Client(demo.New(demo.Plan))
	executor := &plan.Executor{
		Planner: plan.NewPlanner(client),
		Worker: &agent.Loop{
			Client: client, Tools: tool.NewRegistry(files.Tools()...), Policy: o.Policy(), Budget: o.Budget(),
		},
		Review: true,
	}
	run, err := o.Open(ctx, executor)
	if err != nil {
		return agent.Result{}, err
	}
	for event, err := range o.Events(ctx, run) {
		if err != nil {
			return run.Result(), err
		}
		switch e := event.(type) {
		case plan.TaskStarted:
			o.Note("%s begins", e.ID)
		case plan.TaskEnded:
			o.Note("%s: %s", e.ID, e.Status)
		case plan.Drafted:
			if o.Yes || x.graph { // else the review shows the tasks
				err = x.show(ctx, o, run)
			}
		case agent.Stopped:
			err = x.show(ctx, o, run)
		}
		if err != nil {
			return run.Result(), err
		}
	}
	return run.Result(), nil
}

// show shows the plan as it is now: its graph, or a line a task.
func (x *example) show(ctx context.Context, o *cli.Options, run *agent.Run) error {
	log, err := run.Log(ctx)
	if err != nil {
		return err
	}
	state := plan.Fold(log...)
	if dag := state.DAG(); dag != nil && x.graph {
		o.Note("%s", strings.TrimSpace(dag.Mermaid()))
		return nil
	}
	for _, t := range state.Tasks() {
		after := ""
		if len(t.Dependencies) > 0 {
			after = " (after " + strings.Join(t.Dependencies, ", ") + ")"
		}
		o.Note("  %-9s  %s: %s%s", t.Status, t.ID, t.Description, after)
	}
	return nil
}
