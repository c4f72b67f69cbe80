package agent_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

type iterChunks = iter.Seq2[llm.Chunk, error]

// run ranges over the events until nothing is left for the host to do, and
// returns the trace.
func (tr *trace) run() string {
	run, err := tr.loop.Open(tr.t.Context(), tr.scope, tr.prompt)
	if err != nil {
		return fmt.Sprintf("open: %v\n", err)
	}
	for again := true; again; {
		again = tr.ride(run)
	}
	tr.result(run.Result())
	for i, req := range tr.client.Requests() {
		fmt.Fprintf(&tr.out, "request %d%s:\n", i+1, tools(req))
		for _, m := range req.Messages {
			fmt.Fprintf(&tr.out, "\t%s\n", told(m))
		}
	}
	return tr.out.String()
}

func (tr *trace) ride(run *agent.Run) (again bool) {
	for event, err := range run.Events(tr.t.Context()) {
		if err != nil {
			fmt.Fprintf(&tr.out, "error %v\n", err)
			break
		}
		line := shown(event)
		fmt.Fprintln(&tr.out, line)
		if tr.act(run, line) {
			fmt.Fprintln(&tr.out, "- left -")
			return true
		}
	}
	if len(tr.host) == 0 {
		return false
	}
	before := len(tr.host)
	tr.act(run, "over")
	return len(tr.host) < before
}

// act does what the host does at the event that line shows. It is true if it leaves.
func (tr *trace) act(run *agent.Run, line string) (leave bool) {
	for len(tr.host) > 0 {
		at, action, ok := strings.Cut(tr.host[0], " => ")
		require.True(tr.t, ok, tr.host[0])
		if !strings.HasPrefix(line, at) {
			return false
		}
		tr.host = tr.host[1:]
		word, rest, _ := strings.Cut(action, " ")
		id, words, _ := strings.Cut(rest, " ")
		var err error
		switch word {
		case "say":
			err = run.Say(rest)
		case "then":
			err = run.Then(rest)
		case "stop":
			err = run.Stop(rest)
		case "rest":
			run.Rest()
		case "leave":
			return true
		case "go":
		case "grant":
			err = run.Grant(agent.Granted{Turns: budget.Max(number(tr.t, rest))})
		case "approve":
			err = run.Answer(rest, agent.Approve())
		case "approve-session":
			err = run.Answer(rest, agent.ApproveForSession())
		case "approve-with":
			err = run.Answer(id, agent.ApproveWith(json.RawMessage(words)))
		case "deny":
			err = run.Answer(id, agent.Deny(words))
		case "words":
			err = run.Answer(id, agent.Words(words))
		default:
			tr.t.Fatalf("no such action: %q", action)
		}
		if err != nil {
			fmt.Fprintf(&tr.out, "- %s: %v -\n", action, err)
		}
	}
	return false
}

func (tr *trace) result(r agent.Result) {
	fmt.Fprintf(&tr.out, "= %s", r.Reason)
	if r.Cause != "" {
		fmt.Fprintf(&tr.out, " (%s)", r.Cause)
	}
	if r.Partial {
		fmt.Fprint(&tr.out, " partial")
	}
	if r.Limit != nil {
		fmt.Fprintf(&tr.out, ", %v", r.Limit)
	}
	if r.Detail != "" {
		fmt.Fprintf(&tr.out, ", %s", r.Detail)
	}
	fmt.Fprintf(&tr.out, ": %q\n", r.Text)
	if r.Verdict != nil {
		fmt.Fprintf(&tr.out, "= verdict %v %s%s\n", r.Verdict.Pass, r.Verdict.Why, r.Verdict.Fault)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&tr.out, "= found %q\n", f)
	}
	for _, q := range r.Questions {
		fmt.Fprintf(&tr.out, "= asks %s %s\n", q.ID, q.About)
	}
	fmt.Fprintf(&tr.out, "= spent %d turns, %d calls, %d tokens\n", r.Spent.Turns, r.Spent.Calls, r.Spent.Tokens())
}

// shown is an event in a line.
func shown(e agent.Event) string {
	switch e := e.(type) {
	case agent.Said:
		return fmt.Sprintf("said %q", e.Text)
	case agent.Answered:
		return fmt.Sprintf("answered %s %s %s", e.ID, e.Answer.Verdict, e.Answer.Text)
	case agent.Replied:
		return strings.TrimSpace(fmt.Sprintf("replied %s %s", e.Reply.Finish, told(e.Reply.Message)))
	case agent.CallStarted:
		return fmt.Sprintf("started %s %s %s", e.Call, e.Name, e.Arguments)
	case agent.CallPaused:
		return fmt.Sprintf("call paused %s %s", e.Call, e.Question.Text)
	case agent.CallEnded:
		outcome := string(e.Result.Outcome)
		if outcome == "" {
			outcome = "ok"
		}
		return fmt.Sprintf("ended %s %s %s: %q", e.Call, e.Name, outcome, e.Result.Text)
	case agent.Noted:
		return "noted " + told(e.Message)
	case agent.Verified:
		return fmt.Sprintf("verified %v %s%s", e.Pass, e.Why, e.Fault)
	case agent.WrappedUp:
		return fmt.Sprintf("wrapped up %q %s", e.Text, e.Error)
	case agent.Stopped:
		return fmt.Sprintf("stopped %s at %d", e.Reason, e.Turn)
	case agent.Paused:
		var ids []string
		for _, q := range e.Questions {
			ids = append(ids, q.ID)
		}
		return "paused " + strings.Join(ids, " ")
	case agent.RequestFailed:
		return "request failed " + string(e.Error.Kind)
	}
	return e.Kind()
}

// told is a message in a line.
func told(m llm.Message) string {
	line := string(m.Role)
	if m.Origin != "" && m.Origin != llm.FromModel && m.Origin != llm.FromTool {
		line += "/" + string(m.Origin)
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			text := []rune(string(p))
			if len(text) > 40 {
				text = append(text[:40], '…')
			}
			line += fmt.Sprintf(" %q", string(text))
		case llm.Reasoning:
			line += fmt.Sprintf(" (%s)", p.Text)
		case llm.ToolCall:
			line += fmt.Sprintf(" %s%s", p.Name, p.Arguments)
		case llm.ToolResult:
			text := []rune(p.Text)
			if len(text) > 40 {
				text = append(text[:40], '…')
			}
			line += fmt.Sprintf(" %s=%q", p.Name, string(text))
		}
	}
	return line
}

func tools(req llm.Request) string {
	if len(req.Tools) == 0 {
		return ", no tools"
	}
	return ""
}
