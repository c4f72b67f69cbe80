package plan_test

import (
	"context"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// A model drafts the plan, a loop does its tasks, and a person is asked first.
func Example() {
	client := llmtest.Script(
		llmtest.Text(`{"tasks":[{"id":"1","description":"Create demoapp"},{"id":"2","description":"Read its pom.xml","dependencies":["1"]}]}`),
		llmtest.Text("created"), llmtest.Text("it says demoapp"))
	executor := &plan.Executor{Planner: plan.NewPlanner(client), Worker: &agent.Loop{Client: client}, Review: true}

	run, err := executor.Open(context.Background(), agent.Scope{}, "Create demoapp and read its pom.xml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range run.Events(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case agent.Paused:
			fmt.Println(e.Questions[0].Text)
			err = run.Answer(e.Questions[0].ID, agent.Approve())
		case plan.TaskEnded:
			fmt.Println(e.ID, e.Status, e.Result)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(run.Result().Reason, run.Result().Text)
	// Output:
	// Goal: Create demoapp and read its pom.xml
	//
	// task_1: Create demoapp
	// task_2: Read its pom.xml (after task_1)
	// task_1 completed created
	// task_2 completed it says demoapp
	// completed it says demoapp
}

// All faults of a plan are told at once.
func ExampleNewDAG() {
	_, err := plan.NewDAG(
		plan.Task{ID: "a", Description: "first", Dependencies: []string{"b"}},
		plan.Task{ID: "b", Description: "second", Dependencies: []string{"a", "z"}},
	)
	fmt.Println(err)
	// Output:
	// plan: not a valid plan: b: it depends on "z", which is no task
	// these tasks need each other: a → b → a
}
