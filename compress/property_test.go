package compress

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// histories draws what a run may have come to: any mix of texts, calls,
// parallel results, images, reminders, Chinese and huge results.
func histories(t *rapid.T, from, most int) (all []llm.Message) {
	text := func(label string) string {
		n := rapid.SampledFrom([]int{1, 40, 399, 400, 1_600, 6_000}).Draw(t, label)
		return strings.Repeat(rapid.SampledFrom([]string{"a", "漢", "🔬", "word "}).Draw(t, "letter"), n)
	}
	for i := range rapid.IntRange(1, most).Draw(t, "turns") {
		id := fmt.Sprintf("%d-%d", from, i)
		switch rapid.SampledFrom([]string{"turn", "turn", "turn", "parallel", "huge", "say", "image", "remind", "answer"}).Draw(t, "kind") {
		case "turn":
			all = append(all, turn(id, rapid.SampledFrom([]string{"look", "load_skill", ReadResult}).Draw(t, "tool"), text("result"))...)
		case "huge":
			all = append(all, turn(id, "look", strings.Repeat(text("part"), 9))...)
		case "parallel":
			m, r := calls(), llm.Results()
			if rapid.Bool().Draw(t, "speaks") {
				m.Parts = llm.Parts{llm.Reasoning{Text: "hm"}, llm.Text("I look.")}
			}
			for k := range rapid.IntRange(2, 5).Draw(t, "calls") {
				call := fmt.Sprintf("%s.%d", id, k)
				m.Parts = append(m.Parts, llm.ToolCall{ID: call, Name: "look", Arguments: `{"text":"` + text("argument") + `"}`})
				result := llm.ToolResult{CallID: call, Name: "look", Text: text("result")}
				if rapid.IntRange(0, 9).Draw(t, "shows") == 0 {
					result.Images = []llm.Image{{MediaType: "image/png", Data: []byte("x")}}
				}
				r.Parts = append(r.Parts, result)
			}
			all = append(all, m, r)
		case "say":
			all = append(all, replies(text("answer")), says(text("question")))
		case "image":
			m := says("see")
			m.Parts = append(m.Parts, llm.Image{MediaType: "image/png", Data: []byte("x")})
			all = append(all, replies("ok"), m)
		case "remind":
			all = append(all, replies("ok"), note(llm.FromReminder, text("reminder")))
		case "answer":
			all = append(all, replies(text("answer")), note(llm.FromAnswer, "yes"))
		}
	}
	return all
}

func presets(t *rapid.T, dir string) *Tiers {
	answer := rapid.SampledFrom([]llm.Client{good("x"), good(words(4_000)), llmtest.Text("no"), llmtest.Fail(errors.New("down"))}).Draw(t, "summarizer")
	dir = rapid.SampledFrom([]string{dir, ""}).Draw(t, "dir")
	s := newScribe(answer)
	tiers := rapid.SampledFrom([]*Tiers{Default(s, dir), Lean(s, dir), summarizing(s), {Clear: &Clear{}}, only(dir)}).Draw(t, "preset")
	if rapid.IntRange(0, 4).Draw(t, "aged") == 0 {
		tiers.Age = &Age{}
	}
	return tiers
}

// Over random histories that grow and are compacted again and again: valid
// before and after, pairs never parted (CMP-10), protected results kept
// (CMP-19), the first user message always there (CMP-11), tokens strictly lower
// or a typed reason (CMP-14, CMP-15), twice the same as once (CMP-E79), and the
// beginning that was told unchanged where nothing was compacted (CMP-E83).
func TestRandomHistories(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		tiers := presets(t, dir)
		v := viewOf(rapid.SampledFrom([]int{8_192, 32_000, 128_000}).Draw(t, "window"), one(says("first words 4711")))
		v.Client = newScribe(good("own"))
		v.Dialect.EchoReasoning = llm.EchoNone
		for round := range rapid.IntRange(1, 4).Draw(t, "rounds") {
			v = v.with(histories(t, round, 25)...)
			if rapid.IntRange(0, 7).Draw(t, "refused") == 0 {
				v.Overflow = &llm.Error{Kind: llm.ErrContextLength, Window: rapid.SampledFrom([]int{0, 6_000, 100_000}).Draw(t, "learned")}
			}
			next, ok := step(t, tiers, v)
			if !ok {
				return // the run ended
			}
			v = next
		}
	})
}

// step compacts once and checks all that must hold.
func step(t *rapid.T, tiers *Tiers, v View) (View, bool) {
	require.NoError(t, llmtest.Validate(v.Request))
	was := slices.Clone(v.Request.Messages)
	c, err := tiers.Compress(t.Context(), v)
	require.Equal(t, was, v.Request.Messages, "what it is shown is not changed")
	if err != nil {
		require.ErrorIs(t, err, ErrFull)
		return v, false
	}
	if !c.Changed {
		require.Empty(t, c.Messages)
		require.Empty(t, c.Tiers)
	}
	next := after(v, c)
	require.NoError(t, llmtest.Rules{Dialect: v.Dialect}.Validate(next.Request))
	require.Contains(t, told(next.Request.Messages), "first words 4711")
	if c.Changed {
		require.Less(t, c.After, c.Before, "%v", c.Tiers)
		require.Less(t, Count(nil, next.Request, v.Dialect), Count(nil, v.Request, v.Dialect))
		require.Len(t, next.Request.Messages, c.MessagesAfter)
	}
	if slices.Equal(c.Tiers, []string{"clear"}) {
		require.Len(t, next.Request.Messages, len(was))
	}
	if len(c.Tiers) > 0 && c.Tiers[len(c.Tiers)-1] != "summarize" && c.Tiers[len(c.Tiers)-1] != "fallback" {
		require.Equal(t, skills(was), skills(next.Request.Messages))
	}
	if c.Failed == "" {
		again, err := tiers.Compress(t.Context(), next)
		require.NoError(t, err)
		require.False(t, again.Changed, "%v and then %v", c.Tiers, again.Tiers)
	}
	return next, true
}

func skills(messages []llm.Message) (texts []string) {
	for _, r := range results(messages) {
		if r.Name == "load_skill" {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// The estimate that goes on from turn to turn is that of the whole (GEN-13).
func TestIncrementalIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiers := &Tiers{Clear: &Clear{Trigger: Bound{Tokens: 2_000}}}
		v := viewOf(16_000, one(says("go")))
		for round := range 4 {
			v = v.with(histories(t, round, 6)...)
			require.Equal(t, Count(nil, v.Request, v.Dialect), tiers.estimate(v))
			c, err := tiers.Compress(t.Context(), v)
			if err != nil {
				return
			}
			if rapid.Bool().Draw(t, "taken") { // a run that is stopped does not take it
				v = after(v, c)
			}
		}
	})
}
