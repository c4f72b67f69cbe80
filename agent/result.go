package agent

import (
	"github.com/triad-go/triad/budget"
)

// A Reason says why a run is not going on.
type Reason string

// The reasons. A run ends for exactly one of them; Going and Waits are no ends.
const (
	Going      Reason = ""            // it has not stopped
	Waits      Reason = "paused"      // it waits for answers
	Completed  Reason = "completed"   // done, and the verifier, if any, agrees
	Incomplete Reason = "incomplete"  // plans and teams: some tasks are done, others are not
	Unverified Reason = "unverified"  // said to be done; who checks it disagrees or could not say
	OverBudget Reason = "over_budget" // a limit of turns, tokens, cost or tool calls
	TimedOut   Reason = "timed_out"   // the limit of active time
	Stalled    Reason = "stalled"     // it went in circles
	Canceled   Reason = "canceled"    // a person stopped it
	Refused    Reason = "refused"     // the model or a content filter would not
	Failed     Reason = "failed"      // see the Cause
)

// A Cause says why a run Failed.
type Cause string

// The causes.
const (
	OutputLimit    Cause = "output_limit"    // replies were cut by the output limit
	EmptyAnswer    Cause = "empty_answer"    // the model answered with nothing
	ContextFull    Cause = "context_full"    // the context is too long and nothing can be freed
	VerifierFault  Cause = "verifier_fault"  // the verifier itself failed
	PlanningFailed Cause = "planning_failed" // no valid plan was made
	NoTaskDone     Cause = "no_task_done"
	Blocked        Cause = "blocked" // a plan could not get past a failing task
)

// A Result is how far a run has come.
type Result struct {
	Reason Reason
	Cause  Cause  // of Failed
	Detail string // of the stop, in words

	// Limit is that of OverBudget and TimedOut; of a plan or a team also where a
	// limit ended all tasks that decided its end, or kept it from planning or
	// reviewing.
	Limit *budget.ExceededError

	// Text is the answer: the last text of the model, or what the wrap-up says.
	// Partial says that the work was cut short and Text tells how far it came.
	Text      string
	Partial   bool
	Reasoning string // of the last reply; all there is when an answer had no text

	// Findings are the latest results, bounded, of a run that has not completed.
	Findings []string

	Verdict *Verified // the verifier's, if it was asked

	// Turns is how many replies of its own the run has had, over the whole log;
	// what else is a turn, the other modes say. Spent holds the tokens and the
	// cost of the runs within too.
	Turns     int
	Spent     budget.Spent
	Questions []Question
}

// Ended tells whether nothing is left to do.
func (r Result) Ended() bool { return r.Reason != Going && r.Reason != Waits }
