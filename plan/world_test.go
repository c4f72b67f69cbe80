package plan_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/tool"
)

// A crew is the model of the tests' workers. A task's description is what it
// does: "10s" takes so long and answers "did 10s"; "10s fail" is then refused,
// "10s broken" ends in the client's error, "10s limit" asks for tools until its
// budget ends, "10s ask" asks a person on the way.
type crew struct {
	mu       sync.Mutex
	requests []llm.Request
	mended   bool // the broken ones work again
}

func (c *crew) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c.mu.Lock()
		c.requests = append(c.requests, req)
		mended := c.mended
		c.mu.Unlock()
		what := task(req)
		word, rest, _ := strings.Cut(what, " ")
		if took, err := time.ParseDuration(word); err == nil && len(req.Messages) == 1 {
			select {
			case <-time.After(took):
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
		reply := llm.Reply{Message: llm.AssistantText("did " + what), Finish: llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 1}}
		switch {
		case strings.Contains(rest, "fail"):
			reply.Finish = llm.FinishRefused
		case strings.Contains(rest, "broken") && !mended:
			yield(nil, &llm.Error{Kind: llm.ErrUnavailable, Message: "the server is down"})
			return
		case strings.Contains(rest, "limit"):
			reply.Message.Parts, reply.Finish = append(reply.Message.Parts, llm.ToolCall{ID: fmt.Sprint(len(req.Messages)), Name: "look", Arguments: "{}"}), llm.FinishCalls
		case strings.Contains(rest, "write") && len(req.Messages) == 1:
			reply.Message.Parts, reply.Finish = llm.Parts{llm.ToolCall{ID: "w", Name: "write", Arguments: `{"text":"x"}`}}, llm.FinishCalls
		case strings.Contains(rest, "ask") && len(req.Messages) == 1:
			reply.Message.Parts, reply.Finish = llm.Parts{llm.ToolCall{ID: "a", Name: "ask", Arguments: "{}"}}, llm.FinishCalls
		case strings.Contains(rest, "long"):
			reply.Message = llm.AssistantText(strings.Repeat("é", 32_001))
		}
		yield(reply, nil)
	}
}

// task is what a worker is told to do.
func task(req llm.Request) string {
	_, rest, _ := strings.Cut(req.Messages[0].Text(), "Your task:\n")
	what, _, _ := strings.Cut(rest, "\n\n")
	return what
}

// told is what the worker of the task was told, whole.
func (c *crew) told(what string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.requests {
		if task(r) == what {
			return r.Messages[0].Text()
		}
	}
	return ""
}

func (c *crew) loop() *agent.Loop {
	ask := func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, &tool.Pause{Question: "who?"}
	}
	return &agent.Loop{
		Client: c, Budget: budget.Budget{Turns: budget.Max(3)}, NoWrapUp: true,
		Tools: tool.NewRegistry(
			tool.New("look", "Looks.", func(context.Context, struct{}) (string, error) { return "seen", nil }, tool.ReadOnly),
			tool.Tool{Spec: llm.Spec{Name: "ask"}, Run: func(ctx context.Context, call tool.Call) (tool.Result, error) {
				if call.Answer != "" {
					return tool.Text(call.Answer), nil
				}
				return ask(ctx, call)
			}},
			tool.New("write", "Writes.", func(ctx context.Context, in struct {
				Text string `json:"text"`
			}) (string, error) {
				select {
				case <-time.After(time.Second):
					return "written", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			})),
	}
}

// A drafter is a planner that gives its drafts in turn, and keeps the briefs. A
// task of a draft is "id: what after a b".
type drafter struct {
	briefs []plan.Brief
	drafts [][]string
}

func drafts(drafts ...[]string) *drafter { return &drafter{drafts: drafts} }

func (d *drafter) Plan(_ context.Context, b plan.Brief) (plan.Proposal, error) {
	d.briefs = append(d.briefs, b)
	n := len(d.briefs) - 1
	if n >= len(d.drafts) {
		return plan.Proposal{}, errors.New("no draft left")
	}
	return plan.Proposal{Tasks: lines(d.drafts[n]...), Spent: budget.Spent{Turns: 1, Main: llm.Usage{Input: 100, Output: 10}}}, nil
}

func lines(lines ...string) (tasks []plan.Task) {
	for _, line := range lines {
		id, rest, _ := strings.Cut(line, ": ")
		what, after, _ := strings.Cut(rest, " after ")
		tasks = append(tasks, plan.Task{ID: id, Description: what, Dependencies: strings.Fields(after)})
	}
	return tasks
}

func open(t *testing.T, w agent.Worker, prompts ...string) *agent.Run {
	t.Helper()
	if len(prompts) == 0 {
		prompts = []string{"g"}
	}
	run, err := w.Open(t.Context(), agent.Scope{}, prompts...)
	require.NoError(t, err)
	return run
}

// trace runs to the end, or the first pause that body does not answer, and
// tells in fake time what began and how it ended.
func trace(t *testing.T, run *agent.Run, body func(agent.Event)) string {
	t.Helper()
	start := time.Now()
	var out []string
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		at := time.Since(start).Seconds()
		switch e := event.(type) {
		case plan.TaskStarted:
			out = append(out, fmt.Sprintf("%g+%s", at, e.ID))
		case plan.TaskEnded:
			end := fmt.Sprintf("%g-%s", at, e.ID)
			if e.Status != plan.Completed {
				end += "(" + string(e.Status) + ")"
			}
			out = append(out, end)
		case agent.Paused:
			out = append(out, fmt.Sprintf("%g?%s", at, e.Questions[0].ID))
		case agent.Stopped:
			out = append(out, strings.TrimSuffix(string(e.Reason)+":"+string(e.Cause), ":"))
		}
		if body != nil {
			body(event)
		}
	}
	return strings.Join(out, " ")
}

// state is the fold of a run's log.
func state(t *testing.T, run *agent.Run) plan.State {
	t.Helper()
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	return plan.Fold(log...)
}

// statuses tells of all tasks: "a completed, b skipped".
func statuses(s plan.State) string {
	var out []string
	for _, t := range s.Tasks() {
		out = append(out, t.ID+" "+t.Status.String())
	}
	return strings.Join(out, ", ")
}

// answer answers each pause with the next of these.
func answering(t *testing.T, run *agent.Run, answers ...agent.Answer) func(agent.Event) {
	return func(e agent.Event) {
		if p, ok := e.(agent.Paused); ok && len(answers) > 0 {
			require.NoError(t, run.Answer(p.Questions[0].ID, answers[0]))
			answers = answers[1:]
		}
	}
}
