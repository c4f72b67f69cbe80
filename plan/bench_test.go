package plan

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/triad-go/triad/agent"
)

// benchTasks are n tasks of which each depends on up to three before it.
func benchTasks(n int) []Task {
	dice := rand.New(rand.NewPCG(1, 2))
	tasks := make([]Task, n)
	for i := range tasks {
		tasks[i] = Task{ID: fmt.Sprint("task_", i+1), Description: "nothing"}
		for range min(i, dice.IntN(4)) {
			tasks[i].Dependencies = append(tasks[i].Dependencies, tasks[dice.IntN(i)].ID)
		}
	}
	return tasks
}

func perTask(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/task")
}

// BenchmarkDecide carries a random plan through, by asking Next and folding what
// it wants: all that the pure half does for a task.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, err := NewDAG(benchTasks(n)...)
			if err != nil {
				b.Fatal(err)
			}
			x := &Executor{}
			goal, draft := agent.Entry{Fact: agent.Said{Text: "g"}}, agent.Entry{Fact: Drafted{Tasks: d.Tasks()}}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				var s State
				s.fold(goal)
				draft.Fact = Drafted{Tasks: d.Tasks()}
				s.fold(draft)
				b.StartTimer()
				carry(b, x, &s, n)
			}
			perTask(b, n)
		})
	}
}

// carry does what Next wants until it wants to stop: each task is started and
// ended, and Next is asked after every fact.
func carry(b *testing.B, x *Executor, s *State, n int) {
	done := 0
	for {
		switch step := x.next(s).(type) {
		case RunTasks:
			t := step.Tasks[0]
			if !t.Begun {
				s.fold(agent.Entry{Fact: TaskStarted{t.ID, t.Place}})
				continue
			}
			s.fold(agent.Entry{Fact: TaskEnded{t.ID, Outcome{Status: Completed}}})
			done++
		case Stop:
			if done != n || step.Reason != agent.Completed {
				b.Fatal(done, step)
			}
			return
		default:
			b.Fatalf("%T", step)
		}
	}
}

// BenchmarkDraft checks and takes in a plan: what it costs once.
func BenchmarkDraft(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tasks := benchTasks(n)
			for b.Loop() {
				d, err := NewDAG(tasks...)
				if err != nil {
					b.Fatal(err)
				}
				var s State
				s.fold(agent.Entry{Fact: Drafted{Tasks: d.tasks}})
			}
			perTask(b, n)
		})
	}
}

// BenchmarkErrgroup is the floor: the same graph by an errgroup of four and
// counters of what is waited for.
func BenchmarkErrgroup(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, err := NewDAG(benchTasks(n)...)
			if err != nil {
				b.Fatal(err)
			}
			waits := make([]atomic.Int32, n)
			for b.Loop() {
				ready := make(chan int32, n)
				for i := range waits {
					if waits[i].Store(int32(len(d.edges.up[i]))); len(d.edges.up[i]) == 0 {
						ready <- int32(i)
					}
				}
				var g errgroup.Group
				g.SetLimit(4)
				for range n {
					i := <-ready
					g.Go(func() error {
						for _, j := range d.edges.down[i] {
							if waits[j].Add(-1) == 0 {
								ready <- j
							}
						}
						return nil
					})
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			perTask(b, n)
		})
	}
}

// BenchmarkSkewed reports, in units of work, how long a skewed graph takes by
// dependencies and in rounds: eight chains of ten, in each of whose rounds one
// task takes ten times as long as the others.
func BenchmarkSkewed(b *testing.B) {
	var tasks []Task
	for c := range 8 {
		for i := range 10 {
			t := Task{ID: fmt.Sprintf("c%d_%d", c, i), Description: "1", Order: 1}
			if i%8 == c {
				t.Order = 10 // its length
			}
			if i > 0 {
				t.Dependencies = []string{fmt.Sprintf("c%d_%d", c, i-1)}
			}
			tasks = append(tasks, t)
		}
	}
	for name, barrier := range map[string]bool{"dependencies": false, "rounds": true} {
		b.Run(name, func(b *testing.B) {
			var took int
			for b.Loop() {
				var s State
				s.fold(agent.Entry{Fact: agent.Said{Text: "g"}})
				s.fold(agent.Entry{Fact: Drafted{Tasks: cloned(tasks)}})
				took = simulate(&Executor{Barrier: barrier, Parallel: 8}, &s)
			}
			d, _ := NewDAG(tasks...)
			_, critical := d.CriticalPath(func(t Task) time.Duration { return time.Duration(t.Order) })
			b.ReportMetric(float64(took), "makespan")
			b.ReportMetric(float64(critical), "critical-path")
		})
	}
}

// simulate carries a plan through in units of time, of which each task takes as
// many as its order says.
func simulate(x *Executor, s *State) (now int) {
	ends := map[string]int{}
	for {
		step, ok := x.next(s).(RunTasks)
		if !ok {
			return now
		}
		for _, a := range step.Tasks {
			if t, _ := s.Task(a.ID); !a.Begun && len(ends) < x.Parallel {
				s.fold(agent.Entry{Fact: TaskStarted{a.ID, a.Place}})
				ends[a.ID] = now + t.Order
			}
		}
		first := ""
		for id, at := range ends {
			if first == "" || at < ends[first] || at == ends[first] && id < first {
				first = id
			}
		}
		now = ends[first]
		delete(ends, first)
		s.fold(agent.Entry{Fact: TaskEnded{first, Outcome{Status: Completed}}})
	}
}
