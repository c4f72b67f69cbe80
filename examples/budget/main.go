// Command budget shows what a long run pays for. Every request sends the whole
// history again, so input grows with the square of the turns and outweighs
// output by far: in long runs that were recorded, 27 to 1. A limit of turns says
// little about the bill; a limit of tokens is the bill.
//
//	go run ./examples/budget -dir . -max-tokens 30000 "Read all that is here."
package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() {
	var r reading
	cli.Main(r.run, r.flags)
}

// A reading is a run that reads on and on.
type reading struct{ maxTokens int }

func (r *reading) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.IntVar(&r.maxTokens, "max-tokens", 30_000, "stop after so many tokens, input and output together")
}

func (r *reading) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := fs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()

	limits := o.Budget()
	limits.Tokens = budget.Max(r.maxTokens)
	loop := &agent.Loop{
		Client: o.Client(demo.New(demo.Read)),
		Tools:  tool.NewRegistry(files.ReadTools()...),
		Budget: limits,
	}
	run, err := o.Open(ctx, loop)
	if err != nil {
		return agent.Result{}, err
	}
	var sum llm.Usage
	var first, last int // input of the first request and of the last
	turns := 0
	for event, err := range o.Events(ctx, run) {
		if err != nil {
			return run.Result(), err
		}
		if replied, ok := event.(agent.Replied); ok {
			turns++
			last = replied.Reply.Usage.Input
			if turns == 1 {
				first = last
			}
			sum = sum.Plus(replied.Reply.Usage)
			o.Note("  turn %d: sends %d tokens; so far %d in, %d out, %s", turns, last, sum.Input, sum.Output, ratio(sum))
		}
	}
	bill(o, run.Result(), turns, first, last)
	return run.Result(), nil
}

// bill says what was spent, and what the formula says of it: what each turn adds
// is sent again with every request after it.
func bill(o *cli.Options, result agent.Result, turns, first, last int) {
	used := result.Spent.Usage()
	o.Note("Spent %d tokens in %d turns: %d in, %d out, %s.", result.Spent.Tokens(), result.Turns, used.Input, used.Output, ratio(used))
	if wrapUp := result.Spent.WrapUp; wrapUp != (llm.Usage{}) {
		o.Note("The last report, after the limit, is %d of them.", wrapUp.Input+wrapUp.Output)
	}
	if turns < 2 {
		return
	}
	increment := (last - first) / (turns - 1)
	o.Note("A turn adds about %d tokens. Sent again and again they make %d in %d turns, and would make %d in %d.",
		increment, llm.ResentInput(increment, turns), turns, llm.ResentInput(increment, 2*turns), 2*turns)
}

func ratio(u llm.Usage) string { return fmt.Sprintf("%d:1", u.Input/max(1, u.Output)) }
