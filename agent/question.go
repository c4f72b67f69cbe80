package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// A Question is what a run waits to be told. Its ID is a path: the question
// "7.1" of the run "task_2" within this one is "task_2/7.1". It stays the same
// however often the run is stored and opened.
type Question struct {
	ID      string       `json:"id"`
	About   QuestionKind `json:"about"`
	Text    string       `json:"text"`
	Choices []string     `json:"choices,omitempty"` // what may be answered in [Words]; none means anything
	Urgency string       `json:"urgency,omitempty"` // low, medium, high, or nothing said

	// Call, Name and Arguments are the call that is asked about, if it is one.
	Call      string          `json:"call,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// A QuestionKind says what a question is about.
type QuestionKind string

// The kinds of questions.
const (
	AboutCall    QuestionKind = "approval" // may this call run? Approve, ApproveForSession, ApproveWith or Deny
	AboutTool    QuestionKind = "question" // a tool asks: Words
	AboutOutcome QuestionKind = "outcome"  // did a call that was cut off take place? Words, one of the choices
	AboutGoingOn QuestionKind = "going_on" // a guard asks whether to go on: Approve or Deny
	AboutPlan    QuestionKind = "review"   // a plan: Approve, Deny, or Words that supplement the goal
)

// The choices of a question about an outcome.
const (
	Happened   = "happened"
	DidNot     = "did not happen"
	StopTheRun = "stop"
)

// An Answer is what a question is answered with. Make one with [Approve],
// [ApproveForSession], [ApproveWith], [Deny] or [Words].
type Answer struct {
	Verdict   string          `json:"verdict"`             // approve, approve_for_session, deny or words
	Text      string          `json:"text,omitempty"`      // the reason of a denial, or the words
	Arguments json.RawMessage `json:"arguments,omitempty"` // in place of the call's own
}

const (
	approve           = "approve"
	approveForSession = "approve_for_session"
	deny              = "deny"
	words             = "words"
)

// Approve says yes, this once.
func Approve() Answer { return Answer{Verdict: approve} }

// ApproveForSession says yes, now and whenever a call of exactly this tool
// would ask again in this run's log.
func ApproveForSession() Answer { return Answer{Verdict: approveForSession} }

// ApproveWith says yes to the call with other arguments. They pass schema and
// policy again; the model is told that a person changed them.
func ApproveWith(arguments json.RawMessage) Answer {
	return Answer{Verdict: approve, Arguments: arguments}
}

// Deny says no. The reason reaches the model as the user's words, and the same
// call is refused with it from then on, until the user says something new.
func Deny(reason string) Answer { return Answer{Verdict: deny, Text: reason} }

// Words answers a question that is not a yes or no.
func Words(text string) Answer { return Answer{Verdict: words, Text: text} }

// Yes tells whether the answer approves.
func (a Answer) Yes() bool { return a.Verdict == approve || a.Verdict == approveForSession }

// Denied tells whether the answer denies.
func (a Answer) Denied() bool { return a.Verdict == deny }

func (a Answer) equal(b Answer) bool {
	return a.Verdict == b.Verdict && a.Text == b.Text && string(a.Arguments) == string(b.Arguments)
}

// Errors of [Run.Answer].
var (
	ErrNoQuestion = errors.New("agent: no such question is open")
	ErrStale      = errors.New("agent: the question was answered otherwise")
	ErrUnfit      = errors.New("agent: the answer does not fit the question")
	ErrAsleep     = errors.New("agent: the run within that asks is not open yet: range over the events, and answer at Paused")
)

// wants says what may answer q.
func (q Question) wants() string {
	switch q.About {
	case AboutCall:
		return "Approve, ApproveForSession, ApproveWith or Deny"
	case AboutGoingOn:
		return "Approve or Deny"
	case AboutPlan:
		return "Approve, Deny or Words"
	}
	if len(q.Choices) == 0 {
		return "Words"
	}
	return "Words, one of " + strings.Join(q.Choices, ", ")
}

func (q Question) unfit(id string) error {
	return fmt.Errorf("%w: %s is about %s and takes %s", ErrUnfit, id, q.About, q.wants())
}

// fits tells whether a may answer q.
func (q Question) fits(a Answer) bool {
	switch q.About {
	case AboutCall:
		return a.Yes() || a.Denied()
	case AboutGoingOn:
		return len(a.Arguments) == 0 && (a.Yes() || a.Denied())
	case AboutPlan:
		return len(a.Arguments) == 0 && (a.Verdict == approve || a.Denied() || a.Verdict == words && !blank(a.Text))
	}
	if a.Verdict != words || len(a.Arguments) > 0 {
		return a.Denied() && q.About == AboutTool
	}
	for _, c := range q.Choices {
		if c == a.Text {
			return true
		}
	}
	return len(q.Choices) == 0 && !blank(a.Text)
}

// blank tells whether there is nothing to read in s.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && r != 0 }) < 0
}
