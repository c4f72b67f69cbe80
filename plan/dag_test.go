package plan_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// PLAN-03, B184, B185, B186: NewDAG names every fault, and of cycles exactly
// the members, also behind valid chains and among many good tasks.
func TestNewDAG(t *testing.T) {
	good := make([]plan.Task, 50)
	for i := range good {
		good[i] = plan.Task{ID: fmt.Sprint("g", i), Description: "x"}
		if i > 0 {
			good[i].Dependencies = []string{fmt.Sprint("g", i-1)}
		}
	}
	for name, c := range map[string]struct{ tasks, want string }{
		"B185: a cycle, and one that is missing": {"a: x after b,b: x after a,c: x,d: x after z", "unknown_dependency d, cycle a,b"},
		"B186: a cycle of three behind a chain, and itself": {"s: x after s,k: x after g49 n,l: x after k,m: x after l g3,n: x after m,o: x after n",
			"self_dependency s, cycle k,l,m,n"},
		"two cycles": {"a: x after b,b: x after a,c: x after d a,d: x after c", "cycle a,b, cycle c,d"},
		"B184":       {"a: x,b: x,a: x,a: y", "repeated_id a"},
		"four":       {"a: x after z,: x,b: ,b: x after b", "bad_id tasks[51], bad_description b, repeated_id b, unknown_dependency a, self_dependency b"},
		"a slash":    {"a/b: x", "bad_id a/b"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := plan.NewDAG(append(slices.Clone(good), lines(strings.Split(c.tasks, ",")...)...)...)
			require.Nil(t, d)
			require.Equal(t, c.want, faults(t, err))
		})
	}
	_, err := plan.NewDAG(lines("a: x after c", "b: x after a", "c: x after b")...)
	require.ErrorContains(t, err, "a → c → b → a", "the cycle is spelled out")
	_, err = plan.NewDAG()
	require.Equal(t, "empty_plan", faults(t, err))
	_, err = plan.NewDAG(plan.Task{ID: "a", Description: "x", Outcome: plan.Outcome{Status: "odd"}}, plan.Task{ID: "b", Description: "x", Order: -1, Arguments: json.RawMessage(`{}`)})
	require.Equal(t, "bad_status a, bad_order b, bad_tool b", faults(t, err))
}

// A DAG shares nothing with who made it or reads it.
func TestDAGIsItsOwn(t *testing.T) {
	tasks := lines("a: x", "b: x after a")
	d, err := plan.NewDAG(tasks...)
	require.NoError(t, err)
	tasks[1].Dependencies[0] = "b"
	d.Tasks()[1].Dependencies[0] = "b"
	require.Equal(t, []string{"a"}, d.Tasks()[1].Dependencies)
	require.Equal(t, 2, d.Len())
}

// PLAN-03: no recursion limit, and linear time: ready sets and critical paths of
// large graphs.
func TestLargeDAG(t *testing.T) {
	chain := make([]plan.Task, 100_000)
	for i := range chain {
		chain[i] = plan.Task{ID: fmt.Sprint(i), Description: "x"}
		if i > 0 {
			chain[i].Dependencies = []string{fmt.Sprint(i - 1)}
		}
	}
	d, err := plan.NewDAG(chain...)
	require.NoError(t, err)
	require.Len(t, d.Ready(), 1)
	path, length := d.CriticalPath(nil)
	require.Len(t, path, len(chain))
	require.Equal(t, time.Duration(len(chain)), length)
	chain[0].Dependencies = []string{"99999"}
	_, err = plan.NewDAG(chain...)
	require.Error(t, err)
}

// randomTasks are n tasks of which each depends on a few before it.
func randomTasks(dice *rand.Rand, n, most int) []plan.Task {
	tasks := make([]plan.Task, n)
	for i := range tasks {
		tasks[i] = plan.Task{ID: fmt.Sprint("t", i), Description: fmt.Sprint(1+dice.IntN(20), "s")}
		for range min(i, dice.IntN(most+1)) {
			tasks[i].Dependencies = append(tasks[i].Dependencies, fmt.Sprint("t", dice.IntN(i)))
		}
	}
	return tasks
}

// The ready set and the critical path are those that the slow way finds; a back
// edge makes a cycle that is named by its members alone.
func TestDAGProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		tasks := randomTasks(dice, 1+dice.IntN(40), 3)
		status := map[string]plan.Status{}
		for i := range tasks {
			tasks[i].Status = []plan.Status{plan.Pending, plan.Completed, plan.Failed}[dice.IntN(3)]
			status[tasks[i].ID] = tasks[i].Status
		}
		d, err := plan.NewDAG(tasks...)
		require.NoError(t, err)
		var want []string
		ends, longest := map[string]int{}, 0
		for _, task := range tasks {
			ok := task.Status == plan.Pending
			for _, id := range task.Dependencies {
				ok = ok && status[id] == plan.Completed
				ends[task.ID] = max(ends[task.ID], ends[id])
			}
			ends[task.ID]++
			longest = max(longest, ends[task.ID])
			if ok {
				want = append(want, task.ID)
			}
		}
		var got []string
		for _, task := range d.Ready() {
			got = append(got, task.ID)
		}
		require.Equal(t, want, got)
		path, length := d.CriticalPath(nil)
		require.Equal(t, longest, int(length))
		require.Len(t, path, longest)
		for i := 1; i < len(path); i++ {
			require.Contains(t, path[i].Dependencies, path[i-1].ID)
		}
		data, err := json.Marshal(d)
		require.NoError(t, err)
		var again plan.DAG
		require.NoError(t, json.Unmarshal(data, &again))
		require.Equal(t, d.Tasks(), again.Tasks(), "PLAN-38: JSON keeps statuses")

		if len(path) > 1 {
			first := slices.IndexFunc(tasks, func(x plan.Task) bool { return x.ID == path[0].ID })
			tasks[first].Dependencies = append(tasks[first].Dependencies, path[len(path)-1].ID)
			_, err = plan.NewDAG(tasks...)
			invalid := err.(*plan.InvalidError)
			require.Len(t, invalid.Faults, 1)
			require.Subset(t, invalid.Faults[0].Tasks, []string{path[0].ID, path[len(path)-1].ID})
			for _, id := range invalid.Faults[0].Tasks {
				require.True(t, reaches(tasks, id, path[0].ID) && reaches(tasks, path[0].ID, id), "%s is no member", id)
			}
		}
	})
}

func reaches(tasks []plan.Task, from, to string) bool {
	seen := map[string]bool{}
	var walk func(id string) bool
	walk = func(id string) bool {
		for _, task := range tasks {
			if task.ID != id {
				continue
			}
			for _, d := range task.Dependencies {
				if d == to {
					return true
				}
				if !seen[d] {
					seen[d] = true
					if walk(d) {
						return true
					}
				}
			}
		}
		return false
	}
	return walk(from)
}

// PLAN-38: drawings and JSON with statuses, texts that could break them included.
func TestDrawings(t *testing.T) {
	tasks := lines("a: list files", `b: say "hi" <b>; #1 \ & `+"`x`\nend", "c: a very long description that nobody would want to see whole in a drawing after a b", "d: x after c", "e: x after d", "f: x", "g: x")
	for i, s := range []plan.Status{plan.Completed, plan.Running, plan.Pending, plan.Skipped, plan.Canceled, plan.Failed, plan.Partial} {
		tasks[i].Status = s
	}
	tasks[0].Result, tasks[5].Why = "three files", "refused"
	d, err := plan.NewDAG(tasks...)
	require.NoError(t, err)
	golden(t, "dag.mmd", d.Mermaid())
	golden(t, "dag.dot", d.DOT())
	data, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	golden(t, "dag.json", string(data)+"\n")
	require.Error(t, json.Unmarshal([]byte(`{"tasks":[]}`), d))
	require.Equal(t, 7, d.Len(), "it stays as it was")
	require.Error(t, json.Unmarshal([]byte(`{"tasks":5}`), d))
}

// GEN-01: the half that decides imports nothing that acts, and has no clock.
func TestPureHalf(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	pure := 0
	for _, file := range files {
		switch {
		case strings.HasSuffix(file, "_test.go"):
			continue
		case strings.HasPrefix(file, "dag"), slices.Contains([]string{"state.go", "next.go", "event.go", "board.go", "bits.go", "research_next.go", "reference.go", "fault.go", "task.go", "summary.go", "texts.go"}, file):
			pure++
		default:
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			for _, no := range []string{"context", "sync", "sync/atomic", "os", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand"} {
				require.NotEqual(t, no, path, file)
			}
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "time.Now", file)
	}
	require.Equal(t, 14, pure)
}
