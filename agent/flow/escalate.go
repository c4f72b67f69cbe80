package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// EscalateName is the name of [Escalate].
const EscalateName = "escalate_to_plan"

// Escalate returns the tool escalate_to_plan{reason}, by which a model hands
// its task over to a planner. A [Router] offers it by itself to a loop. Alone
// in its turn it ends the run; a loop that a router runs ends with it in any case.
func Escalate(texts Texts) tool.Tool {
	words := texts.complete()
	parameter, _ := json.Marshal(words.EscalateReason) // a string always has a JSON text
	return tool.Tool{
		Spec: llm.Spec{
			Name: EscalateName, Description: words.Escalate,
			Schema: json.RawMessage(`{"type":"object","properties":{"reason":{"type":"string","description":` + string(parameter) +
				`}},"required":["reason"],"additionalProperties":false}`),
		},
		Access: tool.ReadOnly,
		Run: func(_ context.Context, call tool.Call) (tool.Result, error) {
			if strings.TrimSpace(reasonOf(call.Arguments)) == "" {
				return tool.Result{}, errors.New("reason: must say why a plan is needed")
			}
			return tool.Result{Text: words.Escalated, End: true, Changed: tool.Unchanged}, nil
		},
	}
}

func reasonOf(arguments json.RawMessage) string {
	var in struct{ Reason string }
	if json.Unmarshal(arguments, &in) != nil {
		return ""
	}
	return in.Reason
}

// react is who works in the mode React: a loop is offered the way to a plan.
func (r *Router) react() agent.Worker {
	loop, ok := r.React.(*agent.Loop)
	if !ok || r.Plan == nil || r.NoEscalation || loop.Client == nil {
		return r.React
	}
	with := *loop
	with.Tools = loop.Tools.With(Escalate(r.Texts))
	with.Client = ender{loop.Client, r.words().Escalated}
	return &with
}

// An ender answers for the model where it has handed its task over and other
// calls of the same turn did not let the run end: nothing is asked any more.
type ender struct {
	llm.Client
	says string
}

// Unwrap returns the client that is asked, by which a compressor knows it.
func (e ender) Unwrap() llm.Client { return e.Client }

// Dialect implements [llm.Speaker].
func (e ender) Dialect() llm.Dialect { return llm.DialectOf(e.Client) }

// Stream implements [llm.Client].
func (e ender) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if n := len(req.Messages); n == 0 || !slices.ContainsFunc(req.Messages[n-1].Results(), escalated) {
		return e.Client.Stream(ctx, req)
	}
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Reply{Message: llm.AssistantText(e.says), Finish: llm.FinishStop, Model: llm.DialectOf(e.Client).Model}, nil)
	}
}

func escalated(r llm.ToolResult) bool { return r.Name == EscalateName && !r.Failed }

const (
	latestFindings = 8    // that are handed to the planner
	findingHead    = 2000 // characters of each
)

// handedOver tells whether a run has handed over since it was last spoken to,
// with the reason and what was found by then, the oldest first.
func handedOver(log agent.Log) (reason string, findings []string, ok bool) {
	reasons := make(map[string]string) // by call
	for _, e := range log {
		switch f := e.Fact.(type) {
		case agent.Said:
			reason, findings, ok = "", nil, false
		case agent.CallStarted:
			if f.Name == EscalateName {
				reasons[f.Call] = reasonOf(f.Arguments)
			}
		case agent.Replied:
			if text := strings.TrimSpace(f.Reply.Message.Text()); text != "" && !ok {
				findings = append(findings, head(text))
			}
		case agent.CallEnded:
			switch {
			case f.Result.Failed():
			case f.Name == EscalateName:
				reason, ok = reasons[f.Call], true
			case f.Result.Text != "":
				findings = append(findings, fmt.Sprintf("%s: %s", f.Name, head(f.Result.Text)))
			}
		}
	}
	return reason, findings[max(0, len(findings)-latestFindings):], ok
}

func head(text string) string {
	if r := []rune(text); len(r) > findingHead {
		return string(r[:findingHead-1]) + "…"
	}
	return text
}
