package team

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/plan"
)

const (
	mostCalls   = 50  // that a reviewer is told of, the latest
	argumentsOf = 200 // characters
	resultOf    = 200
)

// calls returns the latest calls of a run and the runs within it, by its log,
// and how many there were. A log that can't be read gives what could be: the
// reviewer then sees fewer calls, which approves nothing.
func calls(ctx context.Context, j journal.Journal, id string) (latest []Call, all int) {
	l := caller{journal: j}
	l.read(ctx, id)
	if all = len(l.calls); all > mostCalls {
		return l.calls[all-mostCalls:], all
	}
	return l.calls, all
}

type caller struct {
	journal journal.Journal
	calls   []Call
}

func (l *caller) read(ctx context.Context, id string) {
	open := map[string]int{} // calls, by place
	for e, err := range l.journal.Load(ctx, id) {
		if err != nil {
			return
		}
		switch e.Kind {
		case agent.CallStarted{}.Kind():
			f, ok := fact[agent.CallStarted](e)
			if _, again := open[f.Call]; ok && !again {
				open[f.Call] = len(l.calls)
				l.calls = append(l.calls, Call{Name: f.Name, Arguments: line(string(f.Arguments), argumentsOf)})
			}
		case agent.CallEnded{}.Kind():
			if f, ok := fact[agent.CallEnded](e); ok {
				l.end(f, open)
				if f.Spent != nil {
					l.read(ctx, id+"/"+f.Call)
				}
			}
		case plan.TaskStarted{}.Kind():
			if f, ok := fact[plan.TaskStarted](e); ok {
				l.read(ctx, id+"/"+f.ID)
			}
		case WorkStarted{}.Kind():
			if f, ok := fact[WorkStarted](e); ok && f.Try == 1 { // all tries are one run
				l.read(ctx, id+"/"+workKey)
			}
		}
	}
}

// end notes what a call came to. One that was refused never started.
func (l *caller) end(f agent.CallEnded, open map[string]int) {
	i, ok := open[f.Call]
	if !ok {
		i = len(l.calls)
		l.calls = append(l.calls, Call{Name: f.Name})
	}
	c := &l.calls[i]
	c.Ended, c.Outcome, c.Result = true, f.Result.Outcome, line(f.Result.Text, resultOf)
}

// fact returns what an entry holds, as it was appended or from its bytes.
func fact[F agent.Fact](e journal.Entry) (f F, ok bool) {
	if f, ok = e.Fact.(F); ok {
		return f, true
	}
	return f, json.Unmarshal(e.Data, &f) == nil
}

// line makes one line of a text, of bounded length.
func line(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most] // a character has four bytes at most
	}
	r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
