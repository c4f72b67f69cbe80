package agent

import (
	"encoding/json"
	"time"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// An Event tells what goes on in a run. Kind is its name in logs and on the
// wire, such as "call_started".
//
// A run of a [Loop] yields, about in this order:
//
//	Said           a message came in                                 fact
//	TextDelta, ReasoningDelta, CallDelta   the reply being written
//	Restart, RetryNotice                   it begins anew; a request failed
//	Replied        the reply, and what the gates say to its calls    fact
//	CallStarted    a call begins                                     fact
//	Progress       how far it has come
//	Inner          an event of a run within
//	CallEnded      what it came to                                   fact
//	CallPaused     its tool asks                                     fact
//	Paused         all that is asked: the end, unless it is answered
//	Answered       an answer came                                    fact
//	Verified       what the verifier says                            fact
//	Stopped        the end                                           fact
//
// and where it comes to that [Granted], [StopAsked], [Instructed],
// [RequestFailed], [TimeUp], [Limited], [Noted], [Compacted], [Overflowed] and
// [WrappedUp], all facts. A plan and a team add their own. Be ready for kinds
// that you do not know.
type Event interface{ Kind() string }

// A Fact is an [Event] that changes the state: something that has happened.
// The log of a run is its facts. A fact is in the journal before it is shown,
// and has been shown before anything is done about it.
type Fact interface {
	Event
	Fact()
}

// Facts of every mode.
type (
	// Said is a message from outside. It is told to the model when no call is open.
	Said struct {
		Text   string      `json:"text"`
		Images []llm.Image `json:"images,omitempty"`
		Prompt bool        `json:"prompt,omitempty"` // the run was opened with it
		Later  bool        `json:"later,omitempty"`  // told only when the run would end
		Post   string      `json:"post,omitempty"`   // the mailbox's id of it
	}

	// Answered is the answer to one of the run's own questions. Check is what
	// the gates say to arguments that a person changed.
	Answered struct {
		ID     string `json:"id"`
		Answer Answer `json:"answer"`
		Check  *Check `json:"check,omitempty"`
		Post   string `json:"post,omitempty"`
	}

	// Granted gives a run that has stopped, or goes on, more to spend from here:
	// each limit that it sets counts from this fact.
	Granted struct {
		Turns  *int     `json:"turns,omitempty"`
		Tokens *int     `json:"tokens,omitempty"`
		Calls  *int     `json:"calls,omitempty"`
		Cost   *float64 `json:"cost,omitempty"`

		Time *time.Duration `json:"time,omitempty"` // nanoseconds
	}

	// StopAsked is a person's wish that the run end. What is under way is let go
	// of first; then the open calls get their ends and the run is Canceled.
	StopAsked struct {
		Why  string `json:"why,omitempty"`
		Post string `json:"post,omitempty"`
	}

	// Stopped ends the run. A message or a [Granted] begins it again.
	Stopped struct {
		Reason Reason                `json:"reason"`
		Cause  Cause                 `json:"cause,omitempty"`  // of Failed
		Detail string                `json:"detail,omitempty"` // in words: a person's, or what went wrong
		Limit  *budget.ExceededError `json:"limit,omitempty"`  // which limit, how much was used, the bound
		Turn   int                   `json:"turn"`
	}
)

// Facts of a [Loop].
type (
	// Instructed is the system text from here on, where a prompt source gives it.
	Instructed struct {
		System string `json:"system"`
	}

	// Replied is the model's answer, and what the gates say to the calls in it:
	// a Check that is Stopped is all that comes of its call.
	Replied struct {
		Reply  llm.Reply `json:"reply"`
		Checks []Check   `json:"checks,omitempty"` // in the order of the calls
		Told   int       `json:"told,omitempty"`   // how many waiting messages the request told of
		Later  bool      `json:"later,omitempty"`  // those were of the ones for later
		Wasted llm.Usage `json:"wasted,omitzero"`  // by attempts that failed
		Cost   float64   `json:"cost,omitempty"`
	}

	// RequestFailed is a model request that came to nothing. The run can go on:
	// the request is made again.
	RequestFailed struct {
		Error  *llm.Error `json:"error"`
		Wasted llm.Usage  `json:"wasted,omitzero"`
		Cost   float64    `json:"cost,omitempty"`
	}

	// CallStarted is noted before a tool runs, so that a call that was cut off
	// can be told from one never made. Call is its place: "7.1" is the first
	// call of turn 7.
	CallStarted struct {
		Call      string          `json:"call"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // those in effect
	}

	// CallPaused is a call whose tool waits for an answer from outside. A call
	// that was CutOff may or may not have taken place, and a person must say. A
	// call that the policy asks about is none: it has not begun, and only [Paused]
	// tells of it.
	CallPaused struct {
		Call     string          `json:"call"`
		Question Question        `json:"question"`
		Saved    json.RawMessage `json:"saved,omitempty"`
		CutOff   bool            `json:"cut_off,omitempty"`
	}

	// CallEnded is what a call came to. One that the gates stop has none: its
	// outcome stands in [Replied].Checks.
	CallEnded struct {
		Call   string        `json:"call"`
		Name   string        `json:"name"`
		Result tool.Result   `json:"result"`
		Spent  *budget.Spent `json:"spent,omitempty"` // by a run behind it
		Late   bool          `json:"late,omitempty"`  // given up on: it may still be running
	}

	// TimeUp says that the time of the turn's calls, or of the run, is over.
	TimeUp struct {
		Run bool `json:"run,omitempty"`
	}

	// Limited says that a budget shared with other runs had nothing left.
	Limited struct {
		Limit budget.ExceededError `json:"limit"`
	}

	// Noted is a message that the loop itself adds for the model: a nudge, a
	// reminder, feedback; the message's origin tells. Period is that of the
	// stall that a reminder is about.
	Noted struct {
		Message llm.Message `json:"message"`
		Period  int         `json:"period,omitempty"`
	}

	// Compacted changes what the model is told from here on. The log keeps what
	// was told before.
	Compacted struct {
		compress.Compaction
		Told  int     `json:"told,omitempty"` // as in Replied: the messages it is about hold these
		Later bool    `json:"later,omitempty"`
		Cost  float64 `json:"cost,omitempty"`
	}

	// Overflowed is a model request that the provider refused as too long.
	Overflowed struct {
		Error *llm.Error `json:"error"`
		Cost  float64    `json:"cost,omitempty"`
	}

	// Verified is what the verifier says to the answer.
	Verified struct {
		Pass  bool   `json:"pass"`
		Why   string `json:"why,omitempty"`
		Fault string `json:"fault,omitempty"` // the verifier itself failed
	}

	// WrappedUp is the last request, made without tools after a limit.
	WrappedUp struct {
		Text  string    `json:"text,omitempty"`
		Usage llm.Usage `json:"usage,omitzero"`
		Cost  float64   `json:"cost,omitempty"`
		Error string    `json:"error,omitempty"` // why there is none
	}
)

// A Check is what is settled about a call when the reply comes, so that
// nothing is settled twice: what the gates say, and the sum by which it is
// compared with others (see [budget.Mark]).
type Check struct {
	tool.Check
	Sum uint64 `json:"sum"`
}

// Events that are no facts: they are shown and not kept. The chunks of package
// llm but the reply are among them, as they come from the client.
type (
	// TextDelta is a piece of the reply under way.
	TextDelta = llm.TextDelta

	// ReasoningDelta is a piece of the reasoning under way.
	ReasoningDelta = llm.ReasoningDelta

	// CallDelta says that a call is being written.
	CallDelta = llm.CallDelta

	// Restart says that the reply under way begins anew: drop what it has shown.
	Restart = llm.Restart

	// RetryNotice says that a model request failed and what follows.
	RetryNotice = llm.RetryNotice

	// Progress is how far a call has come, in its tool's words.
	Progress struct {
		Call string `json:"call"`
		Text string `json:"text"`
	}

	// Paused says what a run waits for. It is the last event, unless the loop
	// body answers.
	Paused struct {
		Questions []Question `json:"questions"`
	}

	// Inner is an event of a run within this one. Path leads to it: "task_2/7.1".
	Inner struct {
		Path  string `json:"path"`
		Event Event  `json:"event"`
	}
)

// Kind implements [Event].
func (Said) Kind() string          { return "said" }
func (Answered) Kind() string      { return "answered" }
func (Granted) Kind() string       { return "granted" }
func (StopAsked) Kind() string     { return "stop_asked" }
func (Stopped) Kind() string       { return "stopped" }
func (Instructed) Kind() string    { return "instructed" }
func (Replied) Kind() string       { return "replied" }
func (RequestFailed) Kind() string { return "request_failed" }
func (CallStarted) Kind() string   { return "call_started" }
func (CallPaused) Kind() string    { return "call_paused" }
func (CallEnded) Kind() string     { return "call_ended" }
func (TimeUp) Kind() string        { return "time_up" }
func (Limited) Kind() string       { return "limited" }
func (Noted) Kind() string         { return "noted" }
func (Compacted) Kind() string     { return "compacted" }
func (Overflowed) Kind() string    { return "overflowed" }
func (Verified) Kind() string      { return "verified" }
func (WrappedUp) Kind() string     { return "wrapped_up" }
func (Progress) Kind() string      { return "progress" }
func (Paused) Kind() string        { return "paused" }
func (Inner) Kind() string         { return "inner" }

// Fact implements [Fact].
func (Said) Fact()          {}
func (Answered) Fact()      {}
func (Granted) Fact()       {}
func (StopAsked) Fact()     {}
func (Stopped) Fact()       {}
func (Instructed) Fact()    {}
func (Replied) Fact()       {}
func (RequestFailed) Fact() {}
func (CallStarted) Fact()   {}
func (CallPaused) Fact()    {}
func (CallEnded) Fact()     {}
func (TimeUp) Fact()        {}
func (Limited) Fact()       {}
func (Noted) Fact()         {}
func (Compacted) Fact()     {}
func (Overflowed) Fact()    {}
func (Verified) Fact()      {}
func (WrappedUp) Fact()     {}
