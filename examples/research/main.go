// Command research finds out what a folder of documents says: it plans tasks,
// does them, lets a critic judge the results, plans again from the critique, and
// writes a report.
//
//	go run ./examples/research -dir agent/prompt/files/modes "What are these documents about?"
//
// It writes no file, unless -report names one.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// A research keeps its flags.
type research struct{ report string }

func main() {
	var r research
	cli.Main(r.run, r.flags)
}

func (r *research) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.StringVar(&r.report, "report", "", "`file` to write the report to, beside showing it")
}

func (r *research) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()
	client := o.Client(demo.New(demo.Research))
	run, err := o.Open(ctx, &plan.Research{
		Client: client,
		Worker: &agent.Loop{Client: client, Tools: tool.NewRegistry(files.ReadTools()...), Budget: o.Budget()},
	})
	if err != nil {
		return agent.Result{}, err
	}
	for event, err := range o.Events(ctx, run) {
		if err != nil {
			return run.Result(), err
		}
		switch e := event.(type) {
		case plan.Drafted:
			for _, t := range e.Tasks {
				o.Note("%s (order %d): %s", t.ID, t.Order, t.Description)
			}
		case plan.Judged:
			o.Note("critic: passed %v %s", e.Pass, e.Why)
		}
	}
	result := run.Result()
	if r.report != "" && result.Text != "" {
		if err = os.WriteFile(r.report, []byte(result.Text+"\n"), 0o644); err == nil {
			o.Note("(the report is in %s)", r.report)
		}
	}
	return result, err
}
