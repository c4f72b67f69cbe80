package budget_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/budget"
)

// mark is a turn of one call: a lower case letter is a read whose result is
// always the same, an upper case one a failing side effect.
func mark(r rune) []budget.Mark {
	letter := string(r)
	if strings.ToLower(letter) == letter {
		return []budget.Mark{{Call: budget.Sum(letter), Read: true, OK: true, Text: "same"}}
	}
	return []budget.Mark{{Call: budget.Sum(letter), Outcome: "failed"}}
}

// walk folds turns as letters and reminds when told to. It returns after which
// turn the reminder and the stop came, 0 for never.
func walk(s budget.Stall, turns string) (reminded, stopped int) {
	var t budget.Trail
	for i, r := range turns {
		t.Turn(mark(r))
		switch verdict, period := s.Judge(&t); verdict {
		case budget.Reminder:
			if reminded == 0 {
				reminded = i + 1
			}
			t.Remind(period)
		case budget.Stalled:
			return reminded, i + 1
		}
	}
	return reminded, 0
}

// AGT-23, AGT-25, AGT-61, AGT-E37: equal turns and cycles of 2 to 4.
func TestPatterns(t *testing.T) {
	for turns, want := range map[string][2]int{
		"AA":               {0, 0},
		"AAA":              {3, 0},
		"AAAAA":            {3, 5},
		"AABA":             {0, 0},
		"ABAB":             {0, 0},
		"ABABAB":           {6, 0},
		"ABABABAB":         {6, 8},
		"ABCABCABC":        {9, 0},
		"ABCABCABCABC":     {9, 12},
		"ABCDABCDABCD":     {12, 0},
		"ABCDABCDABCDABCD": {12, 16},
		"ABCDEABCDEABCDE":  {0, 0},
		"AAABCD":           {3, 0},
		"AAAABBBBB":        {3, 9}, // another stall, another reminder
		"aaaaa":            {3, 5},
	} {
		reminded, stopped := walk(budget.Stall{}, turns)
		require.Equal(t, want, [2]int{reminded, stopped}, turns)
	}
	_, stopped := walk(budget.Stall{Silent: true}, "AAA")
	require.Equal(t, 3, stopped, "without reminders it stops at detection")
	reminded, stopped := walk(budget.Stall{Off: true}, strings.Repeat("A", 50))
	require.Zero(t, reminded+stopped)
	_, stopped = walk(budget.Stall{After: budget.Max(20), Silent: true}, strings.Repeat("A", 50))
	require.Equal(t, 20, stopped)
}

// BUD-01: on by default with 3; 0 and 1 are refused; off is explicit.
func TestThreshold(t *testing.T) {
	for n, fine := range map[int]bool{-1: false, 0: false, 1: false, 2: true} {
		err := budget.Stall{After: &n}.Validate()
		require.Equal(t, fine, err == nil, n)
	}
	require.NoError(t, budget.Stall{Off: true}.Validate())
	_, stopped := walk(budget.Stall{After: budget.Max(2), Silent: true}, "AA")
	require.Equal(t, 2, stopped)
}

// judged tells what a trail of turns calls for, without reminders.
func judged(turns ...[]budget.Mark) budget.Verdict {
	var t budget.Trail
	for _, m := range turns {
		t.Turn(m)
	}
	verdict, _ := budget.Stall{Silent: true}.Judge(&t)
	return verdict
}

// AGT-E36, B094: a read whose result changes is no stall; the logs of a failing
// command, which hold times, do not hide one.
func TestWhatCounts(t *testing.T) {
	poll := func(text string) []budget.Mark {
		return []budget.Mark{{Call: 1, Read: true, OK: true, Text: text}}
	}
	require.Equal(t, budget.GoOn, judged(poll("10%"), poll("20%"), poll("30%"), poll("40%")))
	run := func(text string) []budget.Mark { return []budget.Mark{{Call: 1, Outcome: "failed", Text: text}} }
	require.Equal(t, budget.Stalled, judged(run("at 10:01"), run("at 10:02"), run("at 10:03")))
	a, b := budget.Mark{Call: 1, Outcome: "failed"}, budget.Mark{Call: 2, Outcome: "failed"}
	require.Equal(t, budget.Stalled, judged([]budget.Mark{a, b}, []budget.Mark{b, a}, []budget.Mark{a, b}), "order within a turn")
	require.Equal(t, budget.GoOn, judged([]budget.Mark{a, a}, []budget.Mark{a}, []budget.Mark{a, a}), "a multiset, not a set")
}

// AGT-19, AGT-20, AGT-E38: a new side effect resets, its repeat does not.
func TestResets(t *testing.T) {
	build := []budget.Mark{{Call: 1, Outcome: "failed"}}
	write := func(call uint64, ok bool, changed string) []budget.Mark {
		m := budget.Mark{Call: call, OK: ok, Changed: changed}
		if !ok {
			m.Outcome = "failed"
		}
		return []budget.Mark{m}
	}
	require.Equal(t, budget.GoOn, judged(build, build, write(2, true, ""), build, build))
	require.Equal(t, budget.Stalled, judged(write(2, true, ""), write(2, true, ""), write(2, true, "")))
	require.Equal(t, budget.Stalled, judged(write(2, true, "yes"), write(2, true, "yes"), write(2, true, "yes")), "whatever its result says")
	require.Equal(t, budget.Stalled, judged(build, write(3, false, ""), build, write(3, false, ""), build, write(3, false, "")))
	require.Equal(t, budget.Stalled, judged(write(4, true, "no"), write(4, true, "no"), write(4, true, "no")))
	read := func(changed string) []budget.Mark {
		return []budget.Mark{{Call: 9, Read: true, OK: true, Changed: changed, Text: "x"}}
	}
	require.Equal(t, budget.GoOn, judged(read(""), read(""), read("yes"), read(""), read("yes")))

	var trail budget.Trail
	trail.Turn(build)
	trail.Turn(build)
	require.Equal(t, 2, trail.Seen(1))
	trail.Reset() // a message of the user
	require.Zero(t, trail.Seen(1))
	trail.Turn(build)
	verdict, _ := budget.Stall{}.Judge(&trail)
	require.Equal(t, budget.GoOn, verdict)
}

// GEN-02 (share): two trails that grow from one do not see each other, and the
// verdict is a function of the turns alone.
func TestForks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.StringMatching(`[A-Ca-c]{0,30}`).Draw(t, "turns")
		var one budget.Trail
		for _, r := range turns {
			one.Turn(mark(r))
		}
		fork := one.Clone()
		fork.Turn(mark('Z'))
		fork.Reset()
		var again budget.Trail
		for _, r := range turns {
			again.Turn(mark(r))
		}
		got, gotPeriod := budget.Stall{}.Judge(&one)
		want, wantPeriod := budget.Stall{}.Judge(&again)
		require.Equal(t, want, got)
		require.Equal(t, wantPeriod, gotPeriod)
		require.Equal(t, again.Seen(budget.Sum("A")), one.Seen(budget.Sum("A")))
	})
}
