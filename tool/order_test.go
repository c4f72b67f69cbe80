package tool_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/tool"
)

// after returns for each call the earlier ones without whose end it is not
// ready, all other calls having ended.
func after(uses []tool.Use) [][]int {
	out := make([][]int, len(uses))
	for i := range uses {
		for j := range i {
			ready := tool.Order(uses).Ready(func(k int) bool { return k != i && k != j })
			if !slices.Contains(slices.Collect(ready), i) {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

// waves returns the calls that start together when each call takes as long as
// the others.
func waves(uses []tool.Use) (out [][]int) {
	ended := make([]bool, len(uses))
	order := tool.Order(uses)
	for {
		wave := slices.Collect(order.Ready(func(i int) bool { return ended[i] }))
		if len(wave) == 0 {
			return out
		}
		for _, i := range wave {
			ended[i] = true
		}
		out = append(out, wave)
	}
}

var (
	r = tool.Use{Access: tool.ReadOnly}
	w = tool.Use{}
)

func keyed(reads, writes []string) tool.Use {
	return tool.Use{Keyed: true, Keys: tool.Keys{Reads: reads, Writes: writes}}
}

func writes(keys ...string) tool.Use { return keyed(nil, keys) }
func reads(keys ...string) tool.Use  { return keyed(keys, nil) }

// TOOL-07, TOOL-E28, TOOL-09, TOOL-35.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name        string
		uses        []tool.Use
		after, wave string
	}{
		{"nothing", nil, "[]", "[]"},
		{"a single call", []tool.Use{w}, "[[]]", "[[0]]"},
		{"TOOL-07: R R W R R", []tool.Use{r, r, w, r, r}, "[[] [] [0 1] [2] [2]]", "[[0 1] [2] [3 4]]"},
		{"TOOL-07: writes alone, in order", []tool.Use{w, w, w}, "[[] [0] [0 1]]", "[[0] [1] [2]]"},
		{"TOOL-07: a read after a write sees it", []tool.Use{w, r}, "[[] [0]]", "[[0] [1]]"},
		{"TOOL-35: writes to two things", []tool.Use{writes("a"), writes("b"), writes("a")}, "[[] [] [0]]", "[[0 1] [2]]"},
		{"TOOL-35: read after write of one thing", []tool.Use{writes("a"), reads("a"), reads("b")}, "[[] [0] []]", "[[0 2] [1]]"},
		{"TOOL-35: write after read of one thing", []tool.Use{reads("a"), reads("a"), writes("a")}, "[[] [] [0 1]]", "[[0 1] [2]]"},
		{"TOOL-35: keyed write, undeclared command", []tool.Use{writes("a"), w}, "[[] [0]]", "[[0] [1]]"},
		{"TOOL-35: undeclared command, keyed write", []tool.Use{w, writes("a")}, "[[] [0]]", "[[0] [1]]"},
		{"TOOL-35: keyed write, undeclared read", []tool.Use{writes("a"), r}, "[[] [0]]", "[[0] [1]]"},
		{"TOOL-35: undeclared read, keyed write", []tool.Use{r, writes("a")}, "[[] [0]]", "[[0] [1]]"},
		{"TOOL-35: keyed read, undeclared read", []tool.Use{reads("a"), r}, "[[] []]", "[[0 1]]"},
		{"TOOL-35: keyed read, undeclared command", []tool.Use{reads("a"), w, reads("a")}, "[[] [0] [1]]", "[[0] [1] [2]]"},
		{"TOOL-35: keys are compared exactly", []tool.Use{writes("a"), writes("A"), writes("./a")}, "[[] [] []]", "[[0 1 2]]"},
		{"TOOL-35: several keys", []tool.Use{writes("a", "b"), writes("b", "c"), writes("c")}, "[[] [0] [1]]", "[[0] [1] [2]]"},
		{"a call that was stopped is in nobody's way", []tool.Use{w, {Keyed: true}, r}, "[[] [] [0]]", "[[0 1] [2]]"},
	} {
		require.Equal(t, c.after, fmt.Sprint(after(c.uses)), c.name)
		require.Equal(t, c.wave, fmt.Sprint(waves(c.uses)), c.name)
	}
}

// A call that ends out of turn, such as a denied one, opens no way around those before it.
func TestOrderLooksPastEndedCalls(t *testing.T) {
	for name, uses := range map[string][]tool.Use{
		"undeclared": {w, w, r}, "keyed": {writes("a"), writes("a"), reads("a")}, "mixed": {writes("a"), w, writes("a")},
	} {
		ready := tool.Order(uses).Ready(func(i int) bool { return i == 1 })
		require.Equal(t, []int{0}, slices.Collect(ready), name)
	}
}

func anyUse(t *rapid.T) tool.Use {
	key := rapid.SampledFrom([]string{"a", "b", "c"})
	u := tool.Use{Access: tool.Access(rapid.IntRange(0, 1).Draw(t, "access")), Keyed: rapid.Bool().Draw(t, "keyed")}
	if u.Keyed {
		u.Keys = tool.Keys{
			Reads:  rapid.SliceOfN(key, 0, 2).Draw(t, "reads"),
			Writes: rapid.SliceOfN(key, 0, 2).Draw(t, "writes"),
		}
	}
	return u
}

// TOOL-07: ready is exactly what has no earlier conflicting call that has not
// ended, whatever has ended.
func TestOrderIsConflictAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := rapid.SliceOfN(rapid.Custom(anyUse), 0, 12).Draw(t, "uses")
		ended := rapid.SliceOfN(rapid.Bool(), len(uses), len(uses)).Draw(t, "ended")
		var want []int
		for i, u := range uses {
			free := !ended[i]
			for j := range i {
				if !ended[j] && u.Conflicts(uses[j]) {
					free = false
				}
				require.Equal(t, u.Conflicts(uses[j]), uses[j].Conflicts(u))
			}
			if free {
				want = append(want, i)
			}
		}
		got := slices.Collect(tool.Order(uses).Ready(func(i int) bool { return ended[i] }))
		require.Equal(t, want, got)
	})
}

// TOOL-07: without keys it is the rule of segments, and with them never less
// overlap than that.
func TestOrderAgainstSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := rapid.SliceOfN(rapid.Custom(anyUse), 0, 12).Draw(t, "uses")
		plain := make([]tool.Use, len(uses))
		var segments [][]int
		for i := range uses {
			if uses[i].Keyed { // by its access, as if it had said nothing more
				uses[i].Access = tool.SideEffecting
				if len(uses[i].Keys.Writes) == 0 {
					uses[i].Access = tool.ReadOnly
				}
			}
			plain[i] = tool.Use{Access: uses[i].Access}
			reading := plain[i].Access == tool.ReadOnly
			if reading && i > 0 && plain[i-1].Access == tool.ReadOnly {
				segments[len(segments)-1] = append(segments[len(segments)-1], i)
			} else {
				segments = append(segments, []int{i})
			}
		}
		require.Equal(t, segments, waves(plain))
		began := make([]int, len(uses))
		for n, wave := range waves(uses) {
			for _, i := range wave {
				began[i] = n
			}
		}
		for n, segment := range segments {
			for _, i := range segment {
				require.LessOrEqual(t, began[i], n)
			}
		}
	})
}

// GEN-01: the file that decides imports nothing that acts.
func TestOrderIsPure(t *testing.T) {
	for _, name := range []string{"order.go", "gate.go", "policy.go", "validate.go", "compile.go", "convert.go", "faults.go", "arguments.go", "unknown.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			require.NotContains(t, []string{"context", "sync", "sync/atomic", "os", "net", "net/http", "math/rand", "math/rand/v2", "time"}, path, name)
		}
	}
}

// No list of calls is made for the usual turns: all reads, or a single call.
func TestOrderOfUsualTurnsAllocatesNothing(t *testing.T) {
	for _, uses := range [][]tool.Use{{r, r, r, r}, {w}, {writes("a")}} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for range tool.Order(uses).Ready(func(int) bool { return false }) {
			}
		}))
	}
}
