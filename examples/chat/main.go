// Command chat talks with a model in a terminal.
//
// What you type while it works is told to it with its next request. Ctrl-C once
// lets it rest when its tool calls have ended, twice cancels all that is under
// way; nothing is lost by either, and what you say next goes on from there. When
// nothing is under way, Ctrl-C or the end of input ends the chat.
//
//	go run ./examples/chat -dir .
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() {
	c := chat{interrupts: make(chan os.Signal, 3)}
	signal.Notify(c.interrupts, os.Interrupt)
	// An interrupt is not the end here, so this is not cli.Main.
	os.Exit(cli.Run(context.Background(), c.run, os.Args, os.Stdin, os.Stdout, os.Stderr, setup))
}

func setup(o *cli.Options, _ *flag.FlagSet) {
	o.Chats, o.Terminal = true, false // the chat reads all lines and asks all questions itself
}

type chat struct{ interrupts chan os.Signal }

func (c *chat) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()
	run, err := o.Open(ctx, &agent.Loop{
		Client:     o.Client(demo.New(demo.Chat)),
		Tools:      tool.NewRegistry(append(files.Tools(), agent.AskHuman())...),
		Policy:     o.Policy(),
		Budget:     o.Budget(),
		Compressor: o.Compressor(),
	})
	if err != nil {
		return agent.Result{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := talk{o: o, run: run, lines: o.Lines(ctx), interrupts: c.interrupts}
	// What a paused run asks, also within it, is known when its events have come.
	for goOn := o.Prompt != "" || len(o.Answers) > 0 || run.Result().Reason == agent.Waits; ; {
		if goOn {
			if err := t.work(ctx); err != nil {
				return run.Result(), err
			}
		}
		goOn, err = t.listen()
		if err != nil {
			return run.Result(), err
		}
		if !goOn {
			return t.over(ctx)
		}
	}
}

// over returns how the chat has ended. One in which nothing was said is as good
// as any.
func (t *talk) over(ctx context.Context) (agent.Result, error) {
	result := t.run.Result()
	log, err := t.run.Log(ctx)
	if err == nil && len(log) == 0 {
		result.Reason = agent.Completed
	}
	return result, err
}

// listen takes the person's next line while nothing is under way: an answer, if
// the run asks, or something new. It is false when the chat is over.
func (t *talk) listen() (goOn bool, err error) {
	questions := t.run.Result().Questions
	if len(questions) > 0 {
		t.o.Ask(questions[0])
	} else {
		t.o.Note("(your turn)")
	}
	for {
		select {
		case <-t.interrupts:
			return false, nil
		case line, ok := <-t.lines:
			if !ok {
				return false, nil
			}
			if len(questions) == 0 {
				return true, t.run.Say(line)
			}
			if answer, ok := cli.Understood(questions[0], line); ok {
				return true, t.run.Answer(questions[0].ID, answer)
			}
			t.o.Ask(questions[0])
		}
	}
}
