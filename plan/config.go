package plan

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/triad-go/triad/agent"
)

// Validate reports all that is wrong with the executor, each as an
// [*agent.ConfigError].
func (x *Executor) Validate() error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &agent.ConfigError{Field: field, Err: fmt.Errorf(format, args...)})
	}
	if x.Planner == nil {
		fault("Planner", "is missing")
	}
	if x.Worker == nil && x.WorkerFor == nil && x.Tools == nil {
		fault("Worker", "is missing")
	}
	if err := x.Tools.Err(); err != nil {
		fault("Tools", "%w", err)
	}
	switch x.OnFailure {
	case ReplanBehind, ReplanAlways, GoOn:
	default:
		fault("OnFailure", "there is no rule %q", x.OnFailure)
	}
	if x.Parallel < 0 {
		fault("Parallel", "%d tasks at once: must be 1 or more", x.Parallel)
	}
	if x.replans() < 0 {
		fault("Replans", "%d is negative", *x.Replans)
	}
	if x.verifications() < 0 {
		fault("Verifications", "%d is negative", *x.Verifications)
	}
	if x.VerifyLimit < 0 {
		fault("VerifyLimit", "%v is negative", x.VerifyLimit)
	}
	if x.Memory != nil && x.Memory.MaxTokens < 0 {
		fault("Memory", "%d tokens: negative", x.Memory.MaxTokens)
	}
	if x.TaskLimit < 0 {
		fault("TaskLimit", "%v is negative", x.TaskLimit)
	}
	if x.Early && x.Review {
		fault("Early", "a plan that is reviewed can't start before it is complete")
	}
	if x.Headless && x.Review {
		fault("Review", "%w", ErrHeadless)
	}
	return errors.Join(append(faults, inside("Planner", x.Planner), inside("Worker", x.Worker), inside("Solve", x.Solve))...)
}

// A validator is a part of a recipe that can say what is wrong with itself.
type validator interface{ Validate() error }

// inside says what is wrong with a part of a recipe, as far as the part knows.
// A nil pointer in an interface is missing, too.
func inside(field string, part any) error {
	if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && v.IsNil() {
		return missing(field)
	}
	if v, ok := part.(validator); ok {
		if err := v.Validate(); err != nil {
			return &agent.ConfigError{Field: field, Err: err}
		}
	}
	return nil
}

func missing(field string) error {
	return &agent.ConfigError{Field: field, Err: errors.New("is missing")}
}

// Validate reports all that is wrong with the planner, each as an
// [*agent.ConfigError].
func (p *ModelPlanner) Validate() error {
	var faults []error
	if p.Client == nil {
		faults = append(faults, missing("Client"))
	}
	if why := misnamed(p.Form.name(0)); why != "" {
		faults = append(faults, &agent.ConfigError{Field: "Form.Prefix", Err: errors.New(why)})
	}
	if or(p.Repairs, defaultRepairs) < 0 {
		faults = append(faults, &agent.ConfigError{Field: "Repairs", Err: fmt.Errorf("%d is negative", *p.Repairs)})
	}
	return errors.Join(faults...)
}

// Validate reports a missing client as an [*agent.ConfigError].
func (c *ModelCritic) Validate() error {
	if c.Client == nil {
		return missing("Client")
	}
	return nil
}

// Validate implements validator.
func (s simple) Validate() error {
	if s.planner == nil {
		return missing("Planner")
	}
	return inside("Planner", s.planner)
}
