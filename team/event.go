package team

import (
	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/tool"
)

// Facts of a [Reviewed], beside those of every mode: [agent.Said] is the task.
// Those of an [Orchestrator] are those of package plan.
type (
	// WorkStarted is noted before the worker begins, and begins again with what
	// a review asks for. Worker is its name. Try counts its runs from 1.
	WorkStarted struct {
		Worker string `json:"worker,omitempty"`
		Try    int    `json:"try"`
	}

	// WorkEnded is what the worker's run came to. Limit is the limit that it met,
	// if one ended it. Spent is of the whole run, all tries together. Calls are
	// the latest that were made in it, of Called in all.
	WorkEnded struct {
		Try    int                   `json:"try"`
		Reason agent.Reason          `json:"reason"` // error where the client's error ended it
		Cause  agent.Cause           `json:"cause,omitempty"`
		Why    string                `json:"why,omitempty"`
		Limit  *budget.ExceededError `json:"limit,omitempty"`
		Result string                `json:"result,omitempty"`
		Calls  []Call                `json:"calls,omitempty"`
		Called int                   `json:"called,omitempty"`
		Spent  budget.Spent          `json:"spent,omitzero"`
	}

	// ReviewStarted is noted before the reviewer is asked. Review counts the
	// results that were reviewed, from 1, and Try how often this one was.
	ReviewStarted struct {
		Review int `json:"review"`
		Try    int `json:"try"`
	}

	// ReviewEnded is what the reviewer says. A nil Verdict says that there is
	// none: Fault says why, Limit is the limit that was in the way, if one was,
	// and Failed says that the reviewer's run could not go on, so that there was
	// no reply. Spent is of all tries at this review.
	ReviewEnded struct {
		Review  int                   `json:"review"`
		Verdict *Verdict              `json:"verdict,omitempty"`
		Fault   string                `json:"fault,omitempty"`
		Limit   *budget.ExceededError `json:"limit,omitempty"`
		Failed  bool                  `json:"failed,omitempty"`
		Spent   budget.Spent          `json:"spent,omitzero"`
	}
)

// A Call is one that a worker made, as the reviewer is told of it. Its texts
// are bounded.
type Call struct {
	Name      string       `json:"name"`
	Arguments string       `json:"arguments,omitempty"`
	Ended     bool         `json:"ended,omitempty"`
	Outcome   tool.Outcome `json:"outcome,omitempty"`
	Result    string       `json:"result,omitempty"`
}

// Errored is the reason of a [WorkEnded] whose run was kept from going on by an
// error, such as its model client's, where that counts as a failed run.
const Errored agent.Reason = "error"

// Kind implements [agent.Event].
func (WorkStarted) Kind() string   { return "work_started" }
func (WorkEnded) Kind() string     { return "work_ended" }
func (ReviewStarted) Kind() string { return "review_started" }
func (ReviewEnded) Kind() string   { return "review_ended" }

// Fact implements [agent.Fact].
func (WorkStarted) Fact()   {}
func (WorkEnded) Fact()     {}
func (ReviewStarted) Fact() {}
func (ReviewEnded) Fact()   {}

func kinds(kind string) agent.Decoder {
	switch kind {
	case WorkStarted{}.Kind():
		return agent.Decode[WorkStarted]
	case WorkEnded{}.Kind():
		return agent.Decode[WorkEnded]
	case ReviewStarted{}.Kind():
		return agent.Decode[ReviewStarted]
	case ReviewEnded{}.Kind():
		return agent.Decode[ReviewEnded]
	}
	return nil
}
