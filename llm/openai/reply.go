package openai

import (
	"errors"
	"strconv"
	"strings"

	"github.com/triad-go/triad/llm"
)

// errNameless is given for a call that has arguments and never got a name.
var errNameless = errors.New("a call came without a name")

// reply makes the reply of a draft whose stream is whole, and leaves in deltas
// what is to be shown before it.
func (d *draft) reply(req llm.Request) (llm.Reply, error) {
	d.deltas = d.deltas[:0]
	d.say(halved{}.join(&d.half))
	d.reason(halved{}.join(&d.thought))
	calls, err := d.toolCalls()
	if err != nil {
		return llm.Reply{}, err
	}
	reply := llm.Reply{Finish: d.finished(len(calls) > 0), Label: d.label, Usage: d.reported.usage(), Model: d.model}
	text := d.text.String()
	if len(calls) == 0 && ordinary(reply.Finish) {
		found := findTextCalls(text, req.Tools)
		if d.hold != nil && len(found.calls) > 0 {
			text = text[:d.hold.shown] + found.rest[min(d.hold.shown, len(found.rest)):]
			calls = d.named(found.calls)
			d.announce(calls)
		} else {
			reply.TextCalls = found.names
		}
	}
	d.release(text)
	reply.Message = llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: d.parts(text, calls)}
	if reply.Usage == (llm.Usage{}) {
		reply.Usage = estimate(req, reply.Message)
	}
	return reply, nil
}

// finished returns the finish reason. A refusal is one whatever the label says.
func (d *draft) finished(calls bool) llm.FinishReason {
	switch {
	case d.refused:
		return llm.FinishRefused
	case d.label != "":
		return finishOf(d.label)
	case calls:
		return llm.FinishCalls
	}
	return llm.FinishStop
}

// parts are reasoning, text and calls. Reasoning has a place of its own even if
// only its maker can read it.
func (d *draft) parts(text string, calls []llm.ToolCall) (parts llm.Parts) {
	reasoning := llm.Reasoning{Text: d.reasoning.String(), Seal: d.messageSeal()}
	if reasoning != (llm.Reasoning{}) {
		parts = append(parts, reasoning)
	}
	if text != "" {
		parts = append(parts, llm.Text(text))
	}
	for _, c := range calls {
		parts = append(parts, c)
	}
	return parts
}

func (d *draft) messageSeal() llm.Seal {
	members := make([]string, 0, len(d.sealed)+1)
	if d.details.opaque {
		members = append(members, `"reasoning_details":`+d.details.encode())
	}
	for _, s := range d.sealed {
		members = append(members, string(s))
	}
	if len(members) == 0 {
		return llm.Seal{}
	}
	return llm.Seal{Maker: d.maker, Data: "{" + strings.Join(members, ",") + "}"}
}

// toolCalls returns the calls. One without a name is a ghost, and left out, if
// it says nothing or was cut off; else the stream is faulty.
func (d *draft) toolCalls() (calls []llm.ToolCall, err error) {
	for _, c := range d.calls.all {
		args := c.arguments()
		if c.name == "" {
			if strings.TrimSpace(args) == "" || d.label != "" && finishOf(d.label) == llm.FinishLength {
				continue
			}
			return nil, errNameless
		}
		call := llm.ToolCall{ID: c.id, Name: c.name, Arguments: args}
		if c.seal != "" {
			call.Seal = llm.Seal{Maker: d.maker, Data: c.seal}
		}
		calls = append(calls, call)
	}
	return d.named(calls), nil
}

// named gives ids to the calls that have none, or that of another.
func (d *draft) named(calls []llm.ToolCall) []llm.ToolCall {
	used := make(map[string]bool, len(calls))
	for i := range calls {
		id := calls[i].ID
		for n := 1; id == "" || used[id]; n++ {
			if id = d.newID(); n > 1 { // it repeats itself
				id += "_" + strconv.Itoa(n)
			}
		}
		used[id] = true
		calls[i].ID = id
	}
	return calls
}

// announce shows calls that no delta has told of.
func (d *draft) announce(calls []llm.ToolCall) {
	for i, c := range calls {
		d.deltas = append(d.deltas, llm.CallDelta{Index: i, Name: c.Name, Bytes: len(c.Arguments)})
	}
}

// release shows the text that was kept back.
func (d *draft) release(text string) {
	if d.hold != nil && d.hold.shown < len(text) {
		d.deltas = append(d.deltas, llm.TextDelta(text[d.hold.shown:]))
		d.hold.shown = len(text)
	}
}

// shown is the text that a reader has seen.
func (d *draft) shown() string {
	text := d.text.String()
	if d.hold != nil {
		return text[:min(d.hold.shown, len(text))]
	}
	return text
}
