package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

// A press is a pipeline whose stages write their names, and the trouble that
// befalls one of them.
type press struct {
	Pipeline[string]
	ran    []string
	visits []Visit
	at     string // the stage
	do     func() error
}

func newPress(j journal.Journal, names ...string) *press {
	p := &press{}
	p.Journal = j
	for i, name := range names {
		next := Done
		if i+1 < len(names) {
			next = names[i+1]
		}
		p.Stages = append(p.Stages, Stage[string]{Name: name, Next: next, Run: p.stage(name)})
	}
	return p
}

func (p *press) stage(name string) func(context.Context, Visit, string) (string, error) {
	return func(_ context.Context, v Visit, s string) (string, error) {
		p.ran, p.visits = append(p.ran, fmt.Sprintf("%s %d", v.Stage, v.Attempt)), append(p.visits, v)
		if name == p.at {
			if err := p.do(); err != nil {
				return "", err
			}
		}
		return s + name[:1], nil
	}
}

func (p *press) find(t *testing.T, key string) Record[string] {
	t.Helper()
	r, found, err := p.Find(t.Context(), key)
	require.NoError(t, err)
	require.True(t, found)
	return r
}

var stages = []string{"collect", "outline", "render", "send"}

// SES-09: each stage is stored before it runs, and the whole comes to its end.
func TestPipeline(t *testing.T) {
	p := newPress(&journal.Memory{}, stages...)
	_, found, err := p.Find(t.Context(), "k")
	require.NoError(t, err)
	require.False(t, found)
	p.at, p.do = "render", func() error {
		require.Equal(t, Record[string]{Stage: "render", Attempt: 1, Visit: 3, State: ":co"}, p.find(t, "k"))
		return nil
	}
	var shown []string
	for r, err := range p.Records(t.Context(), "k", ":") {
		require.NoError(t, err)
		require.Equal(t, r, p.find(t, "k"), "in the journal before it is shown")
		require.Len(t, p.ran, len(shown), "and shown before it runs")
		shown = append(shown, r.Stage)
	}
	require.Equal(t, append(append([]string{}, stages...), Done), shown)
	require.Equal(t, ":cors", p.find(t, "k").State)
	require.Equal(t, "k/render_3", p.visits[2].ID)

	p.at = ""
	// The instance is done, so the next start begins another, with ids of its own.
	s, err := p.Do(t.Context(), "k", ";")
	require.NoError(t, err)
	require.Equal(t, ";cors", s)
	require.Equal(t, "k/collect_6", p.visits[4].ID)
}

// SES-10, SES-12: a crash inside render leaves "render" in the store; another
// start under the key begins nothing new, runs no earlier stage, and counts the attempt.
func TestPipelineCrash(t *testing.T) {
	for name, crash := range map[string]func(cancel func()) error{
		"killed":     func(cancel func()) error { cancel(); return context.Canceled },
		"unfinished": func(func()) error { return fmt.Errorf("a person is asked: %w", ErrUnfinished) },
	} {
		t.Run(name, func(t *testing.T) {
			store := &journal.Memory{}
			p := newPress(store, stages...)
			ctx, cancel := context.WithCancel(t.Context())
			p.at, p.do = "render", func() error { return crash(cancel) }
			s, err := p.Do(ctx, "k", ":")
			fault, ok := errors.AsType[*StageError](err)
			require.True(t, ok, err)
			require.Equal(t, "render 1", fmt.Sprint(fault.Stage, " ", fault.Attempt))
			require.Equal(t, ":co", s)
			require.Equal(t, "render", p.find(t, "k").Stage)

			again := newPress(store, stages...)
			s, err = again.Do(t.Context(), "k", "not looked at")
			require.NoError(t, err)
			require.Equal(t, ":cors", s)
			require.Equal(t, []string{"render 2", "send 1"}, again.ran)
			require.Equal(t, p.visits[2].ID, again.visits[0].ID, "the same key at each attempt")
		})
	}
}

// SES-09: the reader leaves at a record: it is stored, and its stage has not run.
func TestPipelineLeft(t *testing.T) {
	p := newPress(&journal.Memory{}, stages...)
	for r, err := range p.Records(t.Context(), "k", ":") {
		require.NoError(t, err)
		if r.Stage == "render" {
			break
		}
	}
	require.Equal(t, []string{"collect 1", "outline 1"}, p.ran)
	_, err := p.Do(t.Context(), "k", "")
	require.NoError(t, err)
	require.Equal(t, []string{"collect 1", "outline 1", "render 2", "send 1"}, p.ran)

	ctx, cancel := context.WithCancel(t.Context())
	p = newPress(&journal.Memory{}, stages...)
	p.at, p.do = "outline", func() error { cancel(); return nil }
	s, err := p.Do(ctx, "k", ":")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, ":co", s, "what was done before the end of the context is kept")
	require.Equal(t, "render", p.find(t, "k").Stage)
	_, err = p.Do(ctx, "other", ":")
	require.ErrorIs(t, err, context.Canceled)
	_, found, err := p.Find(t.Context(), "other")
	require.NoError(t, err)
	require.False(t, found)
}

// SES-12: after a failure it goes on at the stage that failed, never at "failed".
func TestPipelineFailure(t *testing.T) {
	p := newPress(&journal.Memory{}, stages...)
	p.at, p.do = "render", func() error { return errDown }
	for attempt := 1; attempt <= 2; attempt++ {
		_, err := p.Do(t.Context(), "k", ":")
		require.ErrorIs(t, err, errDown)
		require.Equal(t, Record[string]{Stage: Failed, Of: "render", Error: "down", Attempt: attempt, Visit: 3, State: ":co"}, p.find(t, "k"))
	}
	p.do = func() error { panic("boom") }
	_, err := p.Do(t.Context(), "k", ":")
	require.ErrorContains(t, err, "flow: stage render, attempt 3: flow: stage render: panic: boom")
	p.ran, p.at = nil, ""
	s, err := p.Do(t.Context(), "k", ":")
	require.NoError(t, err)
	require.Equal(t, ":cors", s)
	require.Equal(t, []string{"render 4", "send 1"}, p.ran)
}

// A leaky journal fails at one append.
type leaky struct {
	journal.Journal
	fail, count int
}

func (l *leaky) Append(ctx context.Context, id string, at int, entries ...journal.Entry) error {
	if l.count++; l.count == l.fail {
		return errDown
	}
	return l.Journal.Append(ctx, id, at, entries...)
}

// SES-E97: if storing after a stage fails, the stage counts as unfinished.
func TestPipelineStoringFails(t *testing.T) {
	store := &journal.Memory{}
	p := newPress(&leaky{Journal: store, fail: 3}, stages...) // the record of render, after outline
	s, err := p.Do(t.Context(), "k", ":")
	require.EqualError(t, err, "flow: storing render of k: down")
	require.Equal(t, ":c", s)
	require.Equal(t, []string{"collect 1", "outline 1"}, p.ran)
	p.Journal = store
	require.Equal(t, "outline", p.find(t, "k").Stage)
	_, err = p.Do(t.Context(), "k", ":")
	require.NoError(t, err)
	require.Equal(t, []string{"collect 1", "outline 1", "outline 2", "render 1", "send 1"}, p.ran)

	p = newPress(&leaky{Journal: &journal.Memory{}, fail: 3}, stages...)
	p.at, p.do = "outline", func() error { return errors.New("broken") }
	_, err = p.Do(t.Context(), "k", ":")
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "broken")
}

// SES-09, SES-11: a stage is added by an entry and a changed transition, also
// under an instance that is on its way.
func TestPipelineInsert(t *testing.T) {
	store := &journal.Memory{}
	p := newPress(store, stages...)
	p.at, p.do = "outline", func() error { return errDown }
	_, err := p.Do(t.Context(), "k", ":")
	require.Error(t, err)
	longer := newPress(store, "collect", "outline", "proofread", "render", "send")
	s, err := longer.Do(t.Context(), "k", "")
	require.NoError(t, err)
	require.Equal(t, ":coprs", s)

	// A stage that is recorded and gone is not passed over.
	p = newPress(store, stages...)
	p.at, p.do = "render", func() error { return errDown }
	_, err = p.Do(t.Context(), "k2", ":")
	require.Error(t, err)
	shorter := newPress(store, "collect", "outline", "send")
	_, err = shorter.Do(t.Context(), "k2", "")
	require.ErrorIs(t, err, ErrNoStage)
	require.Empty(t, shorter.ran)
}

// SES-09: a branch looks at what was made; going back is another visit.
func TestPipelineBranch(t *testing.T) {
	p := newPress(&journal.Memory{}, "write", "check")
	p.Stages[1].Branch = func(s string) string {
		switch {
		case strings.Count(s, "w") < 3:
			return "write"
		case strings.HasPrefix(s, "bad"):
			return "nowhere"
		}
		return Done
	}
	s, err := p.Do(t.Context(), "k", "")
	require.NoError(t, err)
	require.Equal(t, "wcwcwc", s)
	require.Equal(t, "k/write_1 k/check_2 k/write_3", p.visits[0].ID+" "+p.visits[1].ID+" "+p.visits[2].ID)
	_, err = p.Do(t.Context(), "k2", "bad")
	require.ErrorIs(t, err, ErrNoStage)
	require.Equal(t, Failed, p.find(t, "k2").Stage)
}

// SES-10: one process at a time works on an instance, and an agent within a
// stage goes on with its run when the stage runs again.
func TestPipelineAgents(t *testing.T) {
	store, err := journal.Open(t.TempDir())
	require.NoError(t, err)
	sent := 0
	send := tool.New("send", "Sends.", func(context.Context, struct{}) (string, error) { sent++; return "sent", nil })
	p := &Pipeline[string]{Journal: store}
	p.Stages = []Stage[string]{{Name: "mail", Next: Done, Run: func(ctx context.Context, v Visit, s string) (string, error) {
		_, err := p.Do(ctx, "k", "")
		require.ErrorIs(t, err, journal.ErrBusy)
		loop := &agent.Loop{
			Client: llmtest.ByHistory(llmtest.Call("c", "send", `{}`), llmtest.Text("Mailed.")),
			Tools:  tool.NewRegistry(send), Policy: agent.AskForSideEffects,
		}
		run, err := loop.Open(ctx, v.Scope(), s)
		if err != nil {
			return "", err
		}
		if v.Attempt == 2 {
			require.NoError(t, run.Answer("1.1", agent.Approve()))
		}
		if err := agent.Drain(ctx, run, nil); err != nil {
			return "", err
		}
		if len(run.Result().Questions) > 0 {
			return "", ErrUnfinished
		}
		return run.Result().Text, nil
	}}}
	_, err = p.Do(t.Context(), "k", "Mail it.")
	require.ErrorIs(t, err, ErrUnfinished)
	require.Zero(t, sent)
	s, err := p.Do(t.Context(), "k", "Mail it.")
	require.NoError(t, err)
	require.Equal(t, "Mailed.", s)
	require.Equal(t, 1, sent)
}

// A leased journal's claim is renewed while a stage runs; a lost one ends it.
type leased struct {
	journal.Journal
	renewed, released int
	lose              int
}

func (l *leased) Claim(context.Context, string) (journal.Claim, error) { return l, nil }
func (l *leased) Every() time.Duration                                 { return time.Minute }
func (l *leased) Release(context.Context) error                        { l.released++; return nil }
func (l *leased) Renew(context.Context) error {
	if l.renewed++; l.renewed == l.lose {
		return journal.ErrLost
	}
	return errDown // may be tried again
}

func TestPipelineLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &leased{Journal: &journal.Memory{}, lose: 9}
		p := &Pipeline[int]{Journal: l, Now: func() time.Time { return time.Unix(1, 0) }}
		p.Stages = []Stage[int]{{Name: "long", Next: Done, Run: func(ctx context.Context, _ Visit, minutes int) (int, error) {
			select {
			case <-time.After(time.Duration(minutes) * time.Minute):
				return 0, nil
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}}}
		_, err := p.Do(t.Context(), "k", 5)
		require.NoError(t, err)
		_, err = p.Do(t.Context(), "k", 500)
		require.ErrorIs(t, err, journal.ErrLost)
		require.Equal(t, 9, l.renewed)
		require.Equal(t, 2, l.released)
		r, _, err := p.Find(t.Context(), "k")
		require.NoError(t, err)
		require.Equal(t, "long", r.Stage, "unfinished, not failed")
		for e := range l.Load(t.Context(), "k") {
			require.Equal(t, time.Unix(1, 0), e.At)
		}
	})
}

// What is wrong with a pipeline, or its log, is said before anything runs.
func TestPipelineFaults(t *testing.T) {
	run := func(context.Context, Visit, string) (string, error) { return "", nil }
	_, err := (&Pipeline[string]{Stages: []Stage[string]{{Name: "a", Next: "b"}, {Name: "a", Next: Done, Run: run}, {Name: Done, Next: Done, Run: run}, {Run: run, Next: Done}}}).Do(t.Context(), "k", "")
	for _, want := range []string{"has no journal", `stage "a" has no function`, `after stage "a": flow: there is no such stage: "b"`, `two stages are named "a"`, `can't be named "done"`, `can't be named ""`} {
		require.ErrorContains(t, err, want)
	}
	_, err = (&Pipeline[string]{}).Do(t.Context(), "k", "")
	require.ErrorContains(t, err, "has no stages")
	_, _, err = (&Pipeline[string]{}).Find(t.Context(), "k")
	require.ErrorContains(t, err, "no journal")

	store := &journal.Memory{}
	require.NoError(t, store.Append(t.Context(), "k", 0, journal.Entry{Kind: "said", Data: []byte(`{}`)}))
	require.NoError(t, store.Append(t.Context(), "bad", 0, journal.Entry{Kind: "stage", Data: []byte(`{"state": 7}`)}))
	p := newPress(store, "a")
	_, err = p.Do(t.Context(), "k", "")
	require.ErrorContains(t, err, `it holds a "said"`)
	_, err = p.Do(t.Context(), "bad", "")
	require.ErrorContains(t, err, "record 1")
	_, err = (&Pipeline[func()]{Journal: store, Stages: []Stage[func()]{{Name: "a", Next: Done, Run: func(context.Context, Visit, func()) (func(), error) { return nil, nil }}}}).Do(t.Context(), "f", nil)
	require.ErrorContains(t, err, "flow: storing a of f")
}

// SES-10, SES-12, SES-E97: whatever befalls it, and however often, it comes to
// the same end, each stage is stored before it runs, and none that is behind runs again.
func TestPipelineTroubles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := &leaky{Journal: &journal.Memory{}}
		p := newPress(store, stages...)
		var ctx context.Context
		cancel := func() {}
		for range 20 {
			store.count, store.fail = 0, rapid.IntRange(0, 4).Draw(rt, "fail")
			p.at = rapid.SampledFrom(append([]string{""}, stages...)).Draw(rt, "at")
			kind := rapid.IntRange(0, 3).Draw(rt, "kind")
			p.do = func() error {
				switch kind {
				case 0:
					return errDown
				case 1:
					panic("boom")
				case 2:
					cancel()
					return ctx.Err()
				}
				cancel()
				return nil
			}
			ctx, cancel = context.WithCancel(t.Context())
			s, err := p.Do(ctx, "k", ":")
			cancel()
			if err == nil {
				require.Equal(rt, ":cors", s)
				break
			}
		}
		stage := 0
		for _, ran := range p.ran {
			name, _, _ := strings.Cut(ran, " ")
			for stages[stage] != name {
				stage++
				require.Less(rt, stage, len(stages), "%v", p.ran)
			}
		}
	})
}
