package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
)

// A set of places is what a sorted list is, whatever its size: up to a word, to
// two levels, to three.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 63, 64, 65, 4096, 4097, 300_000}).Draw(t, "size")
		place := rapid.Int32Range(0, int32(size-1))
		p, list := newPlaces(size), []int32{}
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			i := place.Draw(t, "place")
			at, in := slices.BinarySearch(list, i)
			require.Equal(t, in, p.has(i))
			switch {
			case rapid.Bool().Draw(t, "add"):
				if p.add(i); !in {
					list = slices.Insert(list, at, i)
				}
			default:
				if p.remove(i); in {
					list = slices.Delete(list, at, at+1)
				}
			}
		}
		read := []int32{}
		for i := p.next(0); i >= 0; i = p.next(i + 1) {
			read = append(read, i)
		}
		require.Equal(t, list, read)
		require.Equal(t, len(list), p.n)
	})
	require.Equal(t, int32(-1), new(places).next(0), "no tasks, no places")
}

// PLAN-05: whatever has started and ended, and in whatever order, the fresh
// tasks are the first in the list that are ready, and each gets the lowest
// number that no task under way has.
func TestAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		s.fold(agent.Entry{Fact: agent.Said{Text: "g"}})
		s.fold(agent.Entry{Fact: Drafted{Tasks: benchTasks(rapid.IntRange(1, 200).Draw(t, "tasks"))}})
		x := &Executor{Parallel: rapid.IntRange(1, 20).Draw(t, "parallel")}
		for {
			step, ok := x.next(&s).(RunTasks)
			if !ok {
				break
			}
			checkAssignments(t, &s, x.Parallel, step.Tasks)
			a := rapid.SampledFrom(step.Tasks).Draw(t, "next")
			if a.Begun {
				s.fold(agent.Entry{Fact: TaskEnded{a.ID, Outcome{Status: Completed}}})
			} else {
				s.fold(agent.Entry{Fact: TaskStarted{a.ID, a.Place}})
			}
		}
		require.Equal(t, len(s.tasks), s.done)
	})
}

func checkAssignments(t *rapid.T, s *State, parallel int, got []Assignment) {
	var want []Assignment
	taken := map[int]bool{}
	for _, task := range s.tasks {
		if task.Status == Running {
			want = append(want, Assignment{task.ID, true, task.Place})
			require.False(t, taken[task.Place], fmt.Sprint("two tasks have the place ", task.Place))
			taken[task.Place] = true
		}
	}
	ready := s.DAG().Ready()
	for _, task := range ready[:min(parallel, len(ready))] {
		place := 1
		for taken[place] {
			place++
		}
		taken[place] = true
		want = append(want, Assignment{task.ID, false, place})
	}
	require.Equal(t, want, got)
}
