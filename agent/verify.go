package agent

import (
	"context"
	"github.com/triad-go/triad/tool"
)

// A Verifier checks an answer: the world, not the model's words. The state
// tells what has been done. A verdict that does not pass says why, in words
// that the model can act on. An error says that the check itself failed.
type Verifier interface {
	Verify(ctx context.Context, s State) (Verdict, error)
}

// A Verdict is what a [Verifier] finds.
type Verdict struct {
	Pass bool
	Why  string
}

// VerifierFunc makes a function a [Verifier].
type VerifierFunc func(ctx context.Context, s State) (Verdict, error)

// Verify implements [Verifier].
func (f VerifierFunc) Verify(ctx context.Context, s State) (Verdict, error) { return f(ctx, s) }

// verify makes the job of a check.
func (m *loopMode) verify() Job {
	l, state := m.loop, m.state.fork()
	return Job{Key: "verify", Do: func(ctx context.Context, p Port) (Fact, error) {
		limit := l.VerifyLimit
		if limit == 0 {
			limit = defaultVerifyLimit
		}
		var v Verdict // written before the call has ended, read after
		end := guarded(ctx, limit, func(ctx context.Context) (_ tool.Result, err error) {
			found, err := l.Verifier.Verify(ctx, state)
			if err == nil {
				v = found
			}
			return tool.Result{}, err
		})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case end.Signal != nil:
			return Verified{Fault: end.Signal.Error()}, nil
		case end.Result.Failed():
			return Verified{Fault: end.Result.Text}, nil
		}
		return Verified{Pass: v.Pass, Why: v.Why}, nil
	}}
}
