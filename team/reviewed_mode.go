package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// reviewedMode is a Reviewed at work, as [agent.Run] sees it.
type reviewedMode struct {
	reviewed *Reviewed
	state    State
	jobs     [1]agent.Job
}

func (m *reviewedMode) Kinds(kind string) agent.Decoder { return kinds(kind) }
func (m *reviewedMode) Fold(e agent.Entry)              { m.state.fold(e) }
func (m *reviewedMode) Result() agent.Result            { return m.state.result() }

func (m *reviewedMode) Work(scope agent.Scope) agent.Work {
	switch step := m.reviewed.next(&m.state).(type) {
	case Work:
		m.jobs[0] = m.work(step, scope)
	case Review:
		m.jobs[0] = m.review(step)
	case Stop:
		return agent.Work{Stop: &step.Stopped}
	default:
		return agent.Work{}
	}
	return agent.Work{Jobs: m.jobs[:], Alone: true}
}

const workKey = "work" // of the worker's run, all tries together

// work makes the job of a try. All tries are one run, which hears more.
func (m *reviewedMode) work(step Work, scope agent.Scope) agent.Job {
	r, counted := m.reviewed, m.state.worked
	j := agent.Job{Key: workKey, Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		end := func(f WorkEnded, res agent.Result) agent.Fact {
			f.Try, f.Result, f.Spent = step.Try, res.Text, res.Spent
			if strings.TrimSpace(f.Result) == "" {
				f.Result = strings.Join(res.Findings, "\n")
			}
			f.Calls, f.Called = calls(context.WithoutCancel(ctx), scope.Journal, scope.ID+"/"+workKey)
			return f
		}
		d := &agent.Delegate{Worker: r.Worker, Prompts: step.Prompts, Counted: counted, End: func(res agent.Result) agent.Fact {
			return end(WorkEnded{Reason: res.Reason, Cause: res.Cause, Why: res.Detail, Limit: res.Limit}, res)
		}}
		if r.ErrorsFail {
			d.Failed = func(res agent.Result, err error) agent.Fact {
				limit, _ := errors.AsType[*budget.ExceededError](err)
				return end(WorkEnded{Reason: Errored, Why: err.Error(), Limit: limit}, res)
			}
		}
		return nil, d
	}}
	if !step.Begun {
		j.Start = WorkStarted{r.Name, step.Try}
	}
	return j
}

// review makes the job of a try at a review. Its tries are one run.
func (m *reviewedMode) review(step Review) agent.Job {
	r, counted := m.reviewed, budget.Spent{}
	if step.Review == m.state.reviews { // as its run has told of it
		counted = m.state.judged
		counted.Main, counted.Review = counted.Review, llm.Usage{}
	}
	j := agent.Job{Key: fmt.Sprintf("review_%d", step.Review), Do: func(context.Context, agent.Port) (agent.Fact, error) {
		return nil, &agent.Delegate{
			Worker: r.Reviewer, Prompts: step.Prompts, Counted: counted,
			End: func(res agent.Result) agent.Fact { return judged(step.Review, res) },
			Failed: func(res agent.Result, err error) agent.Fact {
				limit, _ := errors.AsType[*budget.ExceededError](err)
				return ReviewEnded{Review: step.Review, Fault: err.Error(), Limit: limit, Failed: true, Spent: res.Spent}
			},
		}
	}}
	if !step.Begun {
		j.Start = ReviewStarted{step.Review, step.Try}
	}
	return j
}

// judged reads what a reviewer's run came to. Only the answer of one that is
// Completed is read: what was cut short or refused is no verdict, whatever it
// says.
func judged(review int, res agent.Result) agent.Fact {
	f := ReviewEnded{Review: review, Spent: res.Spent}
	switch {
	case res.Reason == agent.Canceled: // a person's word, and no fault
		return f
	case res.Reason != agent.Completed || res.Partial:
		f.Fault, f.Limit = joined(": ", "the review ended as "+string(res.Reason), string(res.Cause), res.Detail, met(res.Limit)), res.Limit
		return f
	}
	v, err := ParseVerdict(res.Text)
	if err != nil {
		f.Fault = strings.TrimPrefix(err.Error(), ErrNoVerdict.Error()+": ")
		return f
	}
	f.Verdict = &v
	return f
}
