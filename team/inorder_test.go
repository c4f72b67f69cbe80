package team_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
)

// TEAM-05: whatever the latencies, output comes in task order; what runs alone,
// and what is first, comes live.
func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := script("step_1 work 30s: one\nstep_1 review: " + approve +
			"\nstep_2 work 5s: two\nstep_2 review: " + approve +
			"\nstep_3 work 10s: three\nstep_3 review: " + approve +
			"\nstep_4 work 10s: four\nstep_4 review: " + approve)
		run := open(t, c.team("step_1", "step_2", "step_3", "step_4 after step_1 step_2 step_3"))
		require.Equal(t, "30:one 30:step_1 30:two 30:step_2 30:three 30:step_3 40:four 40:step_4", shown(t, team.InOrder(run.Events(t.Context()))))
	})
	// step_2 waits for step_3: step_1 is first; then step_3 runs alone.
	synctest.Test(t, func(t *testing.T) {
		c := script("step_1 work 5s: one\nstep_1 review: " + approve +
			"\nstep_2 work 5s: two\nstep_2 review: " + approve +
			"\nstep_3 work 10s: three\nstep_3 review: " + approve)
		run := open(t, c.team("step_1", "step_2 after step_3", "step_3"))
		require.Equal(t, "5:one 5:step_1 10:three 10:step_3 15:two 15:step_2", shown(t, team.InOrder(run.Events(t.Context()))))
	})
}

// shown tells what texts and ends a reader sees, and when.
func shown(t *testing.T, events iter.Seq2[agent.Event, error]) string {
	start := time.Now()
	var all []string
	for event, err := range events {
		require.NoError(t, err)
		what := ""
		if in, ok := event.(agent.Inner); ok && strings.HasSuffix(in.Path, "/work") {
			if d, ok := in.Event.(agent.TextDelta); ok {
				what = string(d)
			}
		}
		if f, ok := event.(plan.TaskEnded); ok {
			what = f.ID
		}
		if what != "" {
			all = append(all, fmt.Sprintf("%g:%s", time.Since(start).Seconds(), what))
		}
	}
	return strings.Join(all, " ")
}

// A run that was opened again is in order, too; an error and the end lose nothing.
func TestInOrderGoesOn(t *testing.T) {
	in := func(id, text string) agent.Event {
		return agent.Inner{Path: id + "/work", Event: agent.TextDelta(text)}
	}
	log := []agent.Entry{
		{Fact: plan.Drafted{Tasks: []plan.Task{{ID: "a"}, {ID: "b"}, {ID: "c", Outcome: plan.Outcome{Status: plan.Completed}}}}},
		{Fact: plan.TaskStarted{ID: "a", Place: 1}}, {Fact: plan.TaskStarted{ID: "b", Place: 2}},
	}
	events := func(last error) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			for _, e := range []agent.Event{in("b", "b1"), in("a", "a1"), in("b", "b2"), agent.Said{Text: "said"}, in("a", "a2")} {
				if !yield(e, nil) {
					return
				}
			}
			if last != nil {
				yield(nil, last)
			}
		}
	}
	lost := errors.New("lost")
	for _, last := range []error{nil, lost} {
		var got []string
		var failed error
		for e, err := range team.InOrder(events(last), log...) {
			switch e := e.(type) {
			case agent.Inner:
				got = append(got, string(e.Event.(agent.TextDelta)))
			case agent.Said:
				got = append(got, e.Text)
			}
			failed = err
		}
		require.Equal(t, "a1 said a2 b1 b2", strings.Join(got, " "))
		require.Equal(t, last, failed)
	}
	for range team.InOrder(events(lost), log...) {
		break
	}
}
