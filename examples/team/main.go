// Command team reaches a goal with a planner, two workers and a reviewer. What
// the reviewer rejects goes back to its worker with the issues.
//
//	go run ./examples/team -dir /some/folder -yes "Write a guide and a list of questions for demoapp"
package main

import (
	"context"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
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
	crew := &team.Orchestrator{
		Client: o.Client(demo.New(demo.Team)),
		Tools:  tool.NewRegistry(files.Tools()...), Policy: o.Policy(), Budget: o.Budget(), // the workers'
	}
	run, err := o.Open(ctx, crew)
	if err != nil {
		return agent.Result{}, err
	}
	before, err := run.Log(ctx) // of a run that goes on
	if err != nil {
		return agent.Result{}, err
	}
	// The calls are shown as they come, and what they lead to task by task.
	for event, err := range team.InOrder(o.Events(ctx, run), before...) {
		if err != nil {
			return run.Result(), err
		}
		switch e := event.(type) {
		case agent.Inner:
			tell(o, e)
		case plan.TaskEnded:
			o.Note("%s is %s", e.ID, team.StatusOf(plan.Task{Outcome: e.Outcome}))
		}
	}
	return run.Result(), nil
}

// tell shows who does a task, and what the reviewer says.
func tell(o *cli.Options, e agent.Inner) {
	switch f := e.Event.(type) {
	case team.WorkStarted:
		o.Note("%s: %s, try %d", e.Path, f.Worker, f.Try)
	case team.ReviewEnded:
		switch {
		case f.Verdict == nil:
			o.Note("%s: no verdict: %s", e.Path, f.Fault)
		case !f.Verdict.Approved:
			o.Note("%s: sent back: %q", e.Path, f.Verdict.Issues)
		}
	}
}
