// Command pipeline writes a report in stages that code owns: collecting,
// template, outline, search, schema, render, and at the end done, or failed.
// Each is in the journal before it runs, so a program that is killed in one goes
// on with it: -kill STAGE shows that, and -fail STAGE a stage that fails.
//
//	go run ./examples/pipeline -dir . -journal runs -run r1 -kill render "The state of this folder"
//	go run ./examples/pipeline -dir . -journal runs -run r1
package main

import (
	"context"
	"flag"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/examples/internal/cli"
)

func main() {
	var d desk
	cli.Main(d.run, d.flags)
}

// A desk is where reports are written.
type desk struct {
	*cli.Options
	kill, fail string
}

func (d *desk) flags(o *cli.Options, flags *flag.FlagSet) {
	d.Options = o
	flags.StringVar(&d.kill, "kill", "", "end the process in this `stage`, as a crash would")
	flags.StringVar(&d.fail, "fail", "", "let this `stage` fail")
}

// stages are the way of a report. To add one, add a line, and lead to it.
func (d *desk) stages() []flow.Stage[Report] {
	return []flow.Stage[Report]{
		{Name: "collecting", Run: d.in(d.collect), Next: "template"},
		{Name: "template", Run: d.in(d.template), Next: "outline"},
		{Name: "outline", Run: d.in(d.outline), Next: "search"},
		{Name: "search", Run: d.in(d.search), Next: "schema"},
		{Name: "schema", Run: d.in(d.schema), Next: "render"},
		{Name: "render", Run: d.in(d.render), Next: flow.Done}, // one that fails leads to flow.Failed
	}
}

func (d *desk) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	reports := &flow.Pipeline[Report]{Journal: journal.NewMemory(), Stages: d.stages()}
	if o.Journal != "" {
		store, err := journal.Open(o.Journal)
		if err != nil {
			return agent.Result{}, err
		}
		reports.Journal = store
	}
	key := o.Run
	if key == "" {
		key = "report"
	}
	// An unfinished report of this key is gone on with; else a new one begins.
	var last flow.Record[Report]
	for record, err := range reports.Records(ctx, key, Report{Topic: o.Prompt}) {
		if err != nil {
			return agent.Result{}, err
		}
		last = record
		if o.JSON {
			o.Show(record)
		}
		o.Note("[%s, attempt %d]", record.Stage, record.Attempt)
	}
	return agent.Result{Reason: agent.Completed, Text: last.State.Text, Spent: last.State.Spent, Turns: last.State.Spent.Turns}, nil
}
