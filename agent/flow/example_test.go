package flow_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/flow"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

func ExampleChain() {
	outliner := &agent.Loop{Client: llmtest.Script(llmtest.Text("1. Nodes\n2. Edges\n3. Cycles"))}
	writer := &agent.Loop{Client: llmtest.Script(llmtest.Text("A graph has nodes …"))}
	whole := func(outline string) bool { return strings.Count(outline, "\n") >= 2 }

	text, err := flow.Chain(context.Background(), "Graphs",
		flow.By(outliner), flow.Gate("fewer than three sections", whole), flow.By(writer))
	fmt.Println(text, err)
	// Output: A graph has nodes … <nil>
}

func ExampleVote() {
	judge := func(_ context.Context, number int) (bool, error) { return number != 2, nil } // a model, in earnest
	poll, err := flow.Vote(context.Background(), 3, judge, flow.NoWinner)
	fmt.Println(poll.Winner, poll.For, err)
	// Output: true 2 <nil>
}

func ExampleRefine() {
	improve := func(_ context.Context, last flow.Draft[string]) (string, error) { return last.Value + "word ", nil }
	judge := func(_ context.Context, text string) (agent.Verdict, error) {
		return agent.Verdict{Pass: len(text) > 8, Why: "too short"}, nil
	}
	draft, err := flow.Refine(context.Background(), 3, improve, judge)
	fmt.Printf("%q passed=%v after %d attempts, %v\n", draft.Value, draft.Passed, draft.Attempts, err)
	// Output: "word word " passed=true after 2 attempts, <nil>
}

func ExamplePipeline() {
	say := func(word string) func(context.Context, flow.Visit, string) (string, error) {
		return func(_ context.Context, v flow.Visit, s string) (string, error) { return s + word, nil }
	}
	letters := &flow.Pipeline[string]{
		Journal: &journal.Memory{}, // or journal.Open("letters")
		Stages: []flow.Stage[string]{
			{Name: "draft", Run: say("Dear all"), Next: "sign"},
			{Name: "sign", Run: say(", yours"), Next: flow.Done},
		},
	}
	text, err := letters.Do(context.Background(), "letter-1", "")
	fmt.Println(text, err)
	// Output: Dear all, yours <nil>
}

func ExampleRouter() {
	loop := &agent.Loop{Client: llmtest.Script(llmtest.Text("Two lines of change."))}
	executor := &plan.Executor{Planner: plan.NewPlanner(loop.Client), Worker: loop}
	classifier := &flow.Classifier{Client: llmtest.Script(llmtest.Text(
		`{"mode":"react","confidence":0.9,"reason":"small","needs_tools":true,"multi_step":false,"parallel":false,"risk":"low"}`))}

	router := &flow.Router{React: loop, Plan: executor, Classify: classifier.Classify}
	result, err := agent.Do(context.Background(), router, "What changed?")
	fmt.Println(result.Text, result.Reason, err)
	// Output: Two lines of change. completed <nil>
}
