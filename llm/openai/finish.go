package openai

import (
	"strings"

	"github.com/triad-go/triad/llm"
)

// finishes are the labels that providers end a reply with, in lower case.
var finishes = map[string]llm.FinishReason{
	"stop": llm.FinishStop, "end_turn": llm.FinishStop, "eos": llm.FinishStop, "eos_token": llm.FinishStop,
	"stop_sequence": llm.FinishStop, "completed": llm.FinishStop, "complete": llm.FinishStop,

	"tool_calls": llm.FinishCalls, "tool_call": llm.FinishCalls, "tool_use": llm.FinishCalls, "function_call": llm.FinishCalls,

	"length": llm.FinishLength, "max_tokens": llm.FinishLength, "model_length": llm.FinishLength, "max_output_tokens": llm.FinishLength,

	"content_filter": llm.FinishRefused, "content_filtered": llm.FinishRefused, "refusal": llm.FinishRefused, "safety": llm.FinishRefused,
	"sensitive": llm.FinishRefused, "recitation": llm.FinishRefused, "prohibited_content": llm.FinishRefused, "blocklist": llm.FinishRefused,
	"spii": llm.FinishRefused, "guardrail_intervened": llm.FinishRefused,

	"error": llm.FinishError, "network_error": llm.FinishError, "malformed_function_call": llm.FinishError,
	"insufficient_system_resource": llm.FinishError, "engine_overloaded": llm.FinishError,

	"abort": llm.FinishAborted, "aborted": llm.FinishAborted, "cancelled": llm.FinishAborted, "canceled": llm.FinishAborted,
}

// finishOf returns what a label means. An unknown one is searched for the words
// that must not be missed; without them it is an ordinary end.
func finishOf(label string) llm.FinishReason {
	label = strings.ToLower(label)
	if f, ok := finishes[label]; ok {
		return f
	}
	for _, w := range []struct {
		word   string
		finish llm.FinishReason
	}{
		{"filter", llm.FinishRefused}, {"safety", llm.FinishRefused}, {"refus", llm.FinishRefused}, {"block", llm.FinishRefused},
		{"malformed", llm.FinishError}, {"error", llm.FinishError}, {"abort", llm.FinishAborted}, {"cancel", llm.FinishAborted},
		{"length", llm.FinishLength}, {"limit", llm.FinishLength}, {"token", llm.FinishLength}, {"window", llm.FinishLength},
	} {
		if strings.Contains(label, w.word) {
			return w.finish
		}
	}
	return llm.FinishStop
}

// overflowed tells of the label of a reply that ran against the context window.
func overflowed(label string) bool { return strings.Contains(strings.ToLower(label), "context_window") }

func ordinary(f llm.FinishReason) bool { return f == llm.FinishStop || f == llm.FinishCalls }

// finish takes in a finish label. The first one holds, unless a later one says
// that the reply is worse than that: some providers send "stop" after "length".
func (d *draft) finish(label string) {
	if label == "" {
		return
	}
	now := finishOf(label)
	if d.label == "" || ordinary(finishOf(d.label)) && !ordinary(now) {
		d.label = label
	}
}
