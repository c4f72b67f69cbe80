// Command approve pauses before a side effect and goes on in another process,
// when somebody has answered: seconds or days later. Nothing runs meanwhile; the
// run is its log in the journal.
//
//	go run ./examples/approve -run r1 "Announce that the build is green."
//	go run ./examples/approve -run r1 -answer 1.1=approve
//
// Other answers are 1.1=deny:REASON and 1.1='edit:{"text":"…"}'. With -post the
// answer is left in the run's mailbox, as a web handler would do it, and whoever
// runs the run takes it in.
//
// It writes announcements.txt to the folder of -dir, and the run's log to that of
// -journal; without these flags both are among the system's temporary files, and
// it says where. A run that has ended gives its stored result, so take a new name
// to see it pause again.
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
)

func main() {
	var a approval
	cli.Main(a.run, cli.Apart, cli.Keeps, a.flags)
}

type approval struct{ post bool }

func (a *approval) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.BoolVar(&a.post, "post", false, "leave the answers in the run's mailbox, and run nothing")
}

func (a *approval) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if a.post {
		return post(ctx, o)
	}
	file := filepath.Join(o.Dir, "announcements.txt")
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return agent.Result{}, err
	}
	o.Note("(announcements go to %s, runs are kept in %s)", file, o.Journal)
	loop := &agent.Loop{
		Client: o.Client(demo.New(demo.Announce)),
		Tools:  tool.NewRegistry(announce(file)),
		Policy: o.Policy(), // agent.AskForSideEffects
		Budget: o.Budget(),
	}
	// The same line begins the run and goes on with it; its answers come with
	// the flags. See cli.Options.Drive for the loop over the events.
	return o.Drive(ctx, loop)
}

// announce adds a line to a file that everybody reads. A tool that says nothing
// about itself has side effects, so it is asked about, and is never run a
// second time because nobody knows whether it ran.
func announce(file string) tool.Tool {
	return tool.New("announce", "Tells everybody.", func(_ context.Context, in struct {
		Text string `json:"text" jsonschema:"minLength=1"`
	}) (string, error) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(in.Text + "\n")
		return "told: " + in.Text, errors.Join(err, f.Close())
	})
}

// post leaves the answers for whoever runs the run. It needs no loop, no model
// and no lock: only the journal's mailbox.
func post(ctx context.Context, o *cli.Options) (agent.Result, error) {
	if len(o.Answers) == 0 {
		return agent.Result{}, errors.New("-post needs -answer")
	}
	store, err := o.Store(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	for _, a := range o.Answers {
		if err := agent.Post(ctx, store, o.Run, "", agent.Answered{ID: a.ID, Answer: a.Answer}); err != nil {
			return agent.Result{}, err
		}
		o.Note("Posted the answer to %s.", a.ID)
	}
	return agent.Result{Reason: agent.Completed}, nil
}
