package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/tool"
)

// A Prompter gives the system text of a run. It is asked once for each message
// of the user, and when a run is opened again.
type Prompter interface {
	Prompt(ctx context.Context, o Occasion) (string, error)
}

// An Occasion is what a [Prompter] is asked for.
type Occasion struct {
	Run      string   // the run's id
	Prompt   string   // what the user said last
	Tools    []string // the names of those on offer
	Remember string   // what the loop's memory says to that
}

// A Memory is a caller's store of what is worth keeping between runs.
type Memory struct {
	// Recall returns what there is to say to a message of the user. It is asked
	// once for each, and its text goes into the system text.
	Recall func(ctx context.Context, prompt string) (string, error)

	// MaxTokens bounds that text; 0 is 2,000.
	MaxTokens int

	// Extract, if set, is called after a run has Completed.
	Extract func(ctx context.Context, s State) error
}

// Remember returns a tool by which a model can keep a fact in the caller's store.
func Remember(keep func(ctx context.Context, fact string) error) tool.Tool {
	type in struct {
		Fact string `json:"fact" jsonschema_description:"What to remember, in one sentence that can be understood without this conversation."`
	}
	return tool.New("remember", "Keeps a fact for later conversations.", func(ctx context.Context, in in) (string, error) {
		if blank(in.Fact) {
			return "", errors.New("fact: must not be empty")
		}
		return "Kept.", keep(ctx, in.Fact)
	})
}

// asksPrompt tells whether the system text comes from a source.
func (l *Loop) asksPrompt() bool { return l.Prompt != nil || l.Memory != nil && l.Memory.Recall != nil }

const defaultMemoryTokens = 2000

// instruct makes the job of asking for the system text. One that has not
// changed is no fact.
func (m *loopMode) instruct() Job {
	l, run, before, said, prompts := m.loop, m.scope.ID, m.state.system, m.state.lastSaid(), m.state.prompts
	return Job{Key: "instruct", Do: func(ctx context.Context, p Port) (Fact, error) {
		text := l.Instructions
		o := Occasion{Run: run, Prompt: said}
		for _, s := range l.Tools.List().Specs() {
			o.Tools = append(o.Tools, s.Name)
		}
		var err error
		if l.Memory != nil && l.Memory.Recall != nil {
			if o.Remember, err = l.Memory.Recall(ctx, said); err != nil {
				return nil, &ConfigError{"Memory", err}
			}
			o.Remember = cutTokens(o.Remember, l.Memory.MaxTokens)
		}
		switch {
		case l.Prompt != nil:
			if text, err = l.Prompt.Prompt(ctx, o); err != nil {
				return nil, &ConfigError{"Prompt", err}
			}
		case o.Remember != "":
			text += "\n\n" + o.Remember
		}
		m.told = prompts
		if text == before {
			return nil, nil
		}
		return Instructed{text}, nil
	}}
}

// cutTokens cuts text to about n tokens, four characters each.
func cutTokens(text string, n int) string {
	if n == 0 {
		n = defaultMemoryTokens
	}
	runes := []rune(text)
	if len(runes)/4 < n || len(runes) == n*4 {
		return text
	}
	return string(runes[:n*4-1]) + "…"
}

// keeps tells whether a memory wants to see what was done before the run stops.
func (m *loopMode) keeps(stop Stop) bool {
	return m.loop.Memory != nil && m.loop.Memory.Extract != nil && m.state.stopped == nil &&
		stop.Reason == Completed && m.extracted != m.state.prompts
}

// extract makes the job of showing the memory what was done. Its fact is the
// stop that follows, so a crash in between shows it again.
func (m *loopMode) extract() Job {
	l, state := m.loop, m.state.fork()
	return Job{Key: "extract", Do: func(ctx context.Context, p Port) (Fact, error) {
		end := guarded(ctx, tool.DefaultLimit, func(ctx context.Context) (tool.Result, error) {
			return tool.Result{}, l.Memory.Extract(ctx, state)
		})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case end.Result.Failed():
			return nil, fmt.Errorf("agent: keeping what was done: %s", end.Result.Text)
		}
		m.extracted = state.prompts
		return nil, nil
	}}
}
