// The code of README.md, word for word: a test compares the two.
package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/llm/openai"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
	"github.com/triad-go/triad/tool"
)

var ctx = context.Background()

func Example_hello() {
	client := openai.New("gpt-5-mini") // OPENAI_API_KEY, OPENAI_BASE_URL
	loop := &agent.Loop{Client: client, Instructions: "Answer briefly."}

	result, err := agent.Do(ctx, loop, "What is a DAG?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	fmt.Println(result.Reason, "after", result.Turns, "turn")
	// Output:
	// A graph without a way back.
	// completed after 1 turn
}

func forecast(city string) string { return "Rain in " + city + "." }

var weather = tool.New("weather", "Tells today's weather in a city.",
	func(_ context.Context, in struct {
		City string `json:"city"`
	}) (string, error) {
		return forecast(in.City), nil
	}, tool.ReadOnly)

func Example_tool() {
	weather := tool.New("weather", "Tells today's weather in a city.",
		func(ctx context.Context, in struct {
			City string `json:"city" jsonschema:"description=City name"`
		}) (string, error) {
			return forecast(in.City), nil
		}, tool.ReadOnly)

	loop := &agent.Loop{Client: openai.New("gpt-5-mini"), Tools: tool.NewRegistry(weather)}
	run, err := loop.Open(ctx, agent.Scope{}, "Do I need an umbrella in Oslo?")
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range run.Events(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case agent.CallEnded:
			fmt.Println(e.Name, "says:", e.Result.Text)
		case agent.TextDelta:
			fmt.Print(e)
		}
	}
	// Output:
	// weather says: Rain in Oslo.
	// Take an umbrella.
}

func post(text string) error { return nil }

func Example_approval() {
	announce := tool.New("announce", "Tells everybody.",
		func(ctx context.Context, in struct {
			Text string `json:"text"`
		}) (string, error) {
			return "told", post(in.Text)
		})
	loop := &agent.Loop{
		Client: openai.New("gpt-5-mini"),
		Tools:  tool.NewRegistry(announce),
		Policy: agent.AskForSideEffects,
	}
	store, err := journal.Open("runs") // one folder a run
	if err != nil {
		log.Fatal(err)
	}

	// The same lines start the run and, in another process, days later, go on with
	// it. At first nobody is there.
	for _, there := range []bool{false, true} {
		run, err := loop.Open(ctx, agent.Scope{Journal: store, ID: "run-42"}, "Announce that the build is green.")
		if err != nil {
			log.Fatal(err)
		}
		err = agent.Drain(ctx, run, func(q agent.Question) (agent.Answer, bool) {
			fmt.Println(q.Text)
			return agent.Approve(), there && q.About == agent.AboutCall
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Result().Reason)
	}
	// Output:
	// Run announce with {"text":"The build is green."}?
	// paused
	// Run announce with {"text":"The build is green."}?
	// completed
}

func Example_client() {
	parrot := llm.ClientFunc(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
		return func(yield func(llm.Chunk, error) bool) {
			said := req.Messages[len(req.Messages)-1].Text()
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
			} else if yield(llm.TextDelta(said), nil) {
				yield(llm.Reply{Message: llm.AssistantText(said), Finish: llm.FinishStop}, nil)
			}
		}
	})
	result, err := agent.Do(ctx, &agent.Loop{Client: parrot}, "Hello!")
	fmt.Println(result.Text, err)
	// Output: Hello! <nil>
}

func Example_script() {
	client := llmtest.Script(
		llmtest.Call("k1", "weather", `{"city":"Oslo"}`),
		llmtest.Text("Take an umbrella."),
	)
	loop := &agent.Loop{
		Client: llmtest.Strict(client), // refuses histories that a provider would refuse
		Tools:  tool.NewRegistry(weather),
	}
	result, err := agent.Do(ctx, loop, "Do I need an umbrella in Oslo?")
	fmt.Println(result.Text, err)
	fmt.Println(len(client.Requests()), "requests")
	// Output:
	// Take an umbrella. <nil>
	// 2 requests
}

func Example_limits() {
	client := openai.New("gpt-5-mini")

	loop := &agent.Loop{Client: client, Budget: budget.Unattended()}
	all := &budget.Pool{Budget: budget.Budget{Turns: budget.Max(3), Tokens: budget.Max(200_000)}}

	run, err := loop.Open(ctx, agent.Scope{Pool: all}, "Find out why the build is red.")
	if err != nil {
		log.Fatal(err)
	}
	if err := agent.Drain(ctx, run, nil); err != nil {
		log.Fatal(err)
	}
	result := run.Result()
	fmt.Println(result.Reason, result.Limit, all.Spent().Turns)
	// Output: completed <nil> 1
}

// The examples talk to a provider on this machine.
func TestMain(m *testing.M) { os.Exit(offline(m)) }

func Example_modes() {
	client := openai.New("gpt-5-mini")

	loop := &agent.Loop{Client: client}
	executor := &plan.Executor{Planner: plan.NewPlanner(client), Worker: loop}
	crew := &team.Orchestrator{Client: client}

	for _, mode := range []agent.Worker{loop, executor, crew} {
		result, err := agent.Do(ctx, mode, "Compare DAGs and trees.")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Reason)
	}
	// Output:
	// completed
	// completed
	// completed
}

func offline(m *testing.M) int {
	server := httptest.NewServer(http.HandlerFunc(provider))
	defer server.Close()
	dir, err := os.MkdirTemp("", "readme")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.URL} {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	return m.Run()
}

// provider answers chat completions: it calls the one tool it is offered, once.
func provider(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	delta := map[string]any{"content": "A graph without a way back."}
	var told string
	for _, m := range req.Messages {
		var text string
		_ = json.Unmarshal(m.Content, &text) // what is no text says nothing here
		told += text
	}
	if strings.Contains(told, `"approved"`) { // a reviewer
		delta["content"] = `{"approved": true, "summary": "It is what was asked for.", "issues": [], "suggestions": []}`
	} else if strings.Contains(told, `"tasks"`) || strings.Contains(told, `"steps"`) { // a planner
		delta["content"] = `{"tasks": [{"id": "1", "description": "Say what a DAG is."}, {"id": "2", "description": "Say what a tree is."}]}`
	}
	if len(req.Tools) > 0 {
		name := req.Tools[0].Function.Name
		arguments := map[string]string{"weather": `{"city":"Oslo"}`, "announce": `{"text":"The build is green."}`}[name]
		delta = map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call_1", "type": "function", "function": map[string]string{"name": name, "arguments": arguments},
		}}}
	}
	if req.Messages[len(req.Messages)-1].Role == "tool" {
		delta = map[string]any{"content": "Take an umbrella."}
	}
	chunk, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta}}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
}
