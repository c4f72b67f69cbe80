package compress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// A sim is a run as a bill sees it: what each request sends, and how much of it
// a prefix cache serves, which is all up to the first message that differs from
// the request before.
type sim struct {
	view   View
	tiers  *Tiers
	last   []llm.Message // of the request before
	random *rand.Rand

	sent, cached int
	fetches      int // turns spent on reading something back
	summaries    int
	changes      int
	failed       int // the turn at which the request did not fit; 0 if all did
	sums         *scribe
}

const (
	simSystem = 2_000 // tokens
	simTools  = 3_000
)

func newSim(window int, strategy string) *sim {
	s := &sim{random: rand.New(rand.NewPCG(1, 2)), sums: newScribe(good(words(4_800)))}
	s.view = View{
		Dialect: llm.Dialect{Window: window}, Memory: &Memory{}, Client: s.sums,
		Request: llm.Request{
			System: words(4 * simSystem), Tools: []llm.Spec{{Name: "look", Description: words(4 * simTools)}},
			Messages: one(says(words(2_000))),
		},
	}
	switch strategy {
	case "nothing":
		s.tiers = &Tiers{}
	case "age":
		s.tiers = &Tiers{Age: &Age{}}
	case "summary":
		s.tiers = summarizing(nil)
	case "Default":
		s.tiers = Default(nil, "")
	case "Lean":
		s.tiers = Lean(nil, "")
	}
	return s
}

// size draws the characters of a result: mostly short, some of a file, few huge.
func (s *sim) size() int {
	switch n := s.random.IntN(100); {
	case n < 50:
		return 200 + s.random.IntN(2_000)
	case n < 90:
		return 2_000 + s.random.IntN(8_000)
	case n < 98:
		return 10_000 + s.random.IntN(20_000)
	}
	return 40_000 + s.random.IntN(40_000)
}

// run makes that many turns. Every 20th needs what was read 15 turns before,
// every 50th what was read 100 turns before: where the model is not told that
// any more, it spends a turn to fetch it.
func (s *sim) run(turns int) {
	results := make([]string, turns)
	for i := range turns {
		if !s.request(i) {
			return
		}
		for _, need := range [][2]int{{20, 15}, {50, 100}} {
			every, back := need[0], need[1]
			if i%every == every-1 && i >= back && !s.tells(results[i-back]) {
				s.fetches++
				page := results[i-back]
				s.reply(fmt.Sprint("fetch", every, "-", i), page[:min(len(page), 8_000)])
				if !s.request(i) {
					return
				}
			}
		}
		results[i] = fmt.Sprintf("%06d ", i) + words(s.size())
		s.reply(fmt.Sprint("k", i), results[i])
	}
	s.request(turns)
}

func (s *sim) reply(id, result string) {
	m := calls(llm.ToolCall{ID: id, Name: "look", Arguments: `{"path":"` + words(150) + `"}`})
	m.Parts = append(llm.Parts{llm.Text(words(240))}, m.Parts...)
	s.view = s.view.with(m)
	s.view.Reported, s.view.Covers = s.count(s.view.Request.Messages), len(s.view.Request.Messages)
	s.view = s.view.with(llm.Results(llm.ToolResult{CallID: id, Name: "look", Text: result}))
}

func (s *sim) tells(result string) bool {
	for _, m := range s.view.Request.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(llm.ToolResult); ok && r.Text == result {
				return true
			}
		}
	}
	return false
}

func (s *sim) count(messages []llm.Message) int {
	m := &Memory{fixed: s.view.Memory.fixed, counts: s.view.Memory.counts[:len(s.view.Memory.counts):len(s.view.Memory.counts)]}
	req := s.view.Request
	req.Messages = messages
	m.sync(counter{Characters{}, s.view.Dialect}, req, func(llm.Message) int { return 0 })
	return m.raw(len(messages))
}

// request compacts, and sends what is left.
func (s *sim) request(turn int) bool {
	before := len(s.sums.requests)
	c, err := s.tiers.Compress(context.Background(), s.view)
	for _, r := range s.sums.requests[before:] {
		s.summaries++
		s.bill(r.System == s.view.Request.System, r.Messages, Count(nil, r, s.view.Dialect))
	}
	if c.Changed {
		s.changes++
		s.view = after(s.view, c)
	}
	n := s.count(s.view.Request.Messages)
	if err != nil || n > Capacity(s.view.Dialect.Window) {
		s.failed = max(turn, 1)
		return false
	}
	s.bill(true, s.view.Request.Messages, n)
	s.last = s.view.Request.Messages
	return true
}

func (s *sim) bill(ours bool, messages []llm.Message, tokens int) {
	s.sent += tokens
	if !ours || s.last == nil {
		return
	}
	n := 0
	for n < min(len(messages), len(s.last)) && same(messages[n], s.last[n]) {
		n++
	}
	s.cached += s.count(messages[:n])
}

// price is what it costs in millions of full input tokens.
func (s *sim) price(read float64) float64 {
	return (float64(s.sent-s.cached) + read*float64(s.cached)) / 1e6
}

// TestCostTable prints the table of BENCHMARKS.md, with -v, and holds Lean to
// its promise: it is never above another that does not fail (CMP-34).
func TestCostTable(t *testing.T) {
	strategies := []string{"nothing", "age", "summary", "Default", "Lean"}
	lengths := []int{50, 200, 1_000}
	if !testing.Verbose() { // the longest take some seconds
		lengths = lengths[:2]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| window | turns | strategy | sent, M | cached | changes | summaries | fetches | 0.1 | 0.25 | 0.5 |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, window := range []int{32_000, 128_000, 200_000, 1_000_000} {
		for _, turns := range lengths {
			sims := map[string]*sim{}
			for _, name := range strategies {
				s := newSim(window, name)
				s.run(turns)
				sims[name] = s
				if s.failed > 0 {
					fmt.Fprintf(&b, "| %d | %d | %s | fails at turn %d | | | | | | | |\n", window, turns, name, s.failed)
					continue
				}
				fmt.Fprintf(&b, "| %d | %d | %s | %.2f | %.0f %% | %d | %d | %d | %.2f | %.2f | %.2f |\n", window, turns, name,
					float64(s.sent)/1e6, 100*float64(s.cached)/float64(s.sent), s.changes, s.summaries, s.fetches, s.price(0.1), s.price(0.25), s.price(0.5))
			}
			for _, name := range strategies[:4] {
				for _, read := range []float64{0.1, 0.25, 0.5} {
					if sims[name].failed == 0 {
						if lean, other := sims["Lean"].price(read), sims[name].price(read); lean > other {
							t.Errorf("window %d, %d turns, cache reads at %v: Lean costs %.3f, %s %.3f", window, turns, read, lean, name, other)
						}
					}
				}
			}
			require.Zero(t, sims["Lean"].failed)
			require.Zero(t, sims["Default"].failed)
		}
	}
	t.Log(b.String())
}
