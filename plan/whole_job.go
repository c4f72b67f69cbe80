package plan

import (
	"cmp"
	"context"
	"fmt"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// solve makes the job of the answer of all results, in a run of its own.
func (m *mode) solve(pool *budget.Pool) agent.Job {
	x, s := m.executor, &m.state
	if m.research != nil {
		return m.research.report(x, s, pool)
	}
	words := x.words()
	prompt := fill(words.SolveTask, "goal", s.Goal(), "results", words.list(s.completed()), "missing", words.missing(s))
	return delegated(s.key(solveKey), x.Solve, prompt, func(r agent.Result) agent.Fact { return Solved{x.outcome(r, pool)} })
}

// What the runs beside those of the tasks are for. No task can have their keys.
const (
	solveKey     = "solve"
	reportKey    = "report"
	summarizeKey = "summarize"
)

// key names a run that is made once in each plan.
func (s *State) key(of string) string { return fmt.Sprintf("%s_%d", of, s.drafts) }

func delegated(key string, w agent.Worker, prompt string, end func(agent.Result) agent.Fact) agent.Job {
	return agent.Job{Key: key, Do: func(context.Context, agent.Port) (agent.Fact, error) {
		return nil, &agent.Delegate{Worker: w, Prompts: []string{prompt}, End: end}
	}}
}

// missing tells of the tasks that gave no result.
func (t *Texts) missing(s *State) string {
	var missing []Task
	for _, task := range s.tasks {
		if !task.satisfies() {
			missing = append(missing, task)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return t.Missing + t.list(missing)
}

const defaultMemory = 2000 // tokens of what is remembered

// recall makes the job of asking the caller's memory.
func (m *mode) recall() agent.Job {
	memory, goal := m.executor.Memory, m.state.Goal()
	return agent.Job{Key: "recall", Do: func(ctx context.Context, p agent.Port) (agent.Fact, error) {
		if memory.Recall == nil {
			return Recalled{}, nil
		}
		text, err := memory.Recall(ctx, goal)
		if err != nil {
			return nil, fmt.Errorf("plan: asking the memory: %w", err)
		}
		most := min(cmp.Or(memory.MaxTokens, defaultMemory), len(text))
		return Recalled{bounded(text, 4*most)}, nil // about four characters a token
	}}
}

// remembers tells whether the memory wants to see what was done before the run stops.
func (m *mode) remembers(stop *agent.Stopped) bool {
	memory := m.executor.Memory
	return memory != nil && memory.Extract != nil && m.state.stopped == nil && stop.Reason == agent.Completed
}

// extract shows the memory the goal and the answer, as the history of a run
// that said no more than these, and then stops the run.
func (m *mode) extract(stop agent.Stopped) agent.Job {
	memory, history := m.executor.Memory, m.state.History()
	return agent.Job{Key: "extract", Do: func(ctx context.Context, p agent.Port) (agent.Fact, error) {
		state := agent.Fold(
			agent.Entry{Fact: agent.Said{Text: history[0].Text()}},
			agent.Entry{Fact: agent.Replied{Reply: llm.Reply{Message: history[1], Finish: llm.FinishStop}, Told: 1}},
			agent.Entry{Fact: stop})
		if err := memory.Extract(ctx, state); err != nil {
			return nil, fmt.Errorf("plan: keeping what was done: %w", err)
		}
		return stop, nil
	}}
}

// History returns what a conversation keeps of the plan: the goal, and the
// answer. Nothing else of the work enters it.
func (s State) History() []llm.Message {
	return []llm.Message{llm.UserText(s.Goal()), llm.AssistantText(s.Answer())}
}
