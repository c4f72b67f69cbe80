package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// A scholar is a model that answers "make" with a long text. Of "use" it reads
// back, page by page, what it is told the id of, and answers with all of it.
type scholar struct {
	makes string

	mu       sync.Mutex
	requests []llm.Request
}

var (
	keptID = regexp.MustCompile(`kept as (res_[a-z2-7]+)`)
	paged  = regexp.MustCompile(`\n\[Characters \d+ to (\d+) of \d+(, the end)?\.[^\]]*\]$`)
)

func (s *scholar) answer(req llm.Request) llmtest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if task(req) == "make" {
		return llmtest.Text(s.makes)
	}
	id := keptID.FindStringSubmatch(req.Messages[0].Text())
	if id == nil {
		return llmtest.Text("there is nothing to read")
	}
	offset, read := "0", ""
	for _, m := range req.Messages {
		for _, r := range m.Results() {
			page := paged.FindStringSubmatch(r.Text)
			if page == nil {
				return llmtest.Text("it can't be read: " + r.Text)
			}
			if read += strings.TrimSuffix(r.Text, page[0]); page[2] != "" {
				return llmtest.Text(read)
			}
			offset = page[1]
		}
	}
	return llmtest.Call(fmt.Sprint("k", len(req.Messages)), compress.ReadResult, fmt.Sprintf(`{"id":%q,"offset":%s}`, id[1], offset))
}

// told returns what the worker of the task "use" was told.
func (s *scholar) told() string {
	for _, r := range s.requests {
		if task(r) == "use" {
			return r.Messages[0].Text()
		}
	}
	return ""
}

func (s *scholar) loop(dir string) *agent.Loop {
	client := llmtest.Func(s.answer)
	return &agent.Loop{Client: client, Compressor: compress.Default(client, dir)}
}

func makeAndUse() *drafter { return drafts([]string{"a: make", "b: use after a"}) }

// PLAN-E58, PLAN-08, CMP-03, CMP-31: a dependency's long result is put into the
// store of the task's worker, which is told its beginning, its end, its length
// and its id, and reads all of it back with read_result.
func TestLongResultIsReadBack(t *testing.T) {
	whole := "HEAD" + strings.Repeat("0123456789 and so on ", 2_000) + "TAIL"
	dir := t.TempDir()
	s := &scholar{makes: whole}
	x := &plan.Executor{Planner: makeAndUse(), Worker: s.loop(dir)}
	res, state := do(t, x)
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, whole, state.Tasks()[1].Result, "read back in pages, whole")
	told := s.told()
	require.Contains(t, told, "The result of a (completed):\n[This result has 42008 characters.")
	require.Contains(t, told, "\n"+whole[:2_000]+"\n")
	require.Contains(t, told, "\n"+whole[len(whole)-800:])
	require.Less(t, len(told), 4_000)
	for _, r := range s.requests {
		require.NotContains(t, fmt.Sprint(r), dir, "CMP-31: no path")
	}
	require.Equal(t, 1, kept(t, dir))
}

// kept returns how many results the store has.
func kept(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "res_*.txt"))
	require.NoError(t, err)
	return len(files)
}

// PLAN-E58, CMP-03, CMP-E81, CMP-E80: 32,000 characters stay and 32,001 go, and
// where there is no store, or it can't be written, they are cut to the same.
func TestLongResultAtTheLimit(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "a file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for name, c := range map[string]struct {
		characters int
		dir        string
		kept       bool
	}{
		"32,000 stay":         {32_000, t.TempDir(), false},
		"32,001 go":           {32_001, t.TempDir(), true},
		"no store":            {32_001, "", false},
		"no folder":           {32_001, blocked, false},
		"no store and 32,000": {32_000, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scholar{makes: strings.Repeat("é ", c.characters/2) + strings.Repeat("!", c.characters%2)}
			res, _ := do(t, &plan.Executor{Planner: makeAndUse(), Worker: s.loop(c.dir)})
			require.Equal(t, agent.Completed, res.Reason)
			told := s.told()
			require.Equal(t, c.kept, keptID.MatchString(told))
			require.Equal(t, c.characters <= 32_000, strings.Contains(told, s.makes))
			if c.characters > 32_000 {
				require.Contains(t, told, "32001 characters")
				require.Contains(t, told, s.makes[:len("é ")*1_000])
				require.Less(t, utf8.RuneCountInString(told), 4_000)
			}
		})
	}
}

// PLAN-E58, PLAN-36: a worker that is held to few tools reads back, too. One
// whose compressor the plan does not know is told the result cut.
func TestWhoReadsLongResults(t *testing.T) {
	tasks := lines("a: make", "b: use after a")
	tasks[1].Tools = []string{"look"}
	dag, err := plan.NewDAG(tasks...)
	require.NoError(t, err)
	s := &scholar{makes: strings.Repeat("0123456789", 4_000)}
	_, state := do(t, &plan.Executor{Planner: plan.Fixed(dag), Worker: s.loop(t.TempDir())})
	require.Equal(t, s.makes, state.Tasks()[1].Result)

	for name, w := range map[string]func(dir string) agent.Worker{
		"no compressor": func(string) agent.Worker { return &agent.Loop{Client: llmtest.Func(s.answer)} },
		"no tier for it": func(string) agent.Worker {
			return &agent.Loop{Client: llmtest.Func(s.answer), Compressor: &compress.Tiers{Clear: &compress.Clear{}}}
		},
		"a wrapper": func(dir string) agent.Worker { return agent.WorkerFunc(s.loop(dir).Open) },
	} {
		t.Run(name, func(t *testing.T) {
			s.requests = nil
			dir := t.TempDir()
			res, _ := do(t, &plan.Executor{Planner: makeAndUse(), Worker: w(dir)})
			require.Equal(t, agent.Completed, res.Reason)
			require.Contains(t, s.told(), "[… 37200 characters left out …]")
			require.Zero(t, kept(t, dir))
		})
	}
}

// PLAN-E58, PLAN-38: wherever the process dies, the task reads back what it was
// told of, and it is kept once.
func TestLongResultAndCrash(t *testing.T) {
	for facts := 1; ; facts++ {
		dir, store := t.TempDir(), &mortal{Memory: &journal.Memory{}, left: facts}
		s := &scholar{makes: strings.Repeat("0123456789", 4_000)}
		x := &plan.Executor{Planner: makeAndUse(), Worker: s.loop(dir)}
		scope := agent.Scope{Journal: store, ID: "run"}
		if run, err := x.Open(t.Context(), scope, "g"); err == nil && agent.Drain(t.Context(), run, nil) == nil {
			require.Greater(t, facts, 10, "it never died")
			return
		}
		store.left = -1
		x = &plan.Executor{Planner: makeAndUse(), Worker: s.loop(dir)} // another process
		run, err := x.Open(t.Context(), scope, "g")
		require.NoError(t, err)
		require.NoError(t, agent.Drain(t.Context(), run, nil))
		require.Equal(t, s.makes, state(t, run).Tasks()[1].Result, facts)
		require.Equal(t, 1, kept(t, dir), facts)
	}
}
