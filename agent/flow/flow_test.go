package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type textStep = func(context.Context, string) (string, error)

func plus(text string) textStep {
	return func(_ context.Context, in string) (string, error) { return in + text, nil }
}

var errDown = errors.New("down")

func fails(context.Context, string) (string, error) { return "lost", errDown }

// AGT-43: a chain, and a gate that says no ends it early.
func TestChain(t *testing.T) {
	out, err := Chain(t.Context(), "a", plus("b"), Gate("too long", func(s string) bool { return len(s) < 3 }), plus("c"))
	require.NoError(t, err)
	require.Equal(t, "abc", out)

	out, err = Chain(t.Context(), "a", plus("b"), Gate("too short", func(s string) bool { return len(s) > 2 }), fails)
	gate, ok := errors.AsType[*GateError](err)
	require.True(t, ok, err)
	require.Equal(t, "too short", gate.Why)
	require.EqualError(t, err, "flow: step 2: the gate said no: too short")
	require.Equal(t, "ab", out)

	out, err = Chain(t.Context(), "a", plus("b"), fails, plus("c"))
	require.ErrorIs(t, err, errDown)
	require.Equal(t, "ab", out)
	_, err = Chain(t.Context(), "a", nil)
	require.ErrorIs(t, err, errMissing)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Chain(ctx, "a", fails)
	require.ErrorIs(t, err, context.Canceled)
}

// AGT-43: a worker is a step; what did not complete is no answer.
func TestBy(t *testing.T) {
	outline := &agent.Loop{Client: llmtest.Script(llmtest.Text("1. two"))}
	write := &agent.Loop{Client: llmtest.Script(llmtest.Text("All."))}
	out, err := Chain(t.Context(), "topic", By(outline), By(write))
	require.NoError(t, err)
	require.Equal(t, "All.", out)

	_, err = By(&agent.Loop{Client: llmtest.Script(), Budget: budget.Budget{Turns: budget.Max(0)}, NoWrapUp: true})(t.Context(), "x")
	end, ok := errors.AsType[*EndError](err)
	require.True(t, ok, err)
	require.Equal(t, agent.OverBudget, end.Result.Reason)
	_, err = By(&agent.Loop{})(t.Context(), "x")
	_, ok = errors.AsType[*agent.ConfigError](err)
	require.True(t, ok, err)
	require.EqualError(t, &EndError{agent.Result{Reason: agent.Waits}}, "flow: the run waits for an answer")
}

// AGT-44: an unknown label and an unreadable reply go to the default.
func TestRoute(t *testing.T) {
	by := func(reply string, err error) textStep {
		return func(context.Context, string) (string, error) {
			if err != nil {
				return "", err
			}
			return Label(reply, "refund", "bug")
		}
	}
	for reply, want := range map[string]string{
		"refund": "r", " **Refund** ": "r", "\"BUG.\"\n": "b",
		"greeting": "person", "": "person", "It is a refund": "person", "refund or bug": "person",
	} {
		out, err := Route(t.Context(), "", by(reply, nil), map[string]textStep{"refund": plus("r"), "bug": plus("b")}, plus("person"))
		require.NoError(t, err)
		require.Equal(t, want, out, reply)
	}
	out, err := Route(t.Context(), "", func(context.Context, string) (string, error) { return "gone", nil }, map[string]textStep{"gone": nil}, plus("person"))
	require.NoError(t, err)
	require.Equal(t, "person", out)
	_, err = Route(t.Context(), "", by("", errDown), nil, plus("person"))
	require.ErrorIs(t, err, errDown, "a client that fails has not said that it cannot tell")
	_, err = Route(t.Context(), "", by("", nil), nil, textStep(nil))
	require.ErrorIs(t, err, errMissing)
}

// AGT-43: sections run side by side and come back in order; the first error
// ends the others.
func TestParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := func(d time.Duration, text string) func(context.Context) (string, error) {
			return func(ctx context.Context) (string, error) {
				select {
				case <-time.After(d):
					return text, nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			}
		}
		began := time.Now()
		out, err := Parallel(t.Context(), 0, after(3*time.Second, "a"), after(2*time.Second, "b"), after(time.Second, "c"))
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "c"}, out)
		require.Equal(t, 3*time.Second, time.Since(began))

		began = time.Now()
		_, err = Parallel(t.Context(), 1, after(3*time.Second, "a"), after(2*time.Second, "b"))
		require.NoError(t, err)
		require.Equal(t, 5*time.Second, time.Since(began))

		began = time.Now()
		_, err = Parallel(t.Context(), 2, after(time.Hour, "a"), func(context.Context) (string, error) { panic("boom") }, after(time.Hour, "c"))
		require.ErrorContains(t, err, "panic: boom")
		require.Zero(t, time.Since(began))

		_, err = Parallel(t.Context(), 0, after(time.Hour, "a"), func(context.Context) (string, error) { return "", errDown })
		require.EqualError(t, err, "flow: section 2: down")
		_, err = Parallel(t.Context(), 0, after(0, "a"), nil)
		require.ErrorIs(t, err, errMissing)
		_, err = Parallel(t.Context(), -1, after(0, "a"))
		require.ErrorContains(t, err, "-1 at once")
	})
}

// AGT-43: an orchestrator splits, workers work, the parts are joined in order.
func TestOrchestrate(t *testing.T) {
	split := func(_ context.Context, job string) ([]string, error) { return strings.Split(job, " "), nil }
	join := func(_ context.Context, job string, parts []int) (string, error) { return fmt.Sprint(job, parts), nil }
	length := func(_ context.Context, task string) (int, error) { return len(task), nil }
	out, err := Orchestrate(t.Context(), "a bb ccc", 2, split, length, join)
	require.NoError(t, err)
	require.Equal(t, "a bb ccc[1 2 3]", out)
	_, err = Orchestrate(t.Context(), "a", 2, split, func(context.Context, string) (int, error) { return 0, errDown }, join)
	require.EqualError(t, err, "flow: task 1: down")
	_, err = Orchestrate(t.Context(), "a", 2, func(context.Context, string) ([]string, error) { return nil, errDown }, length, join)
	require.EqualError(t, err, "flow: splitting: down")
	_, err = Orchestrate(t.Context(), "a", 2, nil, length, join)
	require.ErrorIs(t, err, errMissing)
}

func says(words ...string) func(context.Context, int) (string, error) {
	return func(_ context.Context, number int) (string, error) {
		switch w := words[number-1]; w {
		case "down":
			return "", errDown
		case "panic":
			panic(w)
		default:
			return w, nil
		}
	}
}

// AGT-45: 2 to 1; 1 to 1 with each tie rule; one voter fails, all fail.
func TestVote(t *testing.T) {
	poll, err := Vote(t.Context(), 3, says("no", "yes", "yes"), NoWinner)
	require.NoError(t, err)
	require.Equal(t, "yes 2", fmt.Sprint(poll.Winner, " ", poll.For))
	require.Equal(t, []Ballot[string]{{Value: "no"}, {Value: "yes"}, {Value: "yes"}}, poll.Votes)

	_, err = Vote(t.Context(), 2, says("no", "yes"), NoWinner)
	require.ErrorIs(t, err, ErrTie)
	poll, err = Vote(t.Context(), 2, says("no", "yes"), FirstOfTied)
	require.NoError(t, err)
	require.Equal(t, "no", poll.Winner)
	poll, err = Vote(t.Context(), 5, says("c", "b", "a", "b", "a"), func(_ context.Context, tied []string) (string, error) {
		require.Equal(t, []string{"b", "a"}, tied)
		return "a", nil
	})
	require.NoError(t, err)
	require.Equal(t, "a", poll.Winner)
	_, err = Vote(t.Context(), 2, says("no", "yes"), nil)
	require.ErrorContains(t, err, "no rule for a tie")

	poll, err = Vote(t.Context(), 4, says("down", "yes", "panic", "no"), FirstOfTied)
	require.NoError(t, err)
	require.Equal(t, "yes", poll.Winner)
	require.ErrorIs(t, poll.Votes[0].Err, errDown)
	require.ErrorContains(t, poll.Votes[2].Err, "panic: panic")
	_, err = Vote(t.Context(), 2, says("down", "down"), FirstOfTied)
	require.ErrorIs(t, err, errDown)
	for _, n := range []int{0, -1} {
		_, err = Vote(t.Context(), n, says("yes"), FirstOfTied)
		require.ErrorContains(t, err, "one or more")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Vote(ctx, 5, func(context.Context, int) (string, error) { cancel(); return "yes", nil }, FirstOfTied)
	require.ErrorIs(t, err, context.Canceled)
}

// AGT-45: synthesis merges all that came.
func TestSynthesize(t *testing.T) {
	merge := func(_ context.Context, all []string) (string, error) { return strings.Join(all, "+"), nil }
	out, err := Synthesize(t.Context(), 3, says("a", "down", "c"), merge)
	require.NoError(t, err)
	require.Equal(t, "a+c", out)
	_, err = Synthesize(t.Context(), 1, says("down"), merge)
	require.ErrorIs(t, err, errDown)
	_, err = Synthesize[string, string](t.Context(), 1, says("a"), nil)
	require.ErrorIs(t, err, errMissing)
}

// AGT-45: the winner has the most votes, whoever voted.
func TestVoteCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "down"}), 1, 9).Draw(rt, "votes")
		count := map[string]int{}
		for _, w := range words {
			count[w]++
		}
		delete(count, "down")
		poll, err := Vote(t.Context(), len(words), says(words...), FirstOfTied)
		if len(count) == 0 {
			require.ErrorIs(rt, err, errDown)
			return
		}
		require.NoError(rt, err)
		require.Equal(rt, count[poll.Winner], poll.For)
		for _, n := range count {
			require.LessOrEqual(rt, n, poll.For)
		}
	})
}

// AGT-46: it stops at pass or at its cap of 3, and then says "not passed". The
// evaluator is code here.
func TestRefine(t *testing.T) {
	improve := func(_ context.Context, last Draft[string]) (string, error) { return last.Value + "x" + last.Why, nil }
	judge := func(pass int) func(context.Context, string) (agent.Verdict, error) {
		return func(_ context.Context, s string) (agent.Verdict, error) {
			return agent.Verdict{Pass: strings.Count(s, "x") >= pass, Why: "!"}, nil
		}
	}
	for _, c := range []struct {
		attempts, pass int
		want           Draft[string]
	}{
		{0, 9, Draft[string]{"x" + "x!" + "x!", false, "!", 3}},
		{0, 2, Draft[string]{"xx!", true, "!", 2}},
		{1, 1, Draft[string]{"x", true, "!", 1}},
		{1, 2, Draft[string]{"x", false, "!", 1}},
		{5, 9, Draft[string]{"xx!x!x!x!", false, "!", 5}},
	} {
		got, err := Refine(t.Context(), c.attempts, improve, judge(c.pass))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := Refine(t.Context(), -1, improve, judge(1))
	require.ErrorContains(t, err, "-1 attempts")
	_, err = Refine(t.Context(), 0, improve, nil)
	require.ErrorIs(t, err, errMissing)

	got, err := Refine(t.Context(), 0, improve, func(_ context.Context, s string) (agent.Verdict, error) {
		if s == "x" {
			return agent.Verdict{Why: "!"}, nil
		}
		return agent.Verdict{}, errDown
	})
	require.EqualError(t, err, "flow: judging attempt 2: down")
	require.Equal(t, Draft[string]{"x", false, "!", 1}, got)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Refine(ctx, 0, func(context.Context, Draft[string]) (string, error) { cancel(); return "x", nil }, judge(9))
	require.ErrorIs(t, err, context.Canceled)
}

// AGT-47, AGT-48: the next attempts see the lessons, at most the 3 latest; none
// is drawn after a success or when nobody is left to learn.
func TestReflect(t *testing.T) {
	var seen [][]string
	var drawn atomic.Int32
	attempts := func(_ context.Context, lessons []string) (int, error) {
		seen = append(seen, lessons)
		return len(seen), nil
	}
	passes := func(n int) func(context.Context, int) (agent.Verdict, error) {
		return func(_ context.Context, attempt int) (agent.Verdict, error) {
			return agent.Verdict{Pass: attempt == n, Why: fmt.Sprintf("fail %d", attempt)}, nil
		}
	}
	lesson := func(_ context.Context, failed Draft[int]) (string, error) {
		drawn.Add(1)
		return "learned from " + failed.Why, nil
	}
	got, err := Reflect(t.Context(), 9, attempts, passes(6), lesson)
	require.NoError(t, err)
	require.Equal(t, Draft[int]{6, true, "fail 6", 6}, got)
	require.EqualValues(t, 5, drawn.Load())
	require.Empty(t, seen[0])
	require.Equal(t, []string{"learned from fail 1"}, seen[1])
	require.Equal(t, []string{"learned from fail 3", "learned from fail 4", "learned from fail 5"}, seen[5])

	seen = nil
	got, err = Reflect(t.Context(), 0, attempts, passes(0), nil)
	require.NoError(t, err)
	require.Equal(t, Draft[int]{3, false, "fail 3", 3}, got)
	require.Equal(t, []string{"fail 1", "fail 2"}, seen[2])

	seen = nil
	_, err = Reflect(t.Context(), 0, attempts, nil, lesson)
	require.ErrorIs(t, err, ErrNoFeedback)
	require.Empty(t, seen, "nothing is tried without feedback")
	_, err = Reflect[int](t.Context(), 0, nil, passes(1), lesson)
	require.ErrorIs(t, err, errMissing)
	_, err = Reflect(t.Context(), 0, attempts, passes(0), func(context.Context, Draft[int]) (string, error) { return "", errDown })
	require.EqualError(t, err, "flow: attempt 2: drawing a lesson: down")

	seen = nil
	long := func(context.Context, Draft[int]) (string, error) { return strings.Repeat("é", 9999), nil }
	_, err = Reflect(t.Context(), 2, attempts, passes(0), long)
	require.NoError(t, err)
	require.Len(t, []rune(seen[1][0]), 500)
}
