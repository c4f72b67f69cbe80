package agent_test

import (
	"context"
	"fmt"
	"os"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

func ExampleDo() {
	client := llmtest.Script(llmtest.Text("A graph without a way back.")) // or openai.New("gpt-5-mini")
	loop := &agent.Loop{Client: client, Instructions: "Answer briefly."}
	result, err := agent.Do(context.Background(), loop, "What is a DAG?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text, result.Reason, result.Spent.Turns)
	// Output: A graph without a way back. completed 1
}

func ExampleLoop_Open() {
	weather := tool.New("weather", "Tells today's weather in a city.",
		func(_ context.Context, in struct {
			City string `json:"city" jsonschema:"description=City name"`
		}) (string, error) {
			return "rain in " + in.City, nil
		}, tool.ReadOnly)
	client := llmtest.Script(llmtest.Call("k1", "weather", `{"city":"Oslo"}`), llmtest.Text("Yes, take one."))
	loop := &agent.Loop{Client: client, Tools: tool.NewRegistry(weather)}
	ctx := context.Background()
	run, err := loop.Open(ctx, agent.Scope{}, "Do I need an umbrella in Oslo?")
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range run.Events(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case agent.TextDelta:
			fmt.Print(e)
		case agent.CallEnded:
			fmt.Println(e.Name, "says", e.Result.Text)
		}
	}
	fmt.Println()
	fmt.Println(run.Result().Reason)
	// Output:
	// weather says rain in Oslo
	// Yes, take one.
	// completed
}

func ExampleLoop_guards() {
	loop := &agent.Loop{Client: llmtest.Script(llmtest.Text("Done!"))}
	loop.Budget = budget.Unattended() // or budget.Budget{Turns: budget.Max(40)}
	loop.Verifier = agent.VerifierFunc(func(context.Context, agent.State) (agent.Verdict, error) {
		return agent.Verdict{Pass: false, Why: "the build fails"}, nil // look at the world, not at the words
	})
	loop.Policy = agent.AskForSideEffects
	result, err := agent.Do(context.Background(), loop, "Mend the build.")
	fmt.Println(result.Reason, result.Detail, err)
	// Output: unverified the build fails <nil>
}

// A run waits for an approval; another process, days later, gives it with the
// same lines.
func ExampleRun_Answer() {
	announce := tool.New("announce", "Tells everybody.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		fmt.Println("announced:", in.Text)
		return "told", nil
	})
	loop := &agent.Loop{
		Client: llmtest.ByHistory(llmtest.Call("k1", "announce", `{"text":"The build is green."}`), llmtest.Text("Everybody knows.")),
		Tools:  tool.NewRegistry(announce),
		Policy: agent.AskForSideEffects,
	}
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	for range 2 { // two processes
		store, err := journal.Open(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		run, err := loop.Open(ctx, agent.Scope{Journal: store, ID: "run-42"}, "Announce that the build is green.")
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, q := range run.Result().Questions {
			if err := run.Answer(q.ID, agent.Approve()); err != nil {
				fmt.Println(err)
			}
		}
		for _, err := range run.Events(ctx) {
			if err != nil {
				fmt.Println(err)
			}
		}
		fmt.Printf("%s %q\n", run.Result().Reason, run.Result().Text)
	}
	// Output:
	// paused ""
	// announced: The build is green.
	// completed "Everybody knows."
}

func ExampleAsTool() {
	reader := &agent.Loop{Client: llmtest.Script(llmtest.Text("It needs Go 1.26."))}
	loop := &agent.Loop{
		Client: llmtest.Script(llmtest.Call("k1", "reader", `{"task":"Which Go does go.mod want?"}`), llmtest.Text("Go 1.26.")),
		Tools:  tool.NewRegistry(agent.AsTool(reader, "reader", "Reads files and answers.")),
	}
	run, err := loop.Open(context.Background(), agent.Scope{}, "Which Go?")
	if err != nil {
		fmt.Println(err)
		return
	}
	for event := range run.Events(context.Background()) {
		if in, ok := event.(agent.Inner); ok {
			if delta, ok := in.Event.(llm.TextDelta); ok {
				fmt.Printf("%s %q\n", in.Path, delta)
			}
		}
	}
	fmt.Println(run.Result().Text, run.Result().Spent.Tokens() > 0)
	// Output:
	// 1.1 "It "
	// 1.1 "needs "
	// 1.1 "Go "
	// 1.1 "1.26."
	// Go 1.26. true
}
