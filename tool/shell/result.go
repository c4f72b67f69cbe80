package shell

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/triad-go/triad/tool"
)

// outcome says what the ending means for the call. An exit code is a result
// for the model to read, never an error of the run.
func (e ending) outcome() tool.Outcome {
	switch {
	case errors.Is(e.cut, context.DeadlineExceeded):
		return tool.TimedOut
	case e.cut != nil:
		return tool.Canceled
	case e.code != 0:
		return tool.Failed
	}
	return tool.OK
}

// success tells what a program wrote that did its work: its output alone, and
// only where it wrote to standard error too, both.
func (e ending) success(t Texts) string {
	if e.stderr.empty() && !e.leftovers && !e.stdout.empty() {
		return e.stdout.text(t)
	}
	return e.report(t)
}

// report tells the whole ending: how it ended, then both outputs.
func (e ending) report(t Texts) string {
	parts := []string{e.status(t)}
	section := func(title string, o *output) {
		if !o.empty() {
			parts = append(parts, title, strings.TrimRight(o.text(t), "\n"))
		}
	}
	section(t.Stdout, e.stdout)
	section(t.Stderr, e.stderr)
	if len(parts) == 1 {
		parts = append(parts, t.NoOutput)
	}
	if e.leftovers {
		parts = append(parts, t.Leftovers)
	}
	return strings.Join(parts, "\n")
}

// status is the first line of a report.
func (e ending) status(t Texts) string {
	switch {
	case e.cut != nil:
		return fill(t.Cut, "{elapsed}", e.elapsed.Round(100*time.Millisecond))
	case e.code < 0:
		return fill(t.Signal, "{state}", e.state)
	}
	return fill(t.ExitCode, "{code}", e.code)
}
