package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// A Research finds things out in rounds: tasks are planned with an order, those
// of one order run side by side, and those of the next when all of them have
// ended. After each round a critic judges the results; what it misses goes into
// the next plan. A report ends it. It is data, like [Executor].
//
// Failed tasks are not run again by themselves: the others go on, and the
// critic judges what there is.
type Research struct {
	// Name tells this research from others in traces.
	Name string

	// Client plans, judges, shortens and reports, where Planner, Critic,
	// Summarizer or Reporter are nil.
	Client llm.Client

	// Planner gives tasks with orders, such as a [ModelPlanner] whose form is Ordered.
	Planner Planner

	// Worker does the tasks, each in a run of its own.
	Worker agent.Worker

	// Critic judges the results after each round.
	Critic Critic

	// Reporter writes the report, of the results of all tasks. Summarizer shortens
	// results of more than 50,000 characters in front of the planner. They are
	// best Loops without tools.
	Reporter   agent.Worker
	Summarizer agent.Worker

	// Rounds is how many rounds there are at most; 0 is 3. After the last the run
	// is Unverified if the critic has not passed it.
	Rounds int

	// Parallel is how many tasks run at once; 0 is 3.
	Parallel int

	// Gate, ErrorsFail and TaskLimit are as in [Executor].
	Gate       bool
	ErrorsFail bool
	TaskLimit  time.Duration

	// Texts are the words in which it speaks; the zero Texts is English.
	Texts Texts
}

const (
	defaultRounds      = 3
	defaultResearchers = 3
	longestForPlanner  = 50_000 // characters of results
	criticTries        = 2
)

// Open implements [agent.Worker], as [Executor.Open] does.
func (r *Research) Open(ctx context.Context, scope agent.Scope, prompts ...string) (*agent.Run, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	full := r.complete()
	x := &Executor{
		Name: r.Name, Planner: full.Planner, Worker: full.Worker, OnFailure: GoOn, Parallel: full.Parallel,
		Gate: r.Gate, ErrorsFail: r.ErrorsFail, TaskLimit: r.TaskLimit, Solve: full.Reporter, Texts: r.Texts,
	}
	m := newMode(x)
	m.research, m.next = full, func(s *State) Step { return full.next(x, s) }
	return agent.NewRun(ctx, m, scope, prompts...)
}

// complete returns r with what it does not name.
func (r *Research) complete() *Research {
	full, words := *r, r.Texts.complete()
	if full.Planner == nil {
		p := NewPlanner(r.Client)
		p.Form.Ordered, p.Texts = true, r.Texts
		full.Planner = p
	}
	if full.Critic == nil {
		full.Critic = &ModelCritic{Client: r.Client, Texts: r.Texts}
	}
	if full.Reporter == nil {
		full.Reporter = &agent.Loop{Name: "reporter", Client: r.Client, Instructions: words.Reporter}
	}
	if full.Summarizer == nil {
		full.Summarizer = &agent.Loop{Name: "summarizer", Client: r.Client, Instructions: words.Summarizer}
	}
	full.Rounds, full.Parallel = cmp.Or(r.Rounds, defaultRounds), cmp.Or(r.Parallel, defaultResearchers)
	return &full
}

// Validate reports all that is wrong with the research, each as an
// [*agent.ConfigError].
func (r *Research) Validate() error {
	var faults []error
	fault := func(field string, err error) { faults = append(faults, &agent.ConfigError{Field: field, Err: err}) }
	if r.Client == nil && (r.Planner == nil || r.Critic == nil || r.Reporter == nil || r.Summarizer == nil) {
		fault("Client", errors.New("is missing, and so is one that it stands for"))
	}
	if r.Worker == nil {
		fault("Worker", errors.New("is missing"))
	}
	if r.Rounds < 0 {
		fault("Rounds", fmt.Errorf("%d rounds: must be 1 or more", r.Rounds))
	}
	if r.Parallel < 0 {
		fault("Parallel", fmt.Errorf("%d tasks at once: must be 1 or more", r.Parallel))
	}
	if r.TaskLimit < 0 {
		fault("TaskLimit", fmt.Errorf("%v is negative", r.TaskLimit))
	}
	return errors.Join(append(faults, inside("Planner", r.Planner), inside("Worker", r.Worker), inside("Critic", r.Critic),
		inside("Reporter", r.Reporter), inside("Summarizer", r.Summarizer))...)
}

// summarize makes the job of shortening the results in front of the planner.
func (r *Research) summarize(s *State) agent.Job {
	words, covers, done := r.Texts.complete(), len(s.tasks), s.completed()
	prompt := fill(words.Summary, "goal", s.Goal(), "results", words.list(done))
	return delegated(s.key(summarizeKey), r.Summarizer, prompt, func(res agent.Result) agent.Fact {
		text := res.Text
		if res.Reason != agent.Completed || text == "" {
			text = shorten(words.list(done), words.CutResult)
		}
		return Summarized{Text: text, Covers: covers, Spent: res.Spent}
	})
}

// judge makes the job of the critic, who has two tries, and one where a limit
// is in the way.
func (r *Research) judge(s State, pool *budget.Pool) agent.Job {
	words := r.Texts.complete()
	return agent.Job{Key: "judge", Do: func(ctx context.Context, _ agent.Port) (agent.Fact, error) {
		verdict := Judged{Unreviewed: true}
		for range criticTries {
			v, err := r.try(ctx, s, pool)
			verdict.Spent = verdict.Spent.Plus(v.Spent)
			if err == nil {
				v.Spent = verdict.Spent
				return v, nil
			}
			if ctx.Err() != nil {
				return nil, err
			}
			verdict.Why = fill(words.Unreviewed, "fault", err.Error())
			if limit, ok := errors.AsType[*budget.ExceededError](err); ok {
				verdict.Limit = limit
				break
			}
		}
		return verdict, nil
	}}
}

// try asks the critic once, if there is anything left to ask with.
func (r *Research) try(ctx context.Context, s State, pool *budget.Pool) (v Judged, err error) {
	settle, err := pool.Reserve(budget.Spent{Turns: 1})
	if err != nil {
		return v, err
	}
	defer func() { settle(v.Spent) }()
	return r.Critic.Judge(ctx, s)
}

// report makes the job of the report.
func (r *Research) report(x *Executor, s *State, pool *budget.Pool) agent.Job {
	words := r.Texts.complete()
	verdict := words.CriticPassed
	if s.judged != nil && !s.judged.Pass {
		verdict = fill(words.CriticObjects, "why", s.judged.Why)
	}
	prompt := fill(words.ReportTask, "goal", s.Goal(), "results", words.list(s.completed()), "missing", words.missing(s), "verdict", verdict)
	return delegated(s.key(reportKey), r.Reporter, prompt, func(res agent.Result) agent.Fact { return Solved{x.outcome(res, pool)} })
}
