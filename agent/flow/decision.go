package flow

import "github.com/triad-go/triad/budget"

// A Mode is a way in which work is done.
type Mode string

// The modes.
const (
	React Mode = "react" // a loop; the default
	Plan  Mode = "plan"
	Team  Mode = "team"
)

// A Risk says how bad a mistake would be.
type Risk string

// The risks.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high" // the result needs a review
)

// A Decision is what a classifier finds about a prompt.
type Decision struct {
	// Mode is the one that the classifier would choose. Plan and Team say, like
	// the fields below, that steps can be foreseen, or that parts are best done
	// apart from each other, side by side, or reviewed.
	Mode       Mode    `json:"mode"`
	Confidence float64 `json:"confidence"` // 0 to 1; anything else is none
	Reason     string  `json:"reason"`

	NeedsTools bool `json:"needs_tools"`
	MultiStep  bool `json:"multi_step"` // steps with dependencies can be foreseen
	Parallel   bool `json:"parallel"`   // parts are best done apart, or side by side
	Risk       Risk `json:"risk"`

	// Spent is what it took to decide.
	Spent budget.Spent `json:"spent,omitzero"`
}

// minConfidence is that below which a decision counts for nothing.
const minConfidence = 0.6

// Choose applies the rules to a decision, in this order: what the user has
// chosen; React where the confidence is under 0.6; Team where isolation,
// parallel work or a review is needed; Plan where steps can be foreseen; else
// React. It is pure.
func Choose(chosen Mode, d Decision) Mode {
	switch {
	case chosen != "":
		return chosen
	case !(d.Confidence >= minConfidence && d.Confidence <= 1): // NaN is none, too
		return React
	case d.Parallel || d.Risk == High || d.Mode == Team:
		return Team
	case d.MultiStep || d.Mode == Plan:
		return Plan
	}
	return React
}
