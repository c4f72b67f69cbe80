package team_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
)

// model stands for a real client. Its reviewer wants the login to be tested.
var model = llmtest.Func(func(req llm.Request) llmtest.Answer {
	said := req.Messages[len(req.Messages)-1].Text()
	switch {
	case strings.HasPrefix(req.System, "You break a goal"):
		return llmtest.Text(`{"steps": [{"id": "1", "description": "Write the login"}, {"id": "2", "description": "Document it", "dependencies": ["1"]}]}`)
	case !strings.HasPrefix(req.System, "You review") && strings.Contains(said, "There is no test"):
		return llmtest.Text("the login, and a test of it")
	case !strings.HasPrefix(req.System, "You review"):
		return llmtest.Text("what was wanted")
	case strings.Contains(said, "Write the login") && !strings.Contains(said, "a test of it"):
		return llmtest.Text(`{"approved": false, "issues": ["There is no test."]}`)
	}
	return llmtest.Text(`{"approved": true}`)
})

func Example() {
	ctx := context.Background()
	crew := &team.Orchestrator{Client: model} // and Tools, for its workers

	run, err := crew.Open(ctx, agent.Scope{Journal: &journal.Memory{}, ID: "login"}, "Refactor the login module")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := agent.Drain(ctx, run, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Result().Reason, "with", run.Result().Detail)

	log, err := run.Log(ctx) // all that came of it, as data
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, task := range plan.Fold(log...).Tasks() {
		fmt.Printf("%s (%s): %s\n", task.ID, team.StatusOf(task), task.Result)
	}
	// Output:
	// completed with 2 approved
	// step_1 (approved): the login, and a test of it
	// step_2 (approved): what was wanted
}

// A result goes back with the issues until it is approved, also without a plan.
func ExampleReviewed() {
	pair := &team.Reviewed{
		Worker:   &agent.Loop{Client: model, Instructions: "You write code."},
		Reviewer: team.NewReviewer(model),
	}
	result, err := agent.Do(context.Background(), pair, "Write the login")
	fmt.Println(result.Text, result.Verdict.Pass, err)
	// Output: the login, and a test of it true <nil>
}
