package agent

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/triad-go/triad/budget"
)

// Texts are the words in which a loop speaks to a model, and with the last
// ones to a person. A field that is empty stands for the English text, so the
// zero Texts is all English. Words in braces are filled in.
type Texts struct {
	// To the model, as messages.
	Nudge    string // after an empty reply
	Reminder string // of a stall
	Feedback string // {why}: the verifier's words
	WrapUp   string // asks for a report after a limit

	// Results of calls that did not run, or not to their end.
	Limit      string // {limit}, {used}, {max}
	OutputCut  string // the reply was cut by the output limit
	Denied     string // {reason}: a person's words
	NoReason   string // the reason of a denial that gives none
	TurnTimeUp string
	RunTimeUp  string
	TimedOut   string // it was running when the run's time was up
	WasRunning string // it was running when a person stopped the run
	NotRun     string // it was not, when a person stopped the run
	Unknown    string // it was cut off and nobody can say whether it took place
	Happened   string // a person says it did
	Open       string // stands in for the result of a call that is still open
	Repeated   string // the repeat guard
	Edited     string // {arguments}; before the result of a call that a person changed
	Gone       string // {name}; the tool was removed, or its schema changed
	Handovers  string // too many runs within runs
	Inner      string // {reason}, {detail}; a run within did not complete
	Findings   string // {text}; after Inner
	Nobody     string // {question}; a tool asks, and nobody can answer

	// Questions to a person.
	AskCall    string // {name}, {arguments}
	AskOutcome string // {name}, {arguments}
	AskStall   string
	AskTurns   string // {turns}
}

var english = Texts{
	Nudge:    "Your last reply was empty. Go on with the task, or give your answer.",
	Reminder: "You have done the same thing several times and nothing has changed. Try another way, or say what stands in the way.",
	Feedback: "The check of your answer failed: {why}\nMend this, then answer again.",
	WrapUp: "The run has met a limit and ends here. Do not call tools. Report in a few lines: what is done, " +
		"what of it is verified, what is open or blocked, and what comes next.",

	Limit:      "Not run: the limit of {limit} is reached ({used} of {max}).",
	OutputCut:  "Not run: your reply was cut by the output limit, so the call may not be whole. Call again with a shorter one, or in smaller steps.",
	Denied:     "The user said no to this call, and it was not run: {reason}",
	NoReason:   "no reason given",
	TurnTimeUp: "Not run: the calls of this turn had already been running too long. Call again if it is still needed.",
	RunTimeUp:  "Not run: the time of the run is over.",
	TimedOut:   "The time of the run was over while this was running; whether it took place is unknown.",
	WasRunning: "The run was stopped while this was running; whether it took place is unknown.",
	NotRun:     "Not run: the run was stopped before.",
	Unknown:    "The call was cut off, and whether it took place is unknown. Look before you call again.",
	Happened:   "The call was cut off before its result was kept. A person says that it took place.",
	Open:       "The result is not there yet.",
	Repeated:   "Not run: this very call has been made several times. Try another way.",
	Edited:     "The user changed the arguments. What ran: {arguments}\n",
	Gone:       "Not run: the tool {name} is not there any more, or takes other arguments now.",
	Handovers:  "Not done: too many agents have handed work to each other in this run.",
	Inner:      "The agent did not complete its task: {reason} {detail}",
	Findings:   "\nWhat it had so far (incomplete):\n{text}",
	Nobody:     "Not done: the tool asks \"{question}\", and nobody is there to answer.",

	AskCall:    "Run {name} with {arguments}?",
	AskOutcome: "The call {name} with {arguments} was cut off. Did it take place?",
	AskStall:   "The agent goes in circles. Let it go on?",
	AskTurns:   "The agent has worked for {turns} turns. Let it go on?",
}

// complete returns t with the English words where it has none.
func (t Texts) complete() Texts {
	v, words := reflect.ValueOf(&t).Elem(), reflect.ValueOf(english)
	for i := range v.NumField() {
		if f := v.Field(i); f.String() == "" {
			f.Set(words.Field(i))
		}
	}
	return t
}

// words returns the texts in force. They are needed rarely and are large, so
// they do not lie on the stack of every run that waits.
//
//go:noinline
func (l *Loop) words() *Texts {
	t := l.Texts.complete()
	return &t
}

// fill puts values in the place of the words in braces: name, value, name, value …
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (t *Texts) limit(err error) string {
	var e budget.ExceededError
	if found, ok := errors.AsType[*budget.ExceededError](err); ok {
		e = *found
	}
	return fill(t.Limit, "limit", string(e.Limit), "used", number(e.Used), "max", number(e.Max))
}

func (t *Texts) denied(reason string) string {
	if blank(reason) {
		reason = t.NoReason
	}
	return fill(t.Denied, "reason", reason)
}

func (t *Texts) feedback(why string) string { return fill(t.Feedback, "why", why) }

func (t *Texts) askTurns(n int) string { return fill(t.AskTurns, "turns", strconv.Itoa(n)) }

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
