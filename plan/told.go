package plan

import (
	"context"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
)

// An Outer is a worker that hands what it is told on to another, in a run whose
// id is its own, a slash and the key. What is put aside for a task is kept for
// the run that will read it, so a plan must know. A worker in a wrapper that
// does not say so is told long results cut.
type Outer interface {
	Inner() (w agent.Worker, key string)
}

// told returns the results of tasks as the run of that id is told them. A
// worker with a store has long ones put aside in it by the tier that does so
// with results of tools, and reads them back with read_result; others are told
// their beginning and end.
func (t *Texts) told(ctx context.Context, w agent.Worker, run string, tasks []Task) ([]string, error) {
	told := make([]string, len(tasks))
	for i := range tasks {
		told[i] = shorten(tasks[i].Result, t.CutResult)
	}
	l, run := readerOf(w, run)
	if l == nil || len(tasks) == 0 {
		return told, nil
	}
	tiers, ok := l.Compressor.(*compress.Tiers)
	if !ok || tiers.Offload == nil {
		return told, nil
	}
	kept, err := offloaded(ctx, tiers, l.Client, run, tasks)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil: // they can't be made to fit; the run will say so
		return told, nil
	}
	return kept, nil
}

// readerOf returns the loop whose model reads what w is told in the run of that
// id, and the id of that loop's run; nil if that is not known.
func readerOf(w agent.Worker, run string) (*agent.Loop, string) {
	for {
		switch worker := w.(type) {
		case *agent.Loop:
			return worker, run
		case Outer:
			inner, key := worker.Inner()
			w, run = inner, run+"/"+key
		default:
			return nil, ""
		}
	}
}

// offloaded asks the tier about results of tasks as if each were that of a
// call, and all of one turn. No other tier is asked: none costs a request here.
func offloaded(ctx context.Context, tiers *compress.Tiers, client llm.Client, run string, tasks []Task) ([]string, error) {
	var calls llm.Parts
	var results []llm.ToolResult
	for i := range tasks {
		name := "task " + tasks[i].ID // which is no tool's name
		about := encode(map[string]string{"task": tasks[i].says()})
		calls = append(calls, llm.ToolCall{ID: tasks[i].ID, Name: name, Arguments: string(about)})
		results = append(results, llm.ToolResult{CallID: tasks[i].ID, Name: name, Text: tasks[i].Result})
	}
	tier := compress.Tiers{Window: tiers.Window, Estimator: tiers.Estimator, Offload: tiers.Offload, Texts: tiers.Texts}
	req := llm.Request{Messages: []llm.Message{{Role: llm.Assistant, Parts: calls}, llm.Results(results...)}}
	for _, own := range tier.Tools() {
		req.Tools = append(req.Tools, own.Spec)
	}
	c, err := tier.Compress(ctx, compress.View{Run: run, Request: req, Client: client, Dialect: llm.DialectOf(client)})
	if err != nil {
		return nil, err
	}
	if c.Changed {
		results = c.Messages[len(c.Messages)-1].Results()
	}
	told := make([]string, len(results))
	for i := range results {
		told[i] = results[i].Text
	}
	return told, nil
}
