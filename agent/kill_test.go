package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A disk is a world in a file: each side effect is a line with the call's key.
type disk struct {
	file string
	kill string // die right after the side effect of this key
}

func (d *disk) act(key string) error {
	f, err := os.OpenFile(d.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, key); err != nil {
		return err
	}
	if key == d.kill {
		die()
	}
	return nil
}

func (d *disk) done() map[string]int {
	data, _ := os.ReadFile(d.file)
	done := map[string]int{}
	for _, key := range strings.Fields(string(data)) {
		done[key]++
	}
	return done
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// tool is a side effect; sure says that the world can be asked about it.
func (d *disk) tool(name string, sure bool) tool.Tool {
	t := scripted(name + " write saved")
	t.Run = func(_ context.Context, call tool.Call) (tool.Result, error) {
		return tool.Text("saved"), d.act(call.Key)
	}
	if sure {
		t.Reconcile = func(_ context.Context, call tool.Call) (tool.Reconciled, error) {
			return tool.Reconciled{Happened: d.done()[call.Key] > 0, Result: tool.Text("saved")}, nil
		}
	}
	return t
}

// parts is a run of three turns on three levels: parallel reads and a write, a
// write that a person must approve beside a child with a grandchild, the answer.
func (d *disk) parts(sure bool) *agent.Loop {
	leaf := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("g1", "save", `{"n":4}`), llmtest.Text("leaf done")),
		Tools:  tool.NewRegistry(d.tool("save", sure)),
	}
	child := &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Calls(llmtest.Call("c1", "save", `{"n":3}`), llmtest.Call("c2", "leaf", `{"task":"help"}`)),
			llmtest.Text("child done")),
		Tools: tool.NewRegistry(d.tool("save", sure), agent.AsTool(leaf, "leaf", "Helps.")),
	}
	return &agent.Loop{
		Client: llmtest.ByHistory(
			llmtest.Calls(llmtest.Call("k1", "look", `{"n":1}`), llmtest.Call("k2", "look", `{"n":2}`), llmtest.Call("k3", "save", `{"n":1}`)),
			llmtest.Calls(llmtest.Call("k4", "child", `{"task":"help"}`), llmtest.Call("k5", "pay", `{"n":2}`)),
			llmtest.Text("done")),
		Tools: tool.NewRegistry(scripted("look read seen"), d.tool("save", sure), d.tool("pay", sure), agent.AsTool(child, "child", "Helps.")),
		Policy: func(t tool.Tool, _ tool.Call) tool.Verdict {
			if t.Name == "pay" {
				return tool.Ask("pay?")
			}
			return tool.Allow()
		},
	}
}

// ride opens the run and rides to its end, dying after the k'th fact. It
// returns the questions about unknown outcomes that it was asked.
func (d *disk) ride(ctx context.Context, dir string, sure bool, k int) (run *agent.Run, unknown []string, err error) {
	store, err := journal.Open(filepath.Join(dir, "runs"))
	if err != nil {
		return nil, nil, err
	}
	run, err = d.parts(sure).Open(ctx, agent.Scope{Journal: store, ID: "run"}, "go")
	if err != nil {
		return nil, nil, err
	}
	for event, err := range run.Events(ctx) {
		if err != nil {
			return run, unknown, err
		}
		paused, ok := event.(agent.Paused)
		if in, ok := event.(agent.Inner); ok {
			event = in.Event
		}
		if _, ok := event.(agent.Fact); ok {
			if k--; k == 0 {
				die()
			}
		}
		if !ok {
			continue
		}
		for _, q := range paused.Questions {
			answer := agent.Approve()
			if q.About == agent.AboutOutcome {
				unknown = append(unknown, q.ID)
				answer = agent.Words(agent.Happened)
			}
			if err := run.Answer(q.ID, answer); err != nil && !errors.Is(err, agent.ErrStale) {
				return run, unknown, err
			}
		}
	}
	return run, unknown, nil
}

const rider = "TRIAD_TEST_RIDER" // "DIR SURE K KEY": a second process that rides and dies

func TestMain(m *testing.M) {
	if words := strings.Split(os.Getenv(rider), " "); len(words) == 4 {
		k, err := strconv.Atoi(words[2])
		d := &disk{file: filepath.Join(words[0], "world"), kill: words[3]}
		if err == nil {
			_, _, err = d.ride(context.Background(), words[0], words[1] == "true", k)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// second runs a second process, and tells whether it was killed.
func second(t *testing.T, dir string, sure bool, k int, key string) bool {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %v %d %s", rider, dir, sure, k, key))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	require.NoError(t, err, string(out))
	return false
}

var keys = map[string]int{"run/1.3": 1, "run/2.1/1.1": 1, "run/2.1/1.2/1.1": 1, "run/2.2": 1}

// TestKilledAtEveryFact kills a second process with SIGKILL after each fact in
// turn, and goes on in this one: the same end, each side effect once.
// SES-01, SES-E92, GEN-03, SES-24, B169.
func TestKilledAtEveryFact(t *testing.T) {
	for k := 1; ; k++ {
		dir := t.TempDir()
		killed := second(t, dir, true, k, "-")
		d := &disk{file: filepath.Join(dir, "world")}
		run, unknown, err := d.ride(t.Context(), dir, true, 0)
		if !killed {
			require.ErrorIs(t, err, agent.ErrEnded)
			require.Greater(t, k, 30)
			return
		}
		if errors.Is(err, agent.ErrEnded) { // it died after its last fact
			err = nil
		}
		require.NoError(t, err)
		require.Equal(t, agent.Completed, run.Result().Reason, k)
		require.Equal(t, "done", run.Result().Text)
		require.Equal(t, 3, run.Result().Turns)
		require.Equal(t, keys, d.done(), k)
		require.Empty(t, unknown, "the tools can tell what happened")
	}
}

// TestKilledAfterTheEffect kills between a side effect and its record. Where
// the tool can tell, it is asked; where it can't, a person is, once, by the
// call's path, and nothing is done twice. A control that runs blindly again
// would be seen in the count. SES-E92, B169, SES-24, B161.
func TestKilledAfterTheEffect(t *testing.T) {
	for key := range keys {
		for _, sure := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %v", strings.ReplaceAll(key, "/", "_"), sure), func(t *testing.T) {
				dir := t.TempDir()
				require.True(t, second(t, dir, sure, 0, key))
				d := &disk{file: filepath.Join(dir, "world")}
				run, unknown, err := d.ride(t.Context(), dir, sure, 0)
				require.NoError(t, err)
				require.Equal(t, agent.Completed, run.Result().Reason)
				require.Equal(t, keys, d.done())
				if sure {
					require.Empty(t, unknown)
				} else {
					require.Equal(t, []string{strings.TrimPrefix(key, "run/")}, unknown, "every unknown outcome is named")
				}
			})
		}
	}
}
