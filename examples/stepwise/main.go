// Command stepwise drives a loop by hand: it asks Next what may be done, does
// it, and notes the fact. It uses no Run, so what follows may as well be spread
// over the activities of a workflow engine, with the log in its database.
//
//	go run ./examples/stepwise -dir . "What is here?"
package main

import (
	"context"
	"errors"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() { cli.Main(stepwise) }

func stepwise(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if o.Journal != "" {
		return agent.Result{}, errors.New("its log is in memory; -journal is for the other examples")
	}
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()
	d := driver{loop: recipe(o, files), show: o.Show}
	err = d.drive(ctx, o.Prompt)
	return agent.Fold(d.log...).Result(), err
}

func recipe(o *cli.Options, files *fs.FS) *agent.Loop {
	return &agent.Loop{
		Client:   o.Client(demo.New(demo.React)),
		Tools:    tool.NewRegistry(files.ReadTools()...),
		Verifier: agent.VerifierFunc(looked),
		Budget:   o.Budget(),
	}
}

// looked passes an answer if a call came before it.
func looked(_ context.Context, s agent.State) (agent.Verdict, error) {
	return agent.Verdict{Pass: s.Spent().Calls > 0, Why: "an answer needs a look at the files"}, nil
}
