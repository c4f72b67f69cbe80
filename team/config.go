package team

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// Validate reports all that is wrong with the team, each as an
// [*agent.ConfigError].
func (o *Orchestrator) Validate() error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &agent.ConfigError{Field: field, Err: fmt.Errorf(format, args...)})
	}
	if o.Client == nil && (o.Planner == nil || o.Workers == nil || o.Reviewer == nil) {
		fault("Client", "is missing, and so is a role that it stands for")
	}
	if o.Workers != nil && len(o.Workers) == 0 {
		fault("Workers", "there are none")
	}
	for i, w := range o.Workers {
		if w == nil {
			fault("Workers", "%s is missing", workerName(i))
		} else if err := inside(w); err != nil {
			fault("Workers", "%s: %w", workerName(i), err)
		}
		if l, ok := w.(*agent.Loop); ok && l != nil && l.Memory != nil {
			fault("Workers", "%s has a memory: only the team may", workerName(i))
		}
	}
	if err := inside(o.Planner); err != nil {
		fault("Planner", "%w", err)
	}
	if err := inside(o.Reviewer); err != nil {
		fault("Reviewer", "%w", err)
	}
	if l, ok := o.Reviewer.(*agent.Loop); ok && l != nil {
		if l.Memory != nil {
			fault("Reviewer", "has a memory: only the team may")
		}
		if l.Tools != nil && len(l.Tools.List().Specs()) > 0 {
			fault("Reviewer", "has tools: only workers may")
		}
	}
	if o.Parallel < 0 {
		fault("Parallel", "%d tasks at once: must be 1 or more", o.Parallel)
	}
	if o.Memory != nil && o.Memory.MaxTokens < 0 {
		fault("Memory", "%d tokens: negative", o.Memory.MaxTokens)
	}
	if o.TaskLimit < 0 {
		fault("TaskLimit", "%v is negative", o.TaskLimit)
	}
	if o.Headless && o.Review {
		fault("Review", "%w", plan.ErrHeadless)
	}
	return errors.Join(append(faults, o.parts(), notNegative("Retries", o.Retries))...)
}

// parts reports what is wrong with what the default workers are made of.
func (o *Orchestrator) parts() error {
	if o.Client != nil && o.Workers == nil {
		return (&agent.Loop{Client: o.Client, Tools: o.Tools, Headless: o.Headless, Budget: o.Budget}).Validate()
	}
	var faults []error
	if err := o.Tools.Err(); err != nil {
		faults = append(faults, &agent.ConfigError{Field: "Tools", Err: err})
	}
	if err := o.Budget.Validate(); err != nil {
		faults = append(faults, &agent.ConfigError{Field: "Budget", Err: err})
	}
	return errors.Join(faults...)
}

// inside says what is wrong with a role, as far as the role knows. A nil pointer
// in an interface is missing, too.
func inside(role any) error {
	if v := reflect.ValueOf(role); v.Kind() == reflect.Pointer && v.IsNil() {
		return errors.New("is missing")
	}
	if v, ok := role.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}
