// Command plan reaches a goal by a graph of tasks: a planner drafts it, a person
// reviews it, and workers carry it out side by side. Say what should be in it,
// and it is drafted anew.
//
//	go run ./examples/plan -dir /some/folder "Create demoapp, read its pom.xml back, check the layout"
package main

import (
	"context"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() { cli.Main(example) }

func example(ctx context.Context, o *cli.Options) (agent.Result, error) {
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
		case plan.Drafted, agent.Stopped:
			if err := graph(ctx, o, run); err != nil {
				return run.Result(), err
			}
		}
	}
	return run.Result(), nil
}

// graph shows the plan as it is now.
func graph(ctx context.Context, o *cli.Options, run *agent.Run) error {
	log, err := run.Log(ctx)
	if err != nil {
		return err
	}
	if dag := plan.Fold(log...).DAG(); dag != nil {
		o.Note("%s", strings.TrimSpace(dag.Mermaid()))
	}
	return nil
}
