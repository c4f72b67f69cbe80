// Package tool defines what an agent can do.
//
// A [Tool] is data: what the model is told, what the call does to the world,
// its limits, and the function. [New] makes one from a Go function; a
// [Registry] holds those that a run offers. [Order] is the one rule of
// scheduling, [Tool.Do] the one way that a call is run.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/triad-go/triad/llm"
)

// An Access says what a tool does to the world. Nothing said is the worst said.
type Access uint8

// The accesses. A tool that says [ReadOnly] promises to change nothing: its
// calls run beside each other and may be run again.
const (
	SideEffecting Access = iota
	ReadOnly
)

// Unlimited, as a tool's Limit, lets its calls take as long as they take.
const Unlimited time.Duration = -1

// Defaults of the limits of a call.
const (
	DefaultLimit    = 60 * time.Second
	DefaultLimitCap = 300 * time.Second
	DefaultGrace    = 500 * time.Millisecond
)

// DefaultMaxText is how much text a call may tell the model, in bytes. It only
// keeps a mistake from filling the memory; what fits a context is compaction's matter.
const DefaultMaxText = 256 << 10

// A Tool describes one thing that an agent can do. It is data: copy it to
// change it. Name, Description and Schema are what the model is told.
type Tool struct {
	llm.Spec
	Access Access

	// Run does the work. What it returns is told to the model; so is its error,
	// which ends neither its mates nor the run. A [Signal], such as a [Pause],
	// is told to who runs the call.
	Run func(ctx context.Context, call Call) (Result, error)

	// Keys names what a call with these (valid) arguments reads and writes, so
	// that calls on different things may overlap; see [Order]. Nil declares
	// nothing, and so do Keys that name nothing. Use [KeysOf] for typed arguments.
	Keys func(arguments json.RawMessage) Keys

	// Limit is how long a call may take: 0 is [DefaultLimit], [Unlimited] none.
	// LimitParam names an argument, in seconds, by which a call asks for its
	// own limit, up to LimitCap (0 is [DefaultLimitCap], or Limit if it is longer).
	Limit      time.Duration
	LimitParam string
	LimitCap   time.Duration

	// Grace is how long a call may take to come back after it was canceled,
	// before it is given up; 0 is [DefaultGrace].
	Grace time.Duration

	// Repeatable says that a call may be run again under its [Call.Key] without
	// doing its work twice. A [ReadOnly] tool always may.
	Repeatable bool

	// Reconcile asks the world whether a call that was cut off took place.
	Reconcile func(ctx context.Context, call Call) (Reconciled, error)

	// Ignore names arguments that do not count when two calls are compared for
	// being the same, such as a time stamp.
	Ignore []string

	// Convert turns text arguments into the declared number, boolean, array or
	// object where nothing is lost ("3" to 3). A declared string is never converted.
	Convert bool

	// MaxText is how many bytes of text the model is told; what is in the middle
	// of a longer one is left out. 0 is [DefaultMaxText].
	MaxText int

	// Untrusted wraps results as data from outside; see [Untrusted].
	Untrusted bool

	// Protected results are never cleared or cut by compaction, such as a skill's text.
	Protected bool

	err   error  // a fault of construction, reported when the tool is registered
	probe probe  // of a typed tool
	texts *Texts // of the registry that the tool was found in; nil is English
}

// Keys is what a call touches. Keys are plain text, compared exactly; giving
// one thing one key is the tool's duty.
type Keys struct {
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
}

// A Call is one use of a tool, its arguments decoded and checked.
type Call struct {
	ID   string // the provider's; it may repeat, so do not build on it
	Name string // of the tool

	// Arguments are a JSON object that the tool's schema accepts, written anew
	// in one form, whatever the model's was: names sorted at every depth, no
	// blanks, whole numbers of up to 20 digits as these (3.0 as 3), defaults of
	// the schema filled in. They are the log's too, so they must not be written to.
	Arguments json.RawMessage

	// Key names the call in the whole world: the run's id and the call's place
	// in it, such as "run-42/7.1". It is the same at every try: use it as an
	// idempotency key.
	Key string

	// Saved and Answer are set when the call goes on after a [Pause].
	Saved  json.RawMessage
	Answer string

	// Report, if not nil, tells a reader how far the call has come. It is shown
	// and not kept; after the call has ended it does nothing.
	Report func(progress string)
}

// Progress tells a reader how far the call has come.
func (c Call) Progress(text string) {
	if c.Report != nil {
		c.Report(text)
	}
}

// An Outcome says how a call ended. It is never read from a result's text.
type Outcome string

// The outcomes. The zero Outcome is [OK].
const (
	OK           Outcome = ""
	Failed       Outcome = "failed"        // the tool returned an error
	Panicked     Outcome = "panicked"      // the tool panicked
	TimedOut     Outcome = "timed_out"     // the call met its limit
	Canceled     Outcome = "canceled"      // the run was stopped while it ran; whether it took place is unknown
	UnknownTool  Outcome = "unknown_tool"  // no such tool was advertised
	BadArguments Outcome = "bad_arguments" // the arguments are no object, or the schema refuses them
	Refused      Outcome = "refused"       // by policy
	Denied       Outcome = "denied"        // by a person
	NotStarted   Outcome = "not_started"   // a limit, a stop or a call before it came first
	Unknown      Outcome = "unknown"       // cut off: it may or may not have taken place
	Repeated     Outcome = "repeated"      // the repeat guard would not run it once more
)

// Started tells whether a call with this outcome had begun to run.
func (o Outcome) Started() bool {
	switch o {
	case UnknownTool, BadArguments, Refused, Denied, NotStarted, Repeated:
		return false
	}
	return true
}

// A Change says whether a call changed the world; the zero Change says nothing.
type Change string

// The changes.
const (
	Changed   Change = "yes"
	Unchanged Change = "no"
)

// A Result is what a call comes to.
type Result struct {
	Text    string      `json:"text"`
	Images  []llm.Image `json:"images,omitempty"`
	Outcome Outcome     `json:"outcome,omitempty"`
	Changed Change      `json:"changed,omitempty"`

	// End asks that the run end here. It does when all results of a turn ask.
	End bool `json:"end,omitempty"`
}

// Text returns a result that says text.
func Text(text string) Result { return Result{Text: text} }

// Failed tells whether the call did not do what it was asked.
func (r Result) Failed() bool { return r.Outcome != OK }

// Message returns the result as the answer to call id of the tool name.
func (r Result) Message(id, name string) llm.ToolResult {
	return llm.ToolResult{CallID: id, Name: name, Text: r.Text, Images: r.Images, Failed: r.Failed()}
}

// Reconciled is what the world says of a call that was cut off.
type Reconciled struct {
	Happened bool
	Result   Result // if it happened
}

// A Pause is the error of a Run that must wait for an answer from outside. The
// call is run again from its start, with Saved and the answer in its [Call],
// so what it did before must be safe to repeat.
type Pause struct {
	Question string
	Choices  []string        // what can be answered; none means words
	Saved    json.RawMessage // handed back with the answer; must be JSON
	Urgency  string          // low, medium or high; empty says nothing
}

// Error implements error.
func (p *Pause) Error() string {
	if p == nil {
		return "tool: waiting for an answer to nothing"
	}
	return "tool: waiting for an answer: " + p.Question
}

// Signal implements [Signal].
func (*Pause) Signal() {}
