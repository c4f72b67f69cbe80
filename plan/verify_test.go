package plan_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
)

// PLAN-18, AGT-08: whatever a verifier does, it holds up neither the run nor the
// process, and is its own fault.
func TestVerifierIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		limit  time.Duration
		verify func(context.Context) error
		takes  time.Duration
		fault  string
	}{
		"hangs":           {0, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 60 * time.Second, "not ended within 1m0s"},
		"hangs, bounded":  {time.Second, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, time.Second, "not ended within 1s"},
		"is deaf":         {time.Second, func(context.Context) error { time.Sleep(time.Hour); return nil }, time.Second, "not ended within 1s"},
		"says so late":    {time.Second, func(ctx context.Context) error { <-ctx.Done(); return nil }, time.Second, "not ended within 1s"},
		"panics":          {0, func(context.Context) error { panic("ouch") }, 0, "panic: ouch"},
		"panics with nil": {0, func(context.Context) error { panic(nil) }, 0, "panic: "},
		"ends its thread": {0, func(context.Context) error { runtime.Goexit(); return nil }, 0, "ended its goroutine"},
		"is broken":       {0, func(context.Context) error { return errors.New("no build tool") }, 0, "no build tool"},
		"its own end":     {0, func(context.Context) error { return context.DeadlineExceeded }, 0, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &plan.Executor{
					Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop(), VerifyLimit: c.limit,
					Verifier: plan.VerifierFunc(func(ctx context.Context, _ plan.State) (agent.Verdict, error) {
						return agent.Verdict{Pass: true}, c.verify(ctx)
					}),
				}
				start := time.Now()
				res, err := agent.Do(t.Context(), x, "g")
				require.NoError(t, err)
				require.Equal(t, agent.VerifierFault, res.Cause)
				require.Contains(t, res.Detail, c.fault)
				require.InDelta(t, c.takes.Seconds(), time.Since(start).Seconds(), 1)
				time.Sleep(2 * time.Hour) // the deaf one comes back
			})
		})
	}
}

// PLAN-18: a run that is let go of while it is verified goes on from there.
func TestVerifierLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		x := &plan.Executor{
			Planner: drafts([]string{"a: x"}), Worker: (&crew{}).loop(),
			Verifier: plan.VerifierFunc(func(ctx context.Context, _ plan.State) (agent.Verdict, error) {
				if calls++; calls > 1 {
					return agent.Verdict{Pass: true}, nil
				}
				<-ctx.Done()
				return agent.Verdict{}, ctx.Err()
			}),
		}
		run := open(t, x)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, agent.Drain(ctx, run, nil), context.DeadlineExceeded)
		require.False(t, run.Result().Ended())
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, agent.Completed, run.Result().Reason)
	})
}
