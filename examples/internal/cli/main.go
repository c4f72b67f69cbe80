package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/triad-go/triad/agent"
)

// broken is the reason of a run that an error keeps from going on. It is none
// of package agent's: such a run has not ended.
const broken agent.Reason = "error"

// An Example is what a program shows. It shows events as they come and returns
// how far the run came. Its error is one that kept the run from going on, or
// from beginning; a limit is a result. See [Options.Drive].
type Example func(ctx context.Context, o *Options) (agent.Result, error)

// A Setup prepares the command line of an example: flags of its own, and what
// else differs from the rest.
type Setup func(o *Options, flags *flag.FlagSet)

// Main runs the example with the process's arguments and streams, and ends the
// process with its exit status. An interrupt ends the context; a second one
// ends the process.
func Main(e Example, setups ...Setup) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, e, os.Args, os.Stdin, os.Stdout, os.Stderr, setups...))
}

// Run runs the example with the arguments, of which the first is the program's
// name, and returns its exit status: 0 completed, 3 paused, 2 every other
// stop, 1 error or usage.
func Run(ctx context.Context, e Example, args []string, in io.Reader, out, errs io.Writer, setups ...Setup) int {
	name := filepath.Base(args[0])
	o, err := parse(name, args[1:], in, out, errs, setups...)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errs, "%s: %v\n", name, err)
		return 1
	}
	result, err := e(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		result.Reason, err = agent.Canceled, nil
	case err != nil:
		result.Reason = broken
	}
	if o.JSON {
		o.show.json(lastLine(o.Run, result, err))
	} else {
		o.show.result(o.Run, result)
	}
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", name, err)
	}
	return status(result.Reason)
}

func status(r agent.Reason) int {
	switch r {
	case agent.Completed:
		return 0
	case agent.Waits:
		return 3
	case broken:
		return 1
	}
	return 2
}
