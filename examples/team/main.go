// Command team reaches a goal with a planner, two workers and a reviewer. What
// the reviewer rejects goes back to its worker with the issues.
//
//	go run ./examples/team -yes "Write a guide and a list of questions for demoapp"
//
// The files go to the folder of -dir, and the run's log to that of -journal;
// without these flags, both are among the system's temporary files.
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

func main() { cli.Main(example, cli.Apart, cli.Keeps) }

func example(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if err := o.MakeDir(); err != nil {
		return agent.Result{}, err
	}
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
	// The tasks run side by side, and are shown one after the other.
	for event, err := range o.Watch(run, team.InOrder(run.Events(ctx), before...)) {
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
