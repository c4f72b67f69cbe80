package team_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
)

func about(id, text string) agent.Event {
	return agent.Inner{Path: id + "/work", Event: agent.TextDelta(text)}
}

func playing(events ...agent.Event) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// read tells of all events that a reader sees.
func read(t *testing.T, events iter.Seq2[agent.Event, error]) string {
	t.Helper()
	var all []string
	for e, err := range events {
		require.NoError(t, err)
		all = append(all, says(e))
	}
	return strings.Join(all, " ")
}

func says(e agent.Event) string {
	switch e := e.(type) {
	case agent.Inner:
		return string(e.Event.(agent.TextDelta))
	case plan.TaskFound:
		return "found:" + e.Task.ID
	case plan.TaskStarted:
		return "+" + e.ID
	case plan.TaskEnded:
		return "-" + e.ID
	}
	return e.Kind()
}

// TEAM-05: tasks that begin while the plan is still being written are in order
// as well, and whatever comes of the plan, nothing of them is lost.
func TestInOrderEarly(t *testing.T) {
	found := func(id string) agent.Event { return plan.TaskFound{Task: plan.Task{ID: id}} }
	ended := func(id string, s plan.Status) agent.Event {
		return plan.TaskEnded{ID: id, Outcome: plan.Outcome{Status: s}}
	}
	early := []agent.Event{
		found("a"), plan.TaskStarted{ID: "a", Place: 1}, found("b"), plan.TaskStarted{ID: "b", Place: 2},
		about("b", "b1"), about("a", "a1"), ended("b", plan.Completed), about("a", "a2"),
	}
	seen := "found:a +a found:b +b a1 a2 "
	for name, c := range map[string]struct {
		then []agent.Event
		want string
	}{
		"refused": {
			[]agent.Event{plan.PlanRejected{Error: "no"}, ended("a", plan.Canceled), agent.Stopped{}}, "plan_rejected -a b1 -b stopped",
		},
		"planned": {
			[]agent.Event{plan.Drafted{Tasks: []plan.Task{{ID: "a"}, {ID: "b"}}}, about("a", "a3"), ended("a", plan.Completed), agent.Stopped{}},
			"b1 -b drafted a3 -a stopped",
		},
		"planned without them": {
			[]agent.Event{
				plan.Drafted{Tasks: []plan.Task{{ID: "c"}}}, about("a", "a3"), ended("a", plan.Canceled),
				plan.TaskStarted{ID: "c", Place: 1}, about("c", "c1"), ended("c", plan.Completed),
			}, "b1 -b drafted a3 -a +c c1 -c",
		},
		"the end": {nil, "b1 -b"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, seen+c.want, read(t, team.InOrder(playing(append(early[:len(early):len(early)], c.then...)...))))
		})
	}
	// The log is not at hand: nothing is known of the order.
	require.Equal(t, "+x x1 -x stopped", read(t, team.InOrder(playing(
		plan.TaskStarted{ID: "x", Place: 1}, about("x", "x1"), ended("x", plan.Completed), agent.Stopped{}))))
}

// TEAM-05: whatever comes, each event is seen once, and those of one task are
// seen as they came.
func TestInOrderLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var all []agent.Event
		for n := range rapid.IntRange(0, 40).Draw(t, "events") {
			id := string(rune('a' + dice.IntN(4)))
			switch dice.IntN(7) {
			case 0:
				all = append(all, plan.Drafted{Tasks: []plan.Task{{ID: id}, {ID: string(rune('a' + dice.IntN(4)))}}})
			case 1:
				all = append(all, plan.TaskFound{Task: plan.Task{ID: id}})
			case 2:
				all = append(all, plan.TaskStarted{ID: id, Place: 1})
			case 3:
				all = append(all, plan.TaskEnded{ID: id, Outcome: plan.Outcome{Why: fmt.Sprint(n)}})
			case 4:
				all = append(all, agent.Said{Text: fmt.Sprint(n)})
			default:
				all = append(all, about(id, fmt.Sprint(id, n)))
			}
		}
		var got []agent.Event
		for e, err := range team.InOrder(playing(all...)) {
			require.NoError(t, err)
			got = append(got, e)
		}
		require.ElementsMatch(t, all, got)
		for _, id := range []string{"a", "b", "c", "d"} {
			require.Equal(t, within(all, id), within(got, id))
		}
	})
}

// within returns what happens within a task.
func within(all []agent.Event, id string) (own []agent.Event) {
	for _, e := range all {
		if in, ok := e.(agent.Inner); ok && in.Path == id+"/work" {
			own = append(own, e)
		}
	}
	return own
}
