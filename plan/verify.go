package plan

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/tool"
)

// A Verifier checks what a plan has come to: the world, not the words of its
// tasks. An error says that the check itself failed.
type Verifier interface {
	Verify(ctx context.Context, s State) (agent.Verdict, error)
}

// VerifierFunc makes a function a [Verifier].
type VerifierFunc func(ctx context.Context, s State) (agent.Verdict, error)

// Verify implements [Verifier].
func (f VerifierFunc) Verify(ctx context.Context, s State) (agent.Verdict, error) { return f(ctx, s) }

const defaultVerifyLimit = 60 * time.Second

// verify makes the job of a check of the whole.
func (m *mode) verify(pool *budget.Pool) agent.Job {
	x, state := m.executor, m.state.With()
	if m.research != nil {
		return m.research.judge(state, pool)
	}
	return agent.Job{Key: "verify", Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		limit := cmp.Or(x.VerifyLimit, defaultVerifyLimit)
		var v agent.Verdict // written before the check has ended, read after
		check := tool.Tool{Limit: limit, Run: func(ctx context.Context, _ tool.Call) (_ tool.Result, err error) {
			v, err = checked(ctx, x.Verifier, state)
			return tool.Result{}, err
		}}
		end := check.Do(ctx, tool.Call{})
		switch {
		case ctx.Err() != nil && end.Result.Failed():
			return nil, context.Cause(ctx)
		case end.Signal != nil:
			return Judged{Fault: end.Signal.Error()}, nil
		case end.Result.Outcome == tool.TimedOut:
			return Judged{Fault: fmt.Sprintf("the check has not ended within %v", limit)}, nil
		case end.Result.Outcome == tool.Panicked:
			return Judged{Fault: "the check ended its goroutine"}, nil
		case end.Result.Failed():
			return Judged{Fault: end.Result.Text}, nil
		}
		return Judged{Pass: v.Pass, Why: v.Why}, nil
	}}
}

// checked asks a verifier and makes an error of its panic.
func checked(ctx context.Context, v Verifier, s State) (found agent.Verdict, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return v.Verify(ctx, s)
}
