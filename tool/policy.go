package tool

import "fmt"

// A Policy decides about a call whose arguments are valid. It is pure: it looks
// at nothing but the tool and the call, so that asking it again gives the same
// verdict. A nil Policy allows all. One that panics refuses.
type Policy func(Tool, Call) Verdict

// A Verdict is what a [Policy] says of a call: [Allow], which is the zero
// Verdict, [Ask] or [Refuse].
type Verdict struct {
	kind verdict
	text string
}

type verdict uint8

const (
	allow verdict = iota
	ask
	refuse
	unattended // an ask where nobody is
)

// Allow lets the call run.
func Allow() Verdict { return Verdict{} }

// Ask lets the call wait for a person's answer to question. An empty question
// asks whether to run the tool with its arguments.
func Ask(question string) Verdict { return Verdict{ask, question} }

// Refuse keeps the call from running. The model is told the reason. No approval
// overrules it.
func Refuse(reason string) Verdict { return Verdict{refuse, reason} }

// AskForSideEffects is the [Policy] that asks about each call of a tool that is
// not [ReadOnly].
func AskForSideEffects(t Tool, _ Call) Verdict {
	if t.Access == ReadOnly {
		return Allow()
	}
	return Ask("")
}

// Headless returns a policy for runs that nobody attends: what p would ask, it
// refuses. Nothing pauses.
func Headless(p Policy) Policy {
	return func(t Tool, call Call) Verdict {
		v := p.decide(t, call)
		if v.kind == ask {
			v.kind = unattended
		}
		return v
	}
}

// decide asks the policy.
func (p Policy) decide(t Tool, call Call) Verdict {
	if p == nil {
		return Allow()
	}
	return p(t, call)
}

// judge asks the policy and writes what it says into check.
func (l *List) judge(p Policy, t Tool, call Call, check *Check) {
	words := l.words()
	defer func() {
		if e := recover(); e != nil {
			check.stop(Refused, words.refused(t.Name, fill(words.PolicyFault, "panic", fmt.Sprint(e))))
		}
	}()
	switch v := p.decide(t, call); v.kind {
	case ask:
		if check.Ask = v.text; v.text == "" {
			check.Ask = fill(words.Question, "name", t.Name, "arguments", readable(call.Arguments))
		}
	case refuse:
		reason := v.text
		if reason == "" {
			reason = words.NoReason
		}
		check.stop(Refused, words.refused(t.Name, reason))
	case unattended:
		check.stop(Refused, words.refused(t.Name, words.Unattended))
	}
}

func (t *Texts) refused(name, reason string) string {
	return fill(t.Refused, "name", name, "reason", reason)
}
