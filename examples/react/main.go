// Command react does what it is asked in a folder: a loop of reasoning, tool
// calls and their results. It reads by itself and asks before it writes a file
// or runs a command.
//
//	go run ./examples/react -dir . "What does this module depend on, and where is the loop?"
package main

import (
	"context"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
	"github.com/triad-go/triad/tool/shell"
	"github.com/triad-go/triad/tool/web"
)

func main() { cli.Main(react) }

func react(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()

	tools := tool.NewRegistry(files.Tools()...) // read_file, list_dir, glob, grep, write_file, edit_file
	if err := tools.Add(shell.Shell{Dir: o.Dir}.Tool(), web.Web{}.Fetch(), agent.AskHuman()); err != nil {
		return agent.Result{}, err
	}
	loop := &agent.Loop{
		Client:       o.Client(demo.New(demo.React)),
		Instructions: "Answer from what the files say. Look before you answer, and change nothing that you were not asked to.",
		Tools:        tools,
		Policy:       o.Policy(),     // with -yes nobody is asked
		Budget:       o.Budget(),     // -max-turns, -timeout
		Compressor:   o.Compressor(), // -window
	}
	return o.Drive(ctx, loop)
}
