package agent_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/journal"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

var (
	schedules = flag.Uint64("schedules", 0, "how many schedules the simulation runs; 0 is 5,000, or 1,000 with the race detector")
	seed      = flag.Uint64("seed", 0, "the first schedule, which runs alone if -schedules does not say otherwise")
)

// TestSimulation rides random runs through random faults: of the model, of
// tools, hangs, cancels, leaves, crashes, a second owner, jumps of the wall
// clock. A schedule is a number; one that fails is printed and can be run alone
// with -seed. What must hold is in check and in the world's tools and client.
// GEN-01, GEN-04, GEN-05, GEN-12, AGT-39, AGT-30, B178.
func TestSimulation(t *testing.T) {
	first, n := max(*seed, 1), *schedules
	switch {
	case n == 0 && *seed != 0:
		n = 1
	case n == 0 && raceEnabled:
		n = 1000
	case n == 0:
		n = 5000
	}
	workers := uint64(runtime.GOMAXPROCS(0))
	for w := range workers {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			world := newWorld(t)
			for s := first + w; s < first+n; s += workers {
				schedule(t, world, s)
			}
		})
	}
}

// schedule runs one schedule. One that fails is run again to tell what
// happened: to write that down each time would take a tenth of the whole.
func schedule(t *testing.T, w *simWorld, s uint64) {
	defer func() { // a bubble that fails ends the test
		if t.Failed() {
			t.Logf("schedule %d; run it alone with: go test -run TestSimulation ./agent -seed %d", s, s)
			synctest.Test(t, func(t *testing.T) { newSim(t, newWorld(t), s, t.Log).run() })
		}
	}()
	synctest.Test(t, func(t *testing.T) { newSim(t, w, s, nil).run() })
}

// A sim is one schedule.
type sim struct {
	t     *testing.T
	seed  uint64
	dice  *rand.Rand
	store *flaky
	world *simWorld
	loops [3]*agent.Loop // by level
	legs  int
	calm  bool // no more faults: it must come to an end
	jump  time.Duration
	stops int          // a person's
	log   func(...any) // of what happens; nil is nowhere
}

func newSim(t *testing.T, w *simWorld, s uint64, log func(...any)) *sim {
	m := &sim{t: t, log: log, seed: s, dice: rand.New(rand.NewPCG(s, 0)), store: &flaky{Memory: &journal.Memory{}}, world: w}
	w.sim, w.done = m, map[string]int{}
	for level := range m.loops {
		m.loops[level] = m.recipe(level)
	}
	return m
}

func (m *sim) roll(n int) bool { return m.dice.IntN(n) == 0 }

// recipe makes a loop whose limits depend on the seed.
func (m *sim) recipe(level int) *agent.Loop {
	l := &agent.Loop{Client: &simClient{sim: m, level: level}, Tools: m.world.tools[level], Unordered: m.roll(9), TellAll: m.roll(2)}
	l.Budget.Turns = budget.Max(3 + m.dice.IntN(6))
	if m.roll(4) {
		l.Budget.Tokens = budget.Max(20 + m.dice.IntN(100))
	}
	if m.roll(4) {
		l.Budget.Calls = budget.Max(m.dice.IntN(8))
	}
	if m.roll(4) {
		l.Budget.Time = budget.Max(time.Duration(1+m.dice.IntN(300)) * time.Second)
	}
	l.NoWrapUp, l.Budget.Stall.Off = m.roll(3), m.roll(3)
	if m.roll(3) {
		l.Policy = agent.AskForSideEffects
	}
	l.Headless = m.roll(8)
	if m.roll(3) {
		l.Feedback = m.roll(2)
		l.Verifier = agent.VerifierFunc(func(context.Context, agent.State) (agent.Verdict, error) {
			return agent.Verdict{Pass: m.world.pick(2, "verdict") == 0, Why: "the world says so"}, nil
		})
	}
	return l
}

func (m *sim) note(format string, args ...any) {
	if m.log != nil {
		m.log(fmt.Sprintf(format, args...))
	}
}

func (m *sim) run() {
	for m.legs = 1; ; m.legs++ {
		require.Less(m.t, m.legs, 120, "it does not come to an end")
		m.calm = m.legs > 25
		m.store.dead.Store(false)
		run, err := m.loops[0].Open(m.t.Context(), m.scope(), "go")
		require.NoError(m.t, err)
		if run.Result().Ended() {
			m.check(run)
			return
		}
		m.leg(run)
	}
}

func (m *sim) scope() agent.Scope {
	return agent.Scope{Journal: m.store, ID: "run", Now: func() time.Time { return time.Now().Add(m.jump) }}
}

// leg rides until the run ends or waits, or something happens to it.
func (m *sim) leg(run *agent.Run) {
	ctx, cancel := context.WithCancel(m.t.Context())
	defer cancel()
	if !m.calm && m.roll(6) {
		defer time.AfterFunc(time.Duration(m.dice.IntN(20_000))*time.Millisecond, cancel).Stop()
	}
	events := 0
	for event, err := range run.Events(ctx) {
		events++
		if events > 3000 {
			require.Fail(m.t, "it goes round and round")
		}
		if err != nil {
			m.note("error %v", err)
			m.expected(err)
			return
		}
		if m.log != nil {
			m.note("%s", shown(event))
		}
		if m.happens(run, event) {
			return
		}
	}
	m.answer(run, run.Result().Questions)
}

// expected fails for errors that no fault explains.
func (m *sim) expected(err error) {
	if errors.Is(err, errDead) || errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrUnavailable) || errors.Is(err, agent.ErrEnded) {
		return
	}
	require.NoError(m.t, err)
}

// happens does what the dice say at an event. It is true if the reader leaves.
func (m *sim) happens(run *agent.Run, event agent.Event) bool {
	if p, ok := event.(agent.Paused); ok {
		m.answer(run, p.Questions)
	}
	if m.calm {
		return false
	}
	switch m.dice.IntN(60) {
	case 0, 1:
		m.note("- leaves")
		return true
	case 2, 3:
		m.note("- dies")
		m.store.dead.Store(true) // whatever is under way is not recorded any more
		return m.roll(2)
	case 4:
		m.expectedPost(run.Say("more"))
	case 5:
		m.expectedPost(run.Then("and then"))
	case 6:
		run.Rest()
	case 7:
		if m.roll(4) {
			m.stops++
			m.expectedPost(run.Stop("enough"))
		}
	case 8:
		m.second()
	case 9:
		m.jump = time.Duration(m.dice.IntN(7200)-3600) * time.Second
	}
	return false
}

func (m *sim) expectedPost(err error) {
	if err != nil && !errors.Is(err, errDead) {
		require.NoError(m.t, err)
	}
}

// second is another owner of the same run, who must be turned away.
func (m *sim) second() {
	other, err := m.loops[0].Open(m.t.Context(), m.scope(), "go")
	if err == nil {
		for _, err = range other.Events(m.t.Context()) {
			break
		}
	}
	if !errors.Is(err, errDead) {
		require.ErrorIs(m.t, err, journal.ErrBusy)
	}
}

// answer answers some of the questions, some wrongly first.
func (m *sim) answer(run *agent.Run, questions []agent.Question) {
	for _, q := range questions {
		if !m.calm && m.roll(3) {
			continue
		}
		var a agent.Answer
		switch q.About {
		case agent.AboutTool:
			a = agent.Words("yes")
		case agent.AboutOutcome:
			a = agent.Words(agent.Happened) // the world's tools act before they can be cut off, or not at all
			if m.roll(5) {
				a = agent.Words(agent.StopTheRun)
			} else if !m.world.has(m.key(q.ID)) {
				a = agent.Words(agent.DidNot)
			}
		default:
			a = []agent.Answer{agent.Approve(), agent.ApproveForSession(), agent.Deny("no")}[m.dice.IntN(3)]
		}
		m.note("- answers %s %s %s", q.ID, a.Verdict, a.Text)
		if err := run.Answer(q.ID, a); err != nil && !errors.Is(err, agent.ErrStale) && !errors.Is(err, agent.ErrNoQuestion) {
			m.expectedPost(err)
		}
	}
}

func (m *sim) key(question string) string { return "run/" + question }

// check says what must hold at the end.
func (m *sim) check(run *agent.Run) {
	log, err := run.Log(m.t.Context())
	require.NoError(m.t, err)
	stops, stopping, again := 0, false, false
	for _, e := range log {
		switch f := e.Fact.(type) {
		case agent.Answered:
			if f.Answer.Text == agent.StopTheRun {
				stopping, again = true, false
			}
		case agent.StopAsked: // the last word holds
			stopping, again = true, false
		case agent.Said:
			stops, again = 0, stopping
		case agent.Stopped:
			if !again { // else it goes on with what was said since
				stops++
			}
			stopping, again = false, false
		}
	}
	require.Equal(m.t, 1, stops, "exactly one stop since the last message")
	state := agent.Fold(log...)
	require.Equal(m.t, state.Result(), run.Result(), "the fold of the log is the state")
	for key, n := range m.world.done {
		require.Equal(m.t, 1, n, "side effect %s", key)
	}
	require.NoError(m.t, simRules.Validate(llm.Request{Messages: append(m.loops[0].History(state), llm.UserText("next"))}))
	if m.seed%32 == 0 { // it takes several times as long as all the rest
		data, err := log.MarshalJSON()
		require.NoError(m.t, err)
		var again agent.Log
		require.NoError(m.t, again.UnmarshalJSON(data))
		require.Equal(m.t, state.Result(), agent.Fold(again...).Result(), "the log survives JSON")
	}
}
