// Command pipeline writes a report in stages that code owns: collecting,
// template, outline, search, schema, render, and at the end done, or failed.
// Each is in the journal before it runs, so a program that is killed in one goes
// on with it: -kill STAGE shows that, and -fail STAGE a stage that fails.
//
//	go run ./examples/pipeline -dir . -run r1 -kill render "The state of this folder"
//	go run ./examples/pipeline -dir . -run r1
//
// The folder of -dir is only read. The report goes to the file of -report, and
// the stages to the folder of -journal; without these flags both are among the
// system's temporary files, and it says where.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"path/filepath"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/examples/internal/cli"
)

func main() {
	var d desk
	cli.Main(d.run, cli.Keeps, d.flags)
}

// A desk is where reports are written.
type desk struct {
	*cli.Options
	report, kill, fail string
}

func (d *desk) flags(o *cli.Options, flags *flag.FlagSet) {
	d.Options = o
	flags.StringVar(&d.report, "report", filepath.Join(cli.Scratch(flags.Name()), "report.md"), "the `file` to write the report to")
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
	store, err := o.Store(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	if o.Run == "" {
		o.Run = "report-" + strings.ToLower(rand.Text()[:6])
	}
	reports := &flow.Pipeline[Report]{Journal: store, Stages: d.stages()}
	o.Note("(the stages are kept in %s, the report goes to %s)", filepath.Join(o.Journal, o.Run), d.report)
	if o.Prompt == "" { // nothing to begin with
		last, found, err := reports.Find(ctx, o.Run)
		if err != nil || found && last.Stage == flow.Done {
			return result(last.State), err
		}
	}
	// An unfinished report of this run is gone on with; else a new one begins.
	var last flow.Record[Report]
	for record, err := range reports.Records(ctx, o.Run, Report{Topic: o.Prompt}) {
		if err != nil {
			return agent.Result{}, err
		}
		last = record
		if o.JSON {
			o.Show(record)
		}
		o.Note("[%s, attempt %d]", record.Stage, record.Attempt)
	}
	return result(last.State), nil
}

func result(r Report) agent.Result {
	return agent.Result{Reason: agent.Completed, Text: r.Text, Spent: r.Spent, Turns: r.Spent.Turns}
}
