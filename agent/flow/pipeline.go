package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
)

// Stages that every pipeline has and no function does.
const (
	Done   = "done"
	Failed = "failed"
)

// A Pipeline does stages in an order that code owns. Each is in the journal
// before it runs, with what it is given, so that a program that was cut off
// anywhere goes on at that stage. It is data, and shared by any number of
// instances at once.
type Pipeline[S any] struct {
	// Journal keeps the instances, each under its key. If it is a
	// [journal.Claimer], one process at a time works on an instance.
	Journal journal.Journal

	// Stages are the stages; an instance begins with the first.
	Stages []Stage[S]

	// Now is the clock of the journal's entries; nil is the system's.
	Now func() time.Time
}

// A Stage is a named part of a pipeline. To add one, add it to the list and let
// another lead to it.
type Stage[S any] struct {
	Name string // part of ids in the journal; not Done or Failed

	// Run does the stage and returns the state for the next one. A stage may run
	// twice: see [Visit]. An error makes the instance Failed, unless it is
	// [ErrUnfinished] or ctx has ended. S must be kept whole by JSON.
	Run func(ctx context.Context, v Visit, s S) (S, error)

	// Next names the stage that follows, or is [Done]. Branch, if set, says it
	// instead, of the state that Run has returned.
	Next   string
	Branch func(S) string
}

// Errors of a pipeline.
var (
	// ErrUnfinished is what a stage wraps that has not failed and is not done,
	// such as one whose run waits for a person. The next start goes on with it.
	ErrUnfinished = errors.New("flow: the stage is not finished")

	// ErrNoStage says that a stage is recorded, or comes next, that the pipeline
	// does not have.
	ErrNoStage = errors.New("flow: there is no such stage")
)

// A StageError says which stage failed, and at which attempt.
type StageError struct {
	Stage   string
	Attempt int
	Err     error
}

// Error implements error.
func (e *StageError) Error() string {
	return fmt.Sprintf("flow: stage %s, attempt %d: %v", e.Stage, e.Attempt, e.Err)
}

// Unwrap returns the reason.
func (e *StageError) Unwrap() error { return e.Err }

// A Visit is the running of one stage of one instance.
type Visit struct {
	Key     string
	Stage   string
	Attempt int // from 1; more where the stage was cut off, or failed, before

	// ID is the visit's own below the key, such as "report-7/render_6". It is the
	// same at each attempt: use it as an idempotency key.
	ID string

	store journal.Journal
}

// Scope is where an agent of the stage runs: in the instance's journal, under
// the visit's ID. A stage that runs again goes on with that agent's run.
func (v Visit) Scope() agent.Scope { return agent.Scope{Journal: v.store, ID: v.ID} }

// Do goes on with the unfinished instance of key, or begins one with s, and
// returns the state in which it is done. For an unfinished instance s is not
// looked at: it has its own. With an error the state is the last in the journal.
func (p *Pipeline[S]) Do(ctx context.Context, key string, s S) (S, error) {
	for r, err := range p.Records(ctx, key, s) {
		if err != nil {
			return s, err
		}
		s = r.State
	}
	return s, nil
}

// Records is Do, and yields each record when it is in the journal and before
// anything is done about it. Breaking out leaves the instance unfinished. The
// last is that of Done, or an error: a [*StageError], or what kept the instance
// from being stored. If storing after a stage fails, the stage is unfinished.
func (p *Pipeline[S]) Records(ctx context.Context, key string, s S) iter.Seq2[Record[S], error] {
	return func(yield func(Record[S], error) bool) {
		left := false
		err := p.records(ctx, key, s, func(r Record[S]) bool {
			left = !yield(r, nil)
			return !left
		})
		if err != nil && !left {
			yield(Record[S]{}, err)
		}
	}
}

func (p *Pipeline[S]) records(ctx context.Context, key string, s S, show func(Record[S]) bool) (err error) {
	if err := errors.Join(p.Validate(), context.Cause(ctx)); err != nil {
		return err
	}
	ctx, l, err := p.open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	next := l.last.again()
	if l.length == 0 || l.last.Stage == Done {
		next = Record[S]{Stage: p.Stages[0].Name, Attempt: 1, Visit: l.last.Visit + 1, State: s}
	}
	for {
		stage, err := p.stage(next.Stage)
		if err != nil {
			return err
		}
		if err := l.add(ctx, next); err != nil {
			return err
		}
		if !show(next) || next.Stage == Done {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("flow: %s: before stage %s: %w", key, next.Stage, err)
		}
		if next, err = p.run(ctx, stage, l, next); err != nil {
			return err
		}
	}
}

// run does the stage of a record, and returns the next record. What the stage
// has come to is kept, also when ctx has ended meanwhile.
func (p *Pipeline[S]) run(ctx context.Context, stage Stage[S], l *instance[S], r Record[S]) (Record[S], error) {
	v := Visit{Key: l.key, Stage: r.Stage, Attempt: r.Attempt, ID: fmt.Sprintf("%s/%s_%d", l.key, r.Stage, r.Visit), store: l.inner()}
	given, err := copied(r.State)
	if err != nil {
		return r, err
	}
	state, err := guarded("stage "+r.Stage, func() (S, error) { return stage.Run(ctx, v, given) })
	var name string
	if err == nil {
		name, err = p.after(stage, state)
	}
	if err == nil {
		return Record[S]{Stage: name, Attempt: 1, Visit: r.Visit + 1, State: state}, nil
	}
	fault := &StageError{r.Stage, r.Attempt, err}
	if ctx.Err() != nil || errors.Is(err, ErrUnfinished) {
		return r, fault
	}
	failed := Record[S]{Stage: Failed, Of: r.Stage, Error: err.Error(), Attempt: r.Attempt, Visit: r.Visit, State: r.State}
	return r, errors.Join(fault, l.add(ctx, failed))
}

// after says which stage follows.
func (p *Pipeline[S]) after(stage Stage[S], s S) (string, error) {
	if stage.Branch == nil {
		return stage.Next, nil
	}
	name, err := guarded("branch of "+stage.Name, func() (string, error) { return stage.Branch(s), nil })
	if err == nil {
		_, err = p.stage(name)
	}
	return name, err
}

func (p *Pipeline[S]) stage(name string) (Stage[S], error) {
	for _, s := range p.Stages {
		if s.Name == name {
			return s, nil
		}
	}
	if name == Done {
		return Stage[S]{}, nil
	}
	return Stage[S]{}, fmt.Errorf("%w: %q", ErrNoStage, name)
}

// Validate reports all that is wrong with the pipeline.
func (p *Pipeline[S]) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("flow: pipeline: "+format, args...))
	}
	if p.Journal == nil {
		fault("it has no journal")
	}
	if len(p.Stages) == 0 {
		fault("it has no stages")
	}
	seen := make(map[string]bool)
	for i, s := range p.Stages {
		switch {
		case s.Name == "" || s.Name == Done || s.Name == Failed:
			fault("stage %d can't be named %q", i+1, s.Name)
		case seen[s.Name]:
			fault("two stages are named %q", s.Name)
		}
		seen[s.Name] = true
		if s.Run == nil {
			fault("stage %q has no function", s.Name)
		}
		if _, err := p.stage(s.Next); err != nil && s.Branch == nil {
			fault("after stage %q: %w", s.Name, err)
		}
	}
	return errors.Join(faults...)
}

// copied returns s as the journal has it, so that a stage that changes what s
// points to does not change the record.
func copied[S any](s S) (out S, err error) {
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		err = fmt.Errorf("flow: copying the state: %w", err)
	}
	return out, err
}
