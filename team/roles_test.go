package team_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

// office is one client for all roles of a default team, told apart by their
// instructions. Plan is the planner's reply.
type office struct {
	plan string

	mu       sync.Mutex
	requests map[string][]llm.Request
}

func (o *office) client() llm.Client {
	return llmtest.Func(func(req llm.Request) llmtest.Answer {
		role, answer := "worker", llmtest.Text("done")
		switch {
		case strings.HasPrefix(req.System, "You break a goal"):
			role, answer = "planner", llmtest.Text(o.plan)
		case strings.HasPrefix(req.System, "You review"):
			role, answer = "reviewer", llmtest.Text(`{"approved": true}`)
		case len(req.Messages) == 1:
			answer = llmtest.Call("k", "note", `{"text":"x"}`)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.requests == nil {
			o.requests = map[string][]llm.Request{}
		}
		o.requests[role] = append(o.requests[role], req)
		return answer
	})
}

const threeSteps = `{"steps": [{"id": "code", "description": "do code"}, {"id": "test", "description": "do test", "dependencies": ["code"]},
	{"id": "doc", "description": "do doc", "dependencies": ["code", "test", "code"]}]}`

// TEAM-01: a client and tools make a planner, two workers and a reviewer, each
// with its own prompt and history; one policy sees all calls. TEAM-02: only
// workers have tools. TEAM-03: steps are renumbered, repeated dependencies count
// once. TEAM-E70: the form of a verdict stands in the reviewer's prompt.
func TestDefaultRoles(t *testing.T) {
	o := &office{plan: threeSteps}
	var asked []string
	crew := &team.Orchestrator{Client: o.client(), Tools: tool.NewRegistry(note), Policy: func(_ tool.Tool, c tool.Call) tool.Verdict {
		o.mu.Lock()
		defer o.mu.Unlock()
		asked = append(asked, c.Name)
		return tool.Allow()
	}}
	run := open(t, crew)
	res := drain(t, run)
	require.Equal(t, agent.Completed, res.Reason, res.Detail)
	require.Equal(t, "3 approved", res.Detail)
	require.Equal(t, []string{"note", "note", "note"}, asked)

	plans, works, reviews := o.requests["planner"], o.requests["worker"], o.requests["reviewer"]
	require.Len(t, plans, 1)
	require.Len(t, works, 6)
	require.Len(t, reviews, 3)
	for _, r := range append(plans, reviews...) {
		require.Empty(t, r.Tools)
	}
	require.Contains(t, plans[0].System, "# Reply format")
	require.Contains(t, reviews[0].System, `{"approved": true or false, "summary"`)
	require.Contains(t, works[0].System, "You are a worker of a team")
	for i, r := range works {
		require.NotEmpty(t, r.Tools)
		require.Len(t, r.Messages, 1+2*(i%2), "each task has a history of its own")
	}
	for _, r := range reviews {
		require.Len(t, r.Messages, 1, "and each review")
	}

	all := tasks(t, run)
	require.Equal(t, []string{"step_1", "step_2"}, all[2].Dependencies)
	require.Equal(t, "step_3", all[2].ID)
}

// TEAM-01: the workers are worker-1 and worker-2, and the name is kept.
func TestWorkerNames(t *testing.T) {
	o := &office{plan: `{"tasks": [{"id": "a", "description": "do a"}, {"id": "b", "description": "do b"}]}`}
	names := map[string]string{}
	for event, err := range open(t, &team.Orchestrator{Client: o.client(), Tools: tool.NewRegistry(note)}).Events(t.Context()) {
		require.NoError(t, err)
		if in, ok := event.(agent.Inner); ok {
			if f, ok := in.Event.(team.WorkStarted); ok {
				names[in.Path] = f.Worker
			}
		}
	}
	require.Equal(t, map[string]string{"step_1": "worker-1", "step_2": "worker-2"}, names)
}

// A plain planner of package plan is taken as a team's; one that says how is not.
func TestPlannersForm(t *testing.T) {
	o := &office{plan: threeSteps}
	crew := &team.Orchestrator{Client: o.client(), Planner: plan.NewPlanner(o.client()), Tools: tool.NewRegistry(note)}
	require.Equal(t, agent.Completed, drain(t, open(t, crew)).Reason)
	own := team.NewPlanner(o.client())
	own.Form.Prefix, own.Request.System = "part_", "You break a goal my way."
	crew.Planner = own
	run := open(t, crew)
	drain(t, run)
	require.Equal(t, "part_1", tasks(t, run)[0].ID)
	require.Equal(t, "You break a goal my way.", o.requests["planner"][1].System)
}

// TEAM-03, TEAM-E71: if planning fails the result has the planner's raw text,
// and no worker ran.
func TestPlanningFails(t *testing.T) {
	for _, reply := range []string{
		" ", "I would first look around.", "{}", `{"steps": []}`, `{"steps": [{"description": "a"}]}`,
		`{"steps": [{"id": " ", "description": "a"}]}`, `{"steps": [{"id": true, "description": "a"}]}`,
		`{"steps": [{"id": "a", "description": "a"}, {"id": "a", "description": "b"}]}`,
		`{"steps": [{"id": "a", "description": "a", "dependencies": ["x"]}]}`,
		`{"steps": [{"id": "a", "description": "a", "dependencies": "a"}]}`,
		`{"steps": [{"id": "a", "description": "a", "dependencies": ["a"]}]}`,
		`{"steps": [{"id": "a", "description": "a", "dependencies": ["b"]}, {"id": "b", "description": "b", "dependencies": ["a"]}]}`,
		`{"steps": [{"id": "a", "description": 7}]}`,
		`{"steps": [{"id": "a", "description": "a"}]} {"steps": [{"id": "a", "description": "a"}]}`,
		`{"steps": [{"id": "a", "descr`,
	} {
		o := &office{plan: reply}
		run := open(t, &team.Orchestrator{Client: o.client()})
		res := drain(t, run)
		require.Equal(t, agent.Failed, res.Reason, reply)
		require.Equal(t, agent.PlanningFailed, res.Cause, reply)
		require.Equal(t, strings.TrimSpace(reply), strings.TrimSpace(res.Text))
		require.NotEmpty(t, res.Detail)
		require.Empty(t, o.requests["worker"])
		require.Len(t, o.requests["planner"], 3, "PLAN-32")
	}
}

// TEAM-15, MEM-01: the team's memory is for the planner alone, and it is shown
// the goal and the answer, once and only after a completed run.
func TestMemory(t *testing.T) {
	o := &office{plan: threeSteps}
	var kept []string
	memory := &agent.Memory{
		Recall: func(context.Context, string) (string, error) { return "likes tabs", nil },
		Extract: func(_ context.Context, s agent.State) error {
			kept = append(kept, fmt.Sprint(len((&agent.Loop{}).History(s))), (&agent.Loop{}).History(s)[0].Text(), s.Result().Text)
			return nil
		},
	}
	res := drain(t, open(t, &team.Orchestrator{Client: o.client(), Tools: tool.NewRegistry(note), Memory: memory}))
	require.Equal(t, agent.Completed, res.Reason)
	require.Equal(t, "3 approved", res.Detail)
	require.Equal(t, []string{"2", "the goal", "done"}, kept)
	require.Contains(t, o.requests["planner"][0].System, "likes tabs")
	for _, role := range []string{"worker", "reviewer"} {
		for _, r := range o.requests[role] {
			require.NotContains(t, request{Request: r}.text(), "likes tabs")
		}
	}
	kept = nil
	c := script("step_1 work: one\nstep_1 review: {\"approved\":false}").team("step_1")
	c.Memory = memory
	require.Equal(t, agent.Unverified, drain(t, open(t, c)).Reason)
	require.Empty(t, kept)
}

// A faulty team is refused at the door, with all that is wrong. TEAM-02, MEM-01.
func TestValidate(t *testing.T) {
	minus := -1
	client := llmtest.Script()
	for field, o := range map[string]*team.Orchestrator{
		"Client":    {},
		"Workers":   {Client: client, Workers: []agent.Worker{}},
		"Workers ":  {Client: client, Workers: []agent.Worker{nil}},
		"Workers  ": {Client: client, Workers: []agent.Worker{&agent.Loop{Client: client, Memory: &agent.Memory{}}}},
		"Reviewer":  {Client: client, Reviewer: &agent.Loop{Client: client, Tools: tool.NewRegistry(note)}},
		"Reviewer ": {Client: client, Reviewer: &agent.Loop{Client: client, Memory: &agent.Memory{}}},
		"Retries":   {Client: client, Retries: &minus},
		"Parallel":  {Client: client, Parallel: -1},
		"TaskLimit": {Client: client, TaskLimit: -1},
	} {
		_, err := o.Open(t.Context(), agent.Scope{}, "g")
		fault, ok := errors.AsType[*agent.ConfigError](err)
		require.True(t, ok, field)
		require.Equal(t, strings.TrimSpace(field), fault.Field)
	}
	_, err := (&team.Reviewed{Retries: &minus}).Open(t.Context(), agent.Scope{}, "g")
	for _, field := range []string{"Worker", "Reviewer", "Retries"} {
		require.ErrorContains(t, err, field)
	}
}

// TOOL-E27: neither does a team whose plan is reviewed.
func TestReviewNeedsSomebody(t *testing.T) {
	crew := &team.Orchestrator{Client: llmtest.Script(), Review: true}
	_, err := crew.Open(t.Context(), agent.Scope{Headless: true}, "go")
	require.ErrorIs(t, err, plan.ErrHeadless)
}
