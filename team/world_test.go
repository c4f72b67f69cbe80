package team_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// A crew answers for all roles. Lines of its script are "step_1 work: text" or
// "step_1 review 5s: text"; each request of a role about a step takes the next
// of its lines, by how many replies its history holds, so that a run which is
// opened again goes on where it was. Work takes 1s where no time is given, and a
// review none. A text may be refuse, error, or hang; call makes a call first, and
// limit makes calls until the budget ends.
type crew struct {
	lines map[string][]line

	mu       sync.Mutex
	requests []request
}

type line struct {
	takes time.Duration
	text  string
}

type request struct {
	role, step string
	llm.Request
}

func script(text string) *crew {
	c := &crew{lines: map[string][]line{}}
	for l := range strings.Lines(strings.TrimSpace(text)) {
		head, says, _ := strings.Cut(strings.TrimSuffix(l, "\n"), ": ")
		words := strings.Fields(head)
		one := line{text: says}
		if words[1] == "work" {
			one.takes = time.Second
		}
		if len(words) > 2 {
			one.takes, _ = time.ParseDuration(words[2])
		}
		key := words[0] + " " + words[1]
		c.lines[key] = append(c.lines[key], one)
	}
	return c
}

var aboutStep = regexp.MustCompile(`Your task:\ndo (\S+)`)

// client is that of a role: "work" or "review".
func (c *crew) client(role string) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			step := aboutStep.FindStringSubmatch(req.Messages[0].Text())[1]
			c.mu.Lock()
			n := 0
			for _, r := range c.requests {
				if r.role == role && r.step == step {
					n++
				}
			}
			c.requests = append(c.requests, request{role, step, req})
			all := c.lines[step+" "+role]
			c.mu.Unlock()
			one := line{text: "unscripted"}
			if len(all) > 0 {
				one = all[min(n, len(all)-1)]
			}
			c.answer(one, req).Stream(ctx, req)(yield)
		}
	})
}

func (c *crew) answer(l line, req llm.Request) llm.Client {
	last := req.Messages[len(req.Messages)-1]
	call := llmtest.Call(fmt.Sprint("k", len(req.Messages)), "note", `{"text":"x"}`)
	a := llmtest.Text(l.text)
	switch word, rest, _ := strings.Cut(l.text, " "); {
	case word == "hang":
		return llmtest.Hang()
	case word == "refuse":
		a.Reply.Finish = llm.FinishRefused
	case word == "cut":
		a = llmtest.Text(rest)
		a.Reply.Finish = llm.FinishLength
	case word == "error":
		a = llmtest.Fail(&llm.Error{Kind: llm.ErrUnavailable, Message: "the server is down"})
	case word == "limit":
		a = llmtest.Calls(llmtest.Text("so far"), call)
	case word == "call" && len(last.Results()) == 0:
		a = call
	}
	a.Chunks = []llm.Chunk{}
	if a.Err == nil && a.Reply.Message.Text() != "" {
		a.Chunks = []llm.Chunk{llm.TextDelta(a.Reply.Message.Text())}
	}
	a = a.Costing(10, 1)
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			if l.takes > 0 {
				select {
				case <-time.After(l.takes):
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			}
			a.Stream(ctx, req)(yield)
		}
	})
}

// of returns the requests of a role about a step.
func (c *crew) of(role, step string) (all []request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.requests {
		if r.role == role && (step == "" || r.step == step) {
			all = append(all, r)
		}
	}
	return all
}

// text is the whole of what a request says.
func (r request) text() string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Text())
	}
	return strings.Join(parts, "\n")
}

var note = tool.New("note", "Notes.", func(context.Context, struct {
	Text string `json:"text"`
}) (string, error) {
	return "noted", nil
}, tool.ReadOnly)

// drafts plans "step_1", "step_2 after step_1" …; each task is to do itself.
func drafts(steps ...string) plan.Planner {
	return plan.PlannerFunc(func(_ context.Context, b plan.Brief) (plan.Proposal, error) {
		p := plan.Proposal{Spent: budget.Spent{Turns: 1, Main: llm.Usage{Input: 100, Output: 10}}}
		if b.Given > 0 {
			return p, errors.New("nothing is planned anew")
		}
		for _, s := range steps {
			id, after, _ := strings.Cut(s, " after ")
			p.Tasks = append(p.Tasks, plan.Task{ID: id, Description: "do " + id, Dependencies: strings.Fields(after)})
		}
		return p, nil
	})
}

// team is an orchestrator of two scripted workers and a reviewer.
func (c *crew) team(steps ...string) *team.Orchestrator {
	o := &team.Orchestrator{Planner: drafts(steps...)}
	for i := range 2 {
		w := team.NewWorker(fmt.Sprint("worker-", i+1), c.client("work"), tool.NewRegistry(note))
		w.Budget, w.NoWrapUp = budget.Budget{Turns: budget.Max(2)}, true
		o.Workers = append(o.Workers, w)
	}
	o.Reviewer = team.NewReviewer(c.client("review"))
	return o
}

func open(t *testing.T, w agent.Worker) *agent.Run {
	t.Helper()
	run, err := w.Open(t.Context(), agent.Scope{}, "the goal")
	require.NoError(t, err)
	return run
}

// drain runs to the end.
func drain(t *testing.T, run *agent.Run) agent.Result {
	t.Helper()
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	return run.Result()
}

// tasks are those of a run, by its log.
func tasks(t *testing.T, run *agent.Run) []plan.Task {
	t.Helper()
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	return plan.Fold(log...).Tasks()
}

// statuses tells of all tasks: "approved skipped".
func statuses(t *testing.T, run *agent.Run) string {
	t.Helper()
	var all []string
	for _, task := range tasks(t, run) {
		all = append(all, string(team.StatusOf(task)))
	}
	return strings.Join(all, " ")
}
