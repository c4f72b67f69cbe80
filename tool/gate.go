package tool

import (
	"encoding/json"
	"fmt"

	"github.com/triad-go/triad/llm"
)

// A Check is what is settled about a call before it runs: by the first four
// gates, name, arguments, schema and policy. It is data, to be recorded with
// the call, so that nothing is settled twice.
type Check struct {
	// Outcome is OK if the call may run, once Ask is answered; else it says
	// which gate stopped it, and Text what the model is told.
	Outcome Outcome `json:"outcome,omitempty"`
	Text    string  `json:"text,omitempty"`

	// Arguments are those that the call runs with, in one form for equal ones:
	// names sorted, no blanks, defaults of the schema filled in.
	Arguments json.RawMessage `json:"arguments,omitempty"`

	// Use says what the call touches. One that was stopped touches nothing.
	Use Use `json:"use,omitzero"`

	// Ask is the question that a person must answer first; empty if none.
	Ask string `json:"ask,omitempty"`
}

// Stopped tells whether a gate stopped the call.
func (c Check) Stopped() bool { return c.Outcome != OK }

// Result returns the result of a call that was stopped.
func (c Check) Result() Result { return Result{Text: c.Text, Outcome: c.Outcome} }

// nothing is the use of a call that does not run.
var nothing = Use{Keyed: true}

func (c *Check) stop(o Outcome, text string) { c.Outcome, c.Text, c.Use = o, text, nothing }

// Check takes a call through the gates that need no effect: is the name on the
// list, are the arguments an object, does the schema take them, and what does
// the policy say. A gate sees no call that an earlier one stopped, and nothing
// is run. Check is a pure function if the tool's Keys and the policy are; a
// panic of theirs stops the call.
//
// Arguments that a person changed go through Check again.
func (l *List) Check(call llm.ToolCall, policy Policy) Check {
	var check Check
	words := l.words()
	e, ok := l.find(call.Name)
	if !ok {
		check.stop(UnknownTool, l.unknown(call.Name))
		return check
	}
	t := &e.tool
	object, err := parse(call.Arguments)
	if err != nil {
		check.stop(BadArguments, fill(words.NotObject, "name", t.Name, "problem", err.Error()))
		return check
	}
	arguments, faults := e.validate(object)
	if len(faults) > 0 {
		check.stop(BadArguments, words.badArguments(t.Name, faults))
		return check
	}
	check.Arguments = arguments
	if l.use(t, &check); check.Stopped() {
		return check
	}
	if policy != nil {
		found, _ := l.Find(t.Name)
		l.judge(policy, found, Call{ID: call.ID, Name: t.Name, Arguments: arguments}, &check)
	}
	return check
}

func (l *List) find(name string) (*entry, bool) {
	if l == nil {
		return nil, false
	}
	e, ok := l.byName[name]
	return e, ok
}

// use writes into check what the call touches.
func (l *List) use(t *Tool, check *Check) {
	check.Use.Access = t.Access
	if t.Keys == nil {
		return
	}
	defer func() {
		if e := recover(); e != nil {
			check.stop(NotStarted, fill(l.words().KeysFault, "name", t.Name, "panic", fmt.Sprint(e)))
		}
	}()
	keys := t.Keys(check.Arguments)
	if len(keys.Reads)+len(keys.Writes) > 0 { // who names nothing has declared nothing
		check.Use.Keyed, check.Use.Keys = true, keys
	}
}
