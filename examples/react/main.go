// Command react answers a question about a folder: a loop of reasoning, tool
// calls and their results. It only reads.
//
//	go run ./examples/react -dir . "What is this, and where does it say 'package main'?"
package main

import (
	"context"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() { cli.Main(react) }

func react(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()
	loop := &agent.Loop{
		Client:       o.Client(demo.New(demo.React)),
		Instructions: "Answer from what the files say. Look before you answer.",
		Tools:        tool.NewRegistry(files.ReadTools()...),
		Budget:       o.Budget(),
	}
	return o.Drive(ctx, loop)
}
