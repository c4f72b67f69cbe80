package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A Loop says how to do a kind of work: a model is asked, the tools that it
// calls are run, and it is asked again, until it answers. It is data, shared
// by any number of runs at once and never changed by them. All but Client is
// optional, and every guard can be switched off by itself.
type Loop struct {
	// Name tells this loop from others in traces.
	Name string

	// Client answers the model requests.
	Client llm.Client

	// Instructions are the system text. Prompt, if set, gives it instead: it is
	// asked once for each message of the user.
	Instructions string
	Prompt       Prompter

	// Memory adds what is remembered to the system text; nil adds nothing.
	Memory *Memory

	// Tools are what the model may call. They are read anew for each request.
	Tools *tool.Registry

	// Request holds what every request has beside instructions, messages and
	// tools: effort, temperature, a bound for the reply, a choice. A forced
	// choice of a tool is lifted after the first turn with calls, unless KeepChoice.
	Request    llm.Request
	KeepChoice bool

	// Budget bounds a run; a message after the end of one begins the next.
	// NoWrapUp leaves out the last request, which asks for a report after a limit.
	Budget   budget.Budget
	NoWrapUp bool

	// NoNudge stops a run at its first empty reply.
	NoNudge bool

	// Compressor keeps the requests inside the client's window; nil does not.
	Compressor compress.Compressor

	// Verifier checks an answer before the run counts as Completed. With
	// Feedback a failed check is told to the model, which goes on, until it was
	// made Verifications times (nil is 3). VerifyLimit bounds one check (0 is
	// 60 s). VerifyAlways asks also when a limit or a stall ends the run: the
	// verdict is reported and replaces nothing.
	Verifier      Verifier
	Feedback      bool
	Verifications *int
	VerifyLimit   time.Duration
	VerifyAlways  bool

	// Policy decides about each call before it runs; nil allows all.
	Policy tool.Policy

	// Headless says that nobody can be asked: what the policy would ask is
	// refused, a tool's question is told to the model as unanswered, and so is
	// the unknown outcome of a call that was cut off. It holds for runs within too.
	Headless bool

	// Repeat, if set, is asked about each call with how often it was made since
	// anything changed; true keeps it from running. Two such refusals are a
	// stall. See [RefuseAfter].
	Repeat func(call llm.ToolCall, seen int) bool

	// Parallel is how many calls run at once; 0 is 4. TurnLimit is how long the
	// calls of a turn may run before no more of them are started; 0 is 90 s,
	// tool.Unlimited none.
	// Unordered runs all calls of a turn at once, whatever they do to each other.
	// OverlapLate lets calls run beside one that was given up and may still be running.
	Parallel    int
	TurnLimit   time.Duration
	Unordered   bool
	OverlapLate bool

	// TellAll tells all messages that came during a turn at once, not one a turn.
	TellAll bool

	// Texts are the words in which the loop speaks; the zero Texts is English.
	Texts Texts
}

const (
	maxCuts     = 3 // replies in a row that the output limit cut
	maxNudges   = 2
	maxRefusals = 2 // of the repeat guard

	maxOverflows = 1 // after which a compaction is tried

	defaultVerifications = 3
	defaultVerifyLimit   = 60 * time.Second
	wrapUpLimit          = 30 * time.Second
)

func (l *Loop) verifications() int { return or(l.Verifications, defaultVerifications) }

func or[T any](p *T, otherwise T) T {
	if p != nil {
		return *p
	}
	return otherwise
}

// Open implements [Worker]. A faulty loop is a [*ConfigError], before any request.
func (l *Loop) Open(ctx context.Context, scope Scope, prompts ...string) (*Run, error) {
	if scope.Headless && !l.Headless {
		headless := *l
		headless.Headless = true
		l = &headless
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := l.affords(scope.Pool); err != nil {
		return nil, &ConfigError{"Pool", err}
	}
	return NewRun(ctx, &loopMode{loop: l}, scope, prompts...)
}

// affords tells what is wrong with a pool for this loop.
func (l *Loop) affords(p *budget.Pool) error {
	if p == nil {
		return nil
	}
	if model := llm.DialectOf(l.Client).Model; p.Budget.Cost != nil && !l.Budget.Prices.Known(model) {
		return &budget.UnpricedError{Model: model}
	}
	return p.Budget.Validate()
}

// A ConfigError says what is wrong with a recipe. Field is the name of the field.
type ConfigError struct {
	Field string
	Err   error
}

// Error implements error.
func (e *ConfigError) Error() string { return fmt.Sprintf("agent: %s: %v", e.Field, e.Err) }

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

// Validate reports all that is wrong with the loop, each as a [*ConfigError].
func (l *Loop) Validate() error {
	var faults []error
	fault := func(field string, err error) {
		if err != nil {
			faults = append(faults, &ConfigError{field, err})
		}
	}
	if l.Client == nil {
		fault("Client", errors.New("is missing"))
	}
	fault("Tools", l.Tools.Err())
	fault("Compressor", l.fits())
	fault("Budget", l.Budget.Validate())
	if l.Budget.Cost != nil {
		if model := llm.DialectOf(l.Client).Model; !l.Budget.Prices.Known(model) {
			fault("Budget", &budget.UnpricedError{Model: model})
		}
	}
	if l.Headless && (l.Budget.AskEvery > 0 || l.Budget.Stall.Ask) {
		fault("Budget", errors.New("asks whether to go on, and Headless says that nobody can be asked"))
	}
	if l.Memory != nil && l.Memory.MaxTokens < 0 {
		fault("Memory", fmt.Errorf("%d tokens: negative", l.Memory.MaxTokens))
	}
	if l.Verifier == nil && (l.Feedback || l.VerifyAlways) {
		fault("Verifier", errors.New("is missing, and Feedback or VerifyAlways want it"))
	}
	if l.Parallel < 0 {
		fault("Parallel", fmt.Errorf("%d calls at once: must be 1 or more", l.Parallel))
	}
	if l.Verifications != nil && *l.Verifications < 0 {
		fault("Verifications", fmt.Errorf("%d is negative", *l.Verifications))
	}
	if l.VerifyLimit < 0 {
		fault("VerifyLimit", fmt.Errorf("%v is negative", l.VerifyLimit))
	}
	if l.TurnLimit < 0 && l.TurnLimit != tool.Unlimited {
		fault("TurnLimit", fmt.Errorf("%v is negative", l.TurnLimit))
	}
	return errors.Join(faults...)
}

// RefuseAfter is a [Loop.Repeat] that lets a call run n times and no more.
func RefuseAfter(n int) func(llm.ToolCall, int) bool {
	return func(_ llm.ToolCall, seen int) bool { return seen >= n }
}

// AskForSideEffects is the policy that asks about each call that is not
// read-only. It is tool.AskForSideEffects.
func AskForSideEffects(t tool.Tool, c tool.Call) tool.Verdict { return tool.AskForSideEffects(t, c) }
