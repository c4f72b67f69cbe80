package compress

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

func summarizing(s llm.Client) *Tiers { return &Tiers{Summarize: &Summarize{Client: s}} }

// exchange is a user's message and n turns with results of that many characters.
func exchange(i, n, chars int) []llm.Message {
	all := one(says(fmt.Sprintf("question %d", i)))
	for k := range n {
		all = append(all, turn(fmt.Sprintf("e%d-%d", i, k), "look", words(chars))...)
	}
	return append(all, replies(fmt.Sprintf("answer %d", i)))
}

func exchanges(n, turns, chars int) (all []llm.Message) {
	for i := range n {
		all = append(all, exchange(i, turns, chars)...)
	}
	return all
}

func started(messages []llm.Message) (n int) {
	for _, m := range messages {
		if fromUser(m) {
			n++
		}
	}
	return n
}

// CMP-05, CMP-E74: of six short exchanges three are kept, of huge ones fewer,
// and the request has at most half of T.
func TestKept(t *testing.T) {
	v := viewOf(32_000, exchanges(6, 3, 4_600))
	next := compacted(t, summarizing(newScribe(good("x"))), v)
	require.Equal(t, 2, started(next.Request.Messages), "three of 3,500 do not fit into half of 20,000")
	require.LessOrEqual(t, Count(nil, next.Request, next.Dialect), 10_000)

	short := join(exchange(9, 20, 3_400), exchanges(6, 1, 2_000))
	next = compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, short))
	require.Equal(t, 3, started(next.Request.Messages))
	require.Equal(t, v.Request.Messages[len(v.Request.Messages)-1].Text(), next.Request.Messages[len(next.Request.Messages)-1].Text())

	huge := exchanges(3, 1, 32_000)
	next = compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, huge))
	require.Equal(t, "answer 2", next.Request.Messages[len(next.Request.Messages)-1].Text())
	require.LessOrEqual(t, Count(nil, next.Request, next.Dialect), 10_000)

	// The last unit is kept whatever it has.
	last := join(exchange(0, 4, 10_000), one(says("now")), turn("z", "look", words(44_000)))
	next = compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, last))
	require.Equal(t, words(44_000), results(next.Request.Messages)[0].Text)
	require.Len(t, results(next.Request.Messages), 1)
}

// CMP-E73, B132: one user message and 200 turns: the cut lies inside the open
// exchange, before an assistant message, and its user message stays.
func TestCutInsideExchange(t *testing.T) {
	next := compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, join(one(says("first words")), turns(0, 200, 400))))
	m := next.Request.Messages
	require.Equal(t, llm.FromSummary, m[0].Origin)
	require.Equal(t, llm.Assistant, m[1].Role, "no acknowledgement before an assistant message")
	require.Equal(t, llm.FromModel, m[1].Origin)
	require.Contains(t, m[0].Text(), "first words")

	next = compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, join(exchange(0, 2, 400), one(says("second words")), turns(0, 200, 400))))
	m = next.Request.Messages
	require.Equal(t, llm.FromSummary, m[1].Origin, "the acknowledgement")
	require.Equal(t, "second words", m[2].Text())
	require.Equal(t, llm.Assistant, m[3].Role)
	// And once more, in the same exchange.
	next = compacted(t, summarizing(newScribe(good("y"))), next.with(turns(1000, 100, 400)...))
	require.Equal(t, "second words", next.Request.Messages[2].Text())
	require.Equal(t, 1, strings.Count(told(next.Request.Messages), "second words"))
}

// CMP-E76: reminders, nudges, feedback, answers and summaries start no exchange.
func TestExchangesCounted(t *testing.T) {
	v := viewOf(32_000, exchange(0, 20, 4_000))
	origins := []llm.Origin{llm.FromReminder, llm.FromNudge, llm.FromFeedback, llm.FromAnswer, llm.FromReminder}
	for i := 1; i < 4; i++ {
		v = v.with(exchange(i, 1, 800)...)
		for _, o := range origins[:i+1] {
			v = v.with(note(o, string(o)+" text"), replies("yes"))
		}
	}
	next := compacted(t, summarizing(newScribe(good("x"))), v)
	require.Equal(t, 3, started(next.Request.Messages))
	require.Contains(t, told(next.Request.Messages), "question 1")
}

// CMP-11, CMP-E78: the form of the rebuilt history, and what the log keeps.
func TestRebuilt(t *testing.T) {
	history := exchanges(6, 3, 4_600)
	was := fmt.Sprint(history)
	v := viewOf(32_000, history)
	v.Dialect.Strict = true
	next := compacted(t, summarizing(newScribe(good("THE SUMMARY"))), v)
	m := next.Request.Messages
	require.Equal(t, []llm.Role{llm.User, llm.Assistant, llm.User}, []llm.Role{m[0].Role, m[1].Role, m[2].Role})
	require.True(t, strings.HasPrefix(m[0].Text(), "question 0\n"))
	require.Contains(t, m[0].Text(), "THE SUMMARY")
	require.Equal(t, llm.FromSummary, m[1].Origin)
	require.Equal(t, llm.FromUser, m[2].Origin)
	require.Equal(t, was, fmt.Sprint(history), "the history itself is as it was")
	require.Equal(t, v.Request.System, next.Request.System)
}

// CMP-11: a first message of more than 2,000 tokens is cut with a mark, once.
func TestLongFirstMessage(t *testing.T) {
	for chars, cut := range map[int]bool{8_000: false, 8_400: true, 40_000: true} {
		v := viewOf(32_000, join(one(says(words(chars))), turns(0, 50, 1_600)))
		next := compacted(t, summarizing(newScribe(good("x"))), v)
		first := string(next.Request.Messages[0].Parts[0].(llm.Text))
		require.LessOrEqual(t, Characters{}.Tokens(first, false), 2_000)
		require.Equal(t, cut, strings.HasSuffix(first, english.FirstCut))
		next = compacted(t, summarizing(newScribe(good("y"))), next.with(turns(100, 60, 1_600)...))
		require.Equal(t, first, string(next.Request.Messages[0].Parts[0].(llm.Text)))
	}
}

// CMP-11: images of the first message stay where there is room for them.
func TestFirstImages(t *testing.T) {
	m := says("look at this")
	for range 3 {
		m.Parts = append(m.Parts, llm.Image{MediaType: "image/png", Data: []byte("x")})
	}
	next := compacted(t, summarizing(newScribe(good("x"))), viewOf(32_000, join(one(m), turns(0, 50, 1_600))))
	next = compacted(t, summarizing(newScribe(good("y"))), next.with(turns(100, 60, 1_600)...))
	images := 0
	for _, p := range next.Request.Messages[0].Parts {
		if _, ok := p.(llm.Image); ok {
			images++
		}
	}
	require.Equal(t, 1, images, "1,200 tokens each, of 2,000")
	require.Contains(t, next.Request.Messages[0].Text(), "## Open")
}

// B134: what stands only in the first message stands in every later request,
// although the summarizer writes nothing of use, three times.
func TestFactOfFirstMessage(t *testing.T) {
	for name, answer := range map[string]llm.Client{"ok": llmtest.Text("ok"), "sections": good("ok")} {
		t.Run("B134 CMP-11 "+name, func(t *testing.T) {
			tiers := summarizing(newScribe(answer))
			v := viewOf(32_000, one(says("Use port 4711.")))
			for round := range 3 {
				v = compacted(t, tiers, v.with(turns(100*round, 100, 1_600)...))
				require.Equal(t, "Be good.", v.Request.System)
				require.Contains(t, v.Request.Messages[0].Text(), "Use port 4711.")
				require.LessOrEqual(t, Count(nil, v.Request, v.Dialect), Capacity(32_000))
			}
		})
	}
}

// CMP-26, B135: the earlier summary is handed over, only the newest stands, and
// one that only grows has a bound.
func TestSummariesDoNotGrow(t *testing.T) {
	echo := &scribe{}
	echo.answer = func(_ int, req llm.Request) llm.Client {
		return llmtest.Text(summaryOf(told(req.Messages)))
	}
	tiers := summarizing(echo)
	v := viewOf(32_000, one(says("go")))
	for round := range 5 {
		v = compacted(t, tiers, v.with(turns(100*round, 60, 1_600)...))
		slot := string(v.Request.Messages[0].Parts[1].(llm.Text))
		require.LessOrEqual(t, Characters{}.Tokens(slot, false), 2_000+60, "CMP-27: min(T/10, 8,000)")
		require.Contains(t, slot, english.SectionCut)
		heads := 0
		for _, m := range v.Request.Messages {
			if isHead(m) {
				heads++
			}
		}
		require.Equal(t, 1, heads)
	}
	second := newScribe(good("NEWER"))
	v = compacted(t, summarizing(newScribe(good("OLDER"))), viewOf(32_000, join(one(says("go")), turns(0, 50, 1_600))))
	v = compacted(t, summarizing(second), v.with(turns(100, 60, 1_600)...))
	require.Contains(t, second.requests[0].Messages[0].Text(), "OLDER")
	require.Contains(t, v.Request.Messages[0].Text(), "NEWER")
	require.NotContains(t, told(v.Request.Messages), "OLDER")
}

// CMP-12: a reply without the sections is asked for once more, then rejected.
func TestSections(t *testing.T) {
	v := func() View { return viewOf(32_000, join(one(says("go")), turns(0, 50, 1_600))) }
	s := newScribe(llmtest.Text("It went well.").Costing(100, 10), good("x"))
	c := mustCompress(t, summarizing(s), v())
	require.True(t, c.Changed)
	require.Len(t, s.requests, 2)
	require.Equal(t, 220, c.Usage.Total(), "both count")
	again := s.requests[1].Messages
	require.Equal(t, "It went well.", again[1].Text())
	require.Contains(t, again[2].Text(), "## Decisions and conclusions")

	s = newScribe(llmtest.Text("It went well.").Costing(100, 10))
	c = mustCompress(t, summarizing(s), v())
	require.False(t, c.Changed)
	require.Contains(t, c.Failed, "sections")
	require.Len(t, s.requests, 2)
	require.Equal(t, 220, c.Usage.Total())

	// Other marks of headings are taken, a missing one is not.
	loose := "Sure!\n**Goal and requests**\na\n### DONE, WITH EVIDENCE:\nb\n# Decisions and conclusions\nc\nOpen:\nd"
	m := &summarizer{work: &work{Tiers: &Tiers{}, counter: counter{Characters{}, llm.Dialect{}}}, size: 1000}
	bodies, ok := m.parse(loose)
	require.True(t, ok)
	require.Equal(t, []string{"a", "b", "c", "d"}, bodies)
	_, ok = m.parse(strings.Replace(loose, "Open:", "Close:", 1))
	require.False(t, ok)
}

// CMP-27: a long summary is cut by section, and short sections stay whole.
func TestCutBySection(t *testing.T) {
	m := &summarizer{work: &work{Tiers: &Tiers{}, counter: counter{Characters{}, llm.Dialect{}}}, size: 500}
	text := m.bounded([]string{words(40_000), "short", words(1_200), "open matters"})
	require.LessOrEqual(t, Characters{}.Tokens(text, false), 500)
	require.Greater(t, Characters{}.Tokens(text, false), 400)
	require.Contains(t, text, "\nshort\n")
	require.True(t, strings.HasSuffix(text, "open matters"))
	require.Equal(t, 2, strings.Count(text, english.SectionCut))
}

// CMP-27: a summary that saves nothing is rejected.
func TestSavesNothing(t *testing.T) {
	s := newScribe(good(words(20_000)))
	tiers := &Tiers{Summarize: &Summarize{Client: s, Size: Bound{Share: 1}}}
	history := join(one(says("go")), turn("a", "look", words(12_000)), one(replies(words(60_000))))
	v := viewOf(32_000, history)
	v.Overflow = &llm.Error{Kind: llm.ErrContextLength}
	_, err := tiers.Compress(t.Context(), v)
	require.ErrorIs(t, err, ErrFull)
}

// CMP-13: parts of at most 60,000 characters, all of the history, then merged.
func TestSegments(t *testing.T) {
	history := join(one(says("go")), turns(0, 80, 1_600), one(replies("NEEDLE in the middle")), one(note(llm.FromReminder, "go on")), turns(200, 80, 1_600))
	s := newScribe(good("part"))
	c := mustCompress(t, summarizing(s), viewOf(96_000, history))
	require.True(t, c.Changed)
	all := ""
	for _, r := range s.requests {
		text := r.Messages[0].Text()
		require.LessOrEqual(t, len(text), 60_000+2_000)
		all += text
	}
	require.Len(t, s.requests, 4, "three parts and the merge")
	require.Contains(t, all, "NEEDLE in the middle")
	for i := range 80 {
		require.Contains(t, all, fmt.Sprintf(`{"n":"k%d"}`, i))
	}
	require.Equal(t, 4*110, c.Usage.Total())
	require.Contains(t, s.requests[3].Messages[0].Text(), "---")

	// If part 2 fails, nothing is replaced and the usage counts.
	s = newScribe(good("part"), llmtest.Fail(&llm.Error{Kind: llm.ErrUnavailable, Usage: llm.Usage{Input: 7}}))
	v := viewOf(96_000, history)
	c = mustCompress(t, summarizing(s), v)
	require.False(t, c.Changed)
	require.NotEmpty(t, c.Failed)
	require.Equal(t, 117, c.Usage.Total())
	require.Len(t, s.requests, 2)
}

// CMP-23: names and arguments stay; a result is cut to 2,000 characters and
// says how many are left out.
func TestTranscript(t *testing.T) {
	s := newScribe(good("x"))
	history := join(one(says("go")), turn("a", "look", words(2_000)), turn("b", "peek", words(1_999)+"漢漢"), turns(0, 50, 1_600))
	mustCompress(t, summarizing(s), viewOf(32_000, history))
	text := s.requests[0].Messages[0].Text()
	require.Contains(t, text, `Call of look: {"n":"a"}`)
	require.Contains(t, text, `Call of peek: {"n":"b"}`)
	require.Contains(t, text, "Result of look: "+words(2_000)+"\n")
	require.Contains(t, text, words(1_999)+"漢[... 1 characters left out ...]")
	require.Empty(t, s.requests[0].Tools)
	require.Equal(t, english.Summarizer, s.requests[0].System)
}

// CMP-28, CMP-E75: a segment that is too long for the summarizer is halved, at
// most three times; nothing is left out.
func TestHalved(t *testing.T) {
	narrow := func(limit int) *scribe {
		s := &scribe{}
		s.answer = func(_ int, req llm.Request) llm.Client {
			if len(told(req.Messages)) > limit {
				return llmtest.Fail(&llm.Error{Kind: llm.ErrContextLength})
			}
			return good("part")
		}
		return s
	}
	history := join(one(says("go")), turns(0, 50, 1_600)) // one segment
	s := narrow(9_000)
	require.True(t, mustCompress(t, summarizing(s), viewOf(32_000, history)).Changed)
	all := ""
	for _, r := range s.requests {
		if text := told(r.Messages); len(text) <= 9_000 {
			all += text
		}
	}
	for i := range 30 {
		require.Contains(t, all, fmt.Sprintf(`{"n":"k%d"}`, i))
	}
	c := mustCompress(t, summarizing(narrow(2_000)), viewOf(32_000, history))
	require.False(t, c.Changed)
	require.Contains(t, c.Failed, "context too long")

	// A fault of configuration is not taken for an overflow.
	s = newScribe(llmtest.Fail(&llm.Error{Kind: llm.ErrBadRequest, Message: "no such model"}))
	require.Contains(t, mustCompress(t, summarizing(s), viewOf(32_000, history)).Failed, "no such model")
	require.Len(t, s.requests, 1)
}

// B139, CMP-13: a history three times as long as the window, after a change to
// a smaller model, is summarized in parts that fit.
func TestThreeWindows(t *testing.T) {
	s := &scribe{speaks: llm.Dialect{Window: 10_000}}
	s.answer = func(_ int, req llm.Request) llm.Client {
		if Count(nil, req, s.speaks) > 10_000 {
			return llmtest.Fail(&llm.Error{Kind: llm.ErrContextLength})
		}
		return good("part")
	}
	v := viewOf(10_000, join(one(says("go")), turns(0, 90, 1_400)))
	v.Client = s
	require.Greater(t, Count(nil, v.Request, v.Dialect), 30_000)
	next := compacted(t, Default(nil, ""), v)
	require.LessOrEqual(t, Count(nil, next.Request, next.Dialect), Trigger(10_000))
	wide := summarizing(nil)
	next = compacted(t, wide, v)
	require.LessOrEqual(t, Count(nil, next.Request, next.Dialect), Trigger(10_000)/2)
	require.NotEmpty(t, s.requests)
	for _, r := range s.requests {
		require.LessOrEqual(t, Count(nil, r, s.speaks), Capacity(10_000))
	}
}

// CMP-14: the numbers of the event are those of the requests.
func TestNumbers(t *testing.T) {
	s := newScribe(good("x"))
	v := viewOf(32_000, join(one(says("go")), turns(0, 50, 1_600)))
	c := mustCompress(t, summarizing(s), v)
	require.Equal(t, []string{"summarize"}, c.Tiers)
	require.Equal(t, Count(nil, v.Request, v.Dialect), c.Before)
	require.Equal(t, 101, c.MessagesBefore)
	next := after(v, c)
	require.Equal(t, Count(nil, next.Request, next.Dialect), c.After)
	require.Len(t, next.Request.Messages, c.MessagesAfter)
	require.Less(t, c.After, c.Before)
	require.Contains(t, s.requests[0].Messages[0].Text(), "at most 1500 words", "a summary of 2,000 tokens: a fifth of what it replaces")
}

// LLM-E15: where reasoning is sent back, a kept message has its own, and what
// is put in has some.
func TestReasoningKept(t *testing.T) {
	for _, echo := range []llm.Echo{llm.EchoAll, llm.EchoCalls} {
		v := viewOf(32_000, nil)
		v.Dialect.EchoReasoning = echo
		for i := range 8 {
			v = v.with(says(fmt.Sprint("question ", i)))
			for _, m := range turns(10*i, 8, 1_200) {
				if m.Role == llm.Assistant {
					m.Parts = append(llm.Parts{llm.Reasoning{Text: "thought " + words(80)}}, m.Parts...)
				}
				v = v.with(m)
			}
			v = v.with(llm.Message{Role: llm.Assistant, Origin: llm.FromModel, Parts: llm.Parts{llm.Reasoning{Text: "so"}, llm.Text("done")}})
		}
		v = v.with(says("last"))
		next := compacted(t, summarizing(newScribe(good("x"))), v) // by the rules of the dialect
		require.Less(t, len(next.Request.Messages), len(v.Request.Messages))
	}
}
