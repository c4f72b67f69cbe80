package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

var update = flag.Bool("update", false, "write what the scripts of testdata come to into them")

// TestTraces runs the scripts of testdata/traces and compares what happens with
// what each says must happen. A script's comment names what it proves.
//
// Its files are: loop (a setting a line), tools (a tool a line, with the
// results of its calls), script (a reply a paragraph), host (what is done from
// outside, when), and trace (what is shown, the result, and what the model was
// told in each request).
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			var got string
			synctest.Test(t, func(t *testing.T) { got = newTrace(t, archive).run() })
			for i := range archive.Files {
				if f := &archive.Files[i]; f.Name == "trace" {
					if !*update {
						require.Equal(t, string(f.Data), got)
					}
					f.Data = []byte(got)
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
		})
	}
}

// A trace is one script at work.
type trace struct {
	t      *testing.T
	loop   *agent.Loop
	client *llmtest.Client
	host   []string // "EVENT: ACTION", each done once, in order
	prompt string
	scope  agent.Scope
	out    bytes.Buffer
}

func newTrace(t *testing.T, a *txtar.Archive) *trace {
	tr := &trace{t: t, loop: &agent.Loop{Parallel: 1}, prompt: "go"} // one at a time, so that traces are the same each time
	for _, f := range a.Files {
		text := strings.TrimSpace(string(f.Data))
		switch f.Name {
		case "loop":
			for line := range strings.Lines(text) {
				tr.set(strings.Fields(line))
			}
		case "tools":
			tr.loop.Tools = tool.NewRegistry()
			for line := range strings.Lines(text) {
				require.NoError(t, tr.loop.Tools.Add(scripted(line)))
			}
		case "script":
			tr.client = script(t, text)
			tr.loop.Client = sound(t, tr.client)
		case "host":
			tr.host = strings.Split(text, "\n")
		}
	}
	return tr
}

// set applies a line of the loop's settings.
func (tr *trace) set(words []string) {
	l, value := tr.loop, words[len(words)-1]
	switch words[0] {
	case "prompt":
		tr.prompt = strings.Join(words[1:], " ")
	case "turns":
		l.Budget.Turns = budget.Max(number(tr.t, value))
	case "tokens":
		l.Budget.Tokens = budget.Max(number(tr.t, value))
	case "calls":
		l.Budget.Calls = budget.Max(number(tr.t, value))
	case "time":
		d, err := time.ParseDuration(value)
		require.NoError(tr.t, err)
		l.Budget.Time = budget.Max(d)
	case "cost":
		l.Budget.Cost = budget.Max(0.5)
		l.Budget.Prices = budget.Prices{"*": {Input: 10_000, Output: 10_000}} // 0.01 a token
	case "ask-every":
		l.Budget.AskEvery = number(tr.t, value)
	case "stall":
		l.Budget.Stall.Off, l.Budget.Stall.Silent = value == "off", value == "silent"
		l.Budget.Stall.Ask = value == "ask"
	case "wrap-up":
		l.NoWrapUp = value == "off"
	case "nudge":
		l.NoNudge = value == "off"
	case "repeat":
		l.Repeat = agent.RefuseAfter(number(tr.t, value))
	case "policy":
		l.Policy = agent.AskForSideEffects
	case "headless":
		l.Headless = true
	case "tell":
		l.TellAll = value == "all"
	case "parallel":
		l.Parallel = number(tr.t, value)
	case "unordered":
		l.Unordered = true
	case "choice":
		l.Request.Choice = llm.Choice(value)
	case "feedback":
		l.Feedback = true
	case "verify-always":
		l.VerifyAlways = true
	case "verify":
		l.Verifier = verdicts(words[1:])
	default:
		tr.t.Fatalf("no such setting: %v", words)
	}
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

// verdicts is a verifier that says pass, fail or err, one a time, the last for ever.
func verdicts(words []string) agent.Verifier {
	return agent.VerifierFunc(func(context.Context, agent.State) (agent.Verdict, error) {
		word := words[0]
		if len(words) > 1 {
			words = words[1:]
		}
		switch word {
		case "err":
			return agent.Verdict{}, fmt.Errorf("the checker is broken")
		case "panic":
			panic("the checker is broken")
		}
		return agent.Verdict{Pass: word == "pass", Why: "checked: " + word}, nil
	})
}

// scripted makes a tool of a line "NAME read|write RESULT, RESULT, …": the
// results of its calls in order, the last for ever. "fail: why" is an error,
// "panic: why" a panic, "end: text" asks to end the run, "changed: text" and
// "unchanged: text" say so, "ask: question" pauses; "3s text" takes that long.
func scripted(line string) tool.Tool {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	access, list, _ := strings.Cut(rest, " ")
	results := strings.Split(list, ", ")
	t := tool.Tool{Spec: llm.Spec{Name: name, Schema: json.RawMessage(`{"type":"object"}`)}}
	if access == "read" {
		t.Access = tool.ReadOnly
	}
	var mu sync.Mutex
	take := func(answered bool) string {
		mu.Lock()
		defer mu.Unlock()
		result := results[0]
		if !answered && len(results) > 1 {
			results = results[1:]
		}
		return result
	}
	t.Run = func(ctx context.Context, call tool.Call) (tool.Result, error) {
		result := take(call.Answer != "")
		if head, tail, ok := strings.Cut(result, " "); ok {
			if d, err := time.ParseDuration(head); err == nil {
				select {
				case <-time.After(d):
				case <-ctx.Done():
					return tool.Result{}, ctx.Err()
				}
				result = tail
			}
		}
		kind, text, ok := strings.Cut(result, ": ")
		if !ok {
			return tool.Text(result), nil
		}
		switch kind {
		case "fail":
			return tool.Result{}, fmt.Errorf("%s", text)
		case "panic":
			panic(text)
		case "end":
			return tool.Result{Text: text, End: true}, nil
		case "changed":
			return tool.Result{Text: text, Changed: tool.Changed}, nil
		case "unchanged":
			return tool.Result{Text: text, Changed: tool.Unchanged}, nil
		case "ask":
			if call.Answer != "" {
				return tool.Text("answered " + call.Answer), nil
			}
			return tool.Result{}, &tool.Pause{Question: text}
		}
		return tool.Text(result), nil
	}
	return t
}

// script makes a client of replies, a paragraph each: "text T", "reasoning T",
// "call NAME ARGUMENTS", "finish LABEL", "usage IN OUT", "error KIND",
// "wait DURATION".
func script(t *testing.T, text string) *llmtest.Client {
	var answers []llm.Client
	for i, paragraph := range strings.Split(text, "\n\n") {
		answers = append(answers, answer(t, i, paragraph))
	}
	return llmtest.Script(answers...)
}

func answer(t *testing.T, number int, paragraph string) llm.Client {
	r := llm.Reply{
		Message: llm.Message{Role: llm.Assistant, Origin: llm.FromModel},
		Finish:  llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 5},
	}
	var wait time.Duration
	var fault error
	for i, line := range strings.Split(paragraph, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "text":
			r.Message.Parts = append(r.Message.Parts, llm.Text(rest))
		case "reasoning":
			r.Message.Parts = append(r.Message.Parts, llm.Reasoning{Text: rest})
		case "call":
			name, arguments, _ := strings.Cut(rest, " ")
			r.Finish = llm.FinishCalls
			r.Message.Parts = append(r.Message.Parts, llm.ToolCall{ID: fmt.Sprintf("k%d_%d", number, i), Name: name, Arguments: arguments})
		case "finish":
			r.Finish = llm.FinishReason(rest)
		case "usage":
			_, err := fmt.Sscan(rest, &r.Usage.Input, &r.Usage.Output)
			require.NoError(t, err)
		case "error":
			fault = &llm.Error{Kind: llm.ErrorKind(rest), Message: "scripted"}
		case "wait":
			var err error
			wait, err = time.ParseDuration(rest)
			require.NoError(t, err)
		case "", "empty":
		default:
			t.Fatalf("no such line in a script: %q", line)
		}
	}
	return llm.ClientFunc(func(ctx context.Context, _ llm.Request) iterChunks {
		return func(yield func(llm.Chunk, error) bool) {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				yield(nil, &llm.Error{Kind: llm.ErrConnection, Err: ctx.Err()})
				return
			}
			if fault != nil {
				yield(nil, fault)
				return
			}
			yield(r, nil)
		}
	})
}

// sound holds every request to what providers take (GEN-05). Arguments that the
// model wrote badly stay in the history as they are; adapters wrap them.
func sound(t *testing.T, c llm.Client) llm.Client {
	return llm.ClientFunc(func(ctx context.Context, req llm.Request) iterChunks {
		var faults llmtest.Faults
		errors.As(llmtest.Validate(req), &faults)
		for _, f := range faults {
			require.Equal(t, llmtest.Arguments, f.Rule, f)
		}
		return c.Stream(ctx, req)
	})
}
