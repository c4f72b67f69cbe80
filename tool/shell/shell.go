// Package shell lets an agent run commands and other programs.
//
// [Shell] is the tool run_command, [Process] makes a tool of any external
// program. Both run a program in a process group of its own, with an empty
// standard input, a clean environment and bounded output, and end the whole
// group when the call is canceled. None of this is a sandbox: a command may do
// what the user of the host may.
package shell

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/triad-go/triad/tool"
)

// Defaults of a [Shell] and a [Process].
const (
	DefaultMaxOutput = 16 << 10
	DefaultGrace     = 5 * time.Second
)

// A Shell runs the commands of an agent. The zero Shell runs them with /bin/sh
// in the host's working directory. Do not change it while its tool is in use.
type Shell struct {
	Dir string // working directory; empty is the host's

	// Env adds to the environment: "NAME=value" as it is, and "NAME" with the
	// host's value. Without it a command gets PATH, HOME, USER, LOGNAME,
	// TMPDIR, TZ, LANG, LC_ALL and LC_CTYPE (on Windows also what its programs
	// need to start), so the host's keys are not passed on unless named here.
	Env []string

	// Deny refuses commands before anything runs. Nil is [DefaultRules], an
	// empty one refuses nothing. A rule without a pattern refuses everything.
	Deny []Rule

	// Interpreter is the program, with its first arguments, that is given the
	// command; nil is /bin/sh -c (on Windows cmd /C).
	Interpreter []string

	// MaxOutput bounds what is kept of standard output, and of standard error,
	// in bytes: the beginning and the end. 0 is [DefaultMaxOutput].
	MaxOutput int

	// Limit and LimitCap are the tool's; see [tool.Tool].
	Limit, LimitCap time.Duration

	// Grace is the time between SIGTERM and SIGKILL for a group that is to
	// end; 0 is [DefaultGrace].
	Grace time.Duration

	Texts Texts // the words of a result
}

// arguments are those of run_command.
type arguments struct {
	Command string  `json:"command" jsonschema:"minLength=1,description=The command line"`
	Timeout float64 `json:"timeout_seconds,omitempty" jsonschema:"exclusiveMinimum=0,description=Time limit of this command"`
}

// Tool returns run_command. It is side-effecting and limited in time; a call
// may ask for its own limit up to the cap. A command that ends with another
// exit code than 0 is a result of outcome [tool.Failed], one that a rule
// refuses is [tool.Refused], and both say why. A negative bound is a fault that
// registration reports.
func (s Shell) Tool() tool.Tool {
	t := tool.NewWithCall("run_command", description(s.Limit, s.LimitCap), s.run)
	t.Limit, t.LimitParam, t.LimitCap = s.Limit, "timeout_seconds", s.LimitCap
	t.Grace, t.MaxText = toolGrace(s.Grace), toolMaxText(s.MaxOutput)
	return t
}

// run runs one command.
func (s Shell) run(ctx context.Context, call tool.Call, in arguments) (tool.Result, error) {
	texts := s.Texts.complete()
	if rule, denied := s.Denied(in.Command); denied {
		return tool.Result{Text: fill(texts.Refused, "{rule}", rule.Name), Outcome: tool.Refused, Changed: tool.Unchanged}, nil
	}
	argv := s.Interpreter
	if len(argv) == 0 {
		argv = interpreter()
	}
	e, err := program{
		argv: append(slices.Clip(argv), in.Command), dir: s.Dir, env: environ(s.Env),
		max: maxOutput(s.MaxOutput), grace: grace(s.Grace), lines: call.Report,
	}.run(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: e.report(texts), Outcome: e.outcome()}, nil
}

// toolGrace is the grace of a tool whose programs have grace d: longer, so that
// a call is not given up while its group is being ended.
func toolGrace(d time.Duration) time.Duration {
	if d < 0 {
		return d // refused at registration
	}
	return grace(d) + time.Second
}

// toolMaxText is the cap of a tool whose programs may write n bytes to each of
// two outputs: above all that a result can have of them, as bytes that are no
// text are told as longer ones, so that n alone is the bound.
func toolMaxText(n int) int {
	if n < 0 {
		return n // refused at registration
	}
	return max(tool.DefaultMaxText, 5*min(n, math.MaxInt/5))
}

func grace(d time.Duration) time.Duration { return cmp.Or(d, DefaultGrace) }

func maxOutput(n int) int { return cmp.Or(max(0, n), DefaultMaxOutput) }
