// Command hello asks a model one question and shows the answer as it is written.
//
//	go run ./examples/hello "What is a DAG?"
package main

import (
	"context"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
)

func main() { cli.Main(hello) }

func hello(ctx context.Context, o *cli.Options) (agent.Result, error) {
	loop := &agent.Loop{
		Client:       o.Client(demo.New(demo.Hello)),
		Instructions: "Answer briefly.",
		Budget:       o.Budget(),
	}
	return o.Drive(ctx, loop)
}
