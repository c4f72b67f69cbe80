package compress

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

// CMP-34: a result over min(8,000, T/8) tokens becomes a preview of at most
// min(700, T/30) on arrival.
func TestLeanPreview(t *testing.T) {
	for window, want := range map[int][2]int{200_000: {8_000, 700}, 32_000: {2_500, 666}, 8_192: {640, 170}} {
		t.Run(fmt.Sprintf("CMP-34 %d", window), func(t *testing.T) {
			stays := viewOf(window, join(one(says("go")), turn("k", "look", words(4*min(want[0], 8_000)))))
			require.False(t, mustCompress(t, Lean(nil, t.TempDir()), stays).Changed)
			goes := viewOf(window, join(one(says("go")), turn("k", "look", words(4*want[0]+4))))
			c, got := offloaded(t, Lean(nil, t.TempDir()), goes)
			require.Equal(t, []string{"offload"}, c.Tiers)
			require.NotEmpty(t, anyID.FindString(got))
			require.LessOrEqual(t, Characters{}.Tokens(got, false), want[1])
			require.Greater(t, Characters{}.Tokens(got, false), want[1]*7/10)
		})
	}
}

// CMP-34: old results are cleared as soon as min(16,000, T/6) tokens can be
// freed, and never because of the context's size alone. The newest six that
// hold at most T/10 stay, and the last turn's whatever they hold.
func TestLeanClears(t *testing.T) {
	tiers := Lean(nil, "")
	v := viewOf(200_000, one(says("go")))
	frees := 0
	for i := 0; ; i++ {
		v = v.with(turns(i, 1, 8_000)...)
		if i >= 6 {
			frees += 2_000 - clearedTokens
		}
		c := mustCompress(t, tiers, v)
		require.Equal(t, frees >= 16_000, c.Changed, "%d can be freed", frees)
		if c.Changed {
			require.Equal(t, []string{"clear"}, c.Tiers)
			kept := 0
			for _, r := range results(after(v, c).Request.Messages) {
				if r.Text == words(8_000) {
					kept++
				}
			}
			require.Equal(t, 6, kept)
			break
		}
	}
	// Six of 4,000 tokens are more than T/10: four of them stay.
	v = viewOf(200_000, join(one(says("go")), turns(0, 16, 16_000)))
	next := compacted(t, tiers, v)
	kept := 0
	for _, r := range results(next.Request.Messages) {
		if r.Text == words(16_000) {
			kept++
		}
	}
	require.Equal(t, 4, kept)

	// A large context without results to free is left alone.
	v = viewOf(200_000, one(says("go")))
	for range 50 {
		v = v.with(replies(words(3_000)), note(llm.FromReminder, words(3_000)))
	}
	require.Greater(t, Count(nil, v.Request, v.Dialect), 75_000)
	require.False(t, mustCompress(t, tiers, v).Changed)
}

// CMP-34: a summary is made at min(T, 100,000), and the newest units up to
// min(8,000, T/8) stay.
func TestLeanSummary(t *testing.T) {
	for window, trigger := range map[int]int{200_000: 100_000, 1_000_000: 100_000, 64_000: 40_000} {
		t.Run(fmt.Sprintf("CMP-34 %d", window), func(t *testing.T) {
			s := newScribe(good("x"))
			v := viewOf(window, one(says("go")))
			for range 60 {
				v = v.with(replies(words(3_000)), note(llm.FromReminder, words(3_000)))
			}
			v.Reported, v.Covers = trigger-1, len(v.Request.Messages)
			require.False(t, mustCompress(t, Lean(s, ""), v).Changed)
			v.Reported = trigger
			c := mustCompress(t, Lean(s, ""), v)
			require.Equal(t, []string{"summarize"}, c.Tiers)
			ratio := v.Memory.ratio
			kept := float64(Count(nil, llm.Request{Messages: after(v, c).Request.Messages[1:]}, v.Dialect)) * ratio
			require.LessOrEqual(t, kept, 8_000.0)
			require.Greater(t, kept, 3_000.0)
		})
	}
}

// CMP-35: Cached is the default in Lean, an option elsewhere; a client of
// another kind, or one of its own, gets segments.
func TestCachedIsForTheRunsOwn(t *testing.T) {
	require.True(t, Lean(nil, "").Summarize.Cached)
	require.False(t, Default(nil, "").Summarize.Cached)
	history := join(one(says("go")), turns(0, 50, 1_600))
	own, other := newScribe(good("x")), newScribe(good("x"))
	for name, c := range map[string]struct {
		client llm.Client
		asked  *scribe
		cached bool
	}{"none": {nil, own, true}, "the same": {own, own, true}, "another": {other, other, false}} {
		t.Run(name, func(t *testing.T) {
			v := viewOf(32_000, history)
			v.Client = own
			n := len(c.asked.requests)
			require.True(t, mustCompress(t, &Tiers{Summarize: &Summarize{Client: c.client, Cached: true}}, v).Changed)
			r := c.asked.requests[n]
			require.Equal(t, c.cached, r.Choice == llm.ChoiceNone)
			if c.cached {
				require.Equal(t, history, r.Messages[:len(history)])
				require.Len(t, r.Messages, len(history)+1)
				require.Equal(t, v.Request.Tools, r.Tools)
			}
		})
	}
	// Two clients that can't be compared are two.
	fn := llm.ClientFunc(own.Stream)
	v := viewOf(32_000, history)
	v.Client = fn
	require.True(t, mustCompress(t, &Tiers{Summarize: &Summarize{Client: fn, Cached: true}}, v).Changed)
}

// B048: "keep the last" never leaves a result without its call before it.
func TestKeepLast(t *testing.T) {
	v := viewOf(32_000, join(turns(0, 50, 1_600), one(says("first")), turn("k1", "look", "x"), one(replies("a"), says("b"))))
	v.Request.Messages = append(one(says("go")), v.Request.Messages...)
	for n := 1; n < 9; n++ {
		tiers := &Tiers{Summarize: &Summarize{Client: newScribe(llmtest.Fail(&llm.Error{Kind: llm.ErrConnection}))}}
		w := tiers.begin(v)
		p := w.look(tiers.Summarize, w.t)
		w.settle(&p, w.t/2, 100, w.t, 1<<30, n)
		require.NoError(t, llmtest.Validate(llm.Request{Messages: w.rebuilt(&p, "x")}), n)
	}
}

// GEN-09: with every text replaced, no English is left in what a model reads.
func TestTextsReplaced(t *testing.T) {
	texts := Texts{}
	f := reflect.ValueOf(&texts).Elem()
	for i := range f.NumField() {
		f.Field(i).SetString(fmt.Sprintf("§%d{id}{head}{tail}{summary}{text}{arguments}", i))
	}
	plain := strings.NewReplacer("{id}", "", "{head}", "", "{tail}", "", "{summary}", "", "{text}", "", "{arguments}", "")
	s := &scribe{}
	s.answer = func(n int, req llm.Request) llm.Client {
		if n == 0 {
			return llmtest.Text("x")
		}
		return llmtest.Text(strings.Join([]string{texts.Goal, "x", texts.Done, "y", texts.Decisions, "z", texts.Open, "w"}, "\n"))
	}
	tiers := Default(s, t.TempDir())
	tiers.Texts = texts
	v := viewOf(32_000, join(one(says(strings.Repeat("1", 9_000))), turn("s", "load_skill", "7"), turn("x", "look", strings.Repeat("2", 40_000)), turns(0, 5, 8)))
	for i := range 60 {
		v = v.with(turn(fmt.Sprint("t", i), "look", strings.Repeat("3", 2_500))...)
		c := mustCompress(t, tiers, v)
		v = after(v, c)
	}
	tiers.Clear = nil // so that there is a summary too
	v = v.with(turns(1_000, 60, 8)...)
	for i := range 40 {
		v = v.with(turn(fmt.Sprint("u", i), "look", strings.Repeat("4", 2_500))...)
	}
	v = after(v, mustCompress(t, tiers, v))
	require.NotEmpty(t, s.requests)
	all := told(v.Request.Messages)
	for _, r := range s.requests {
		all += r.System + told(r.Messages)
	}
	for i := range f.NumField() {
		word := reflect.ValueOf(english).Field(i).String()
		if first, _, _ := strings.Cut(plain.Replace(word), "{"); len(strings.TrimSpace(first)) > 5 {
			require.NotContains(t, all, strings.TrimSpace(first), f.Type().Field(i).Name)
		}
	}
	require.NotContains(t, tiers.Tools()[0].Description, "Reads a page")
}

func FuzzCutArguments(f *testing.F) {
	for _, s := range []string{`{"a":"` + strings.Repeat("漢", 300) + `"}`, `{"a\"b":["\\",1e9,"` + strings.Repeat(`\n`, 300) + `"]}`, `"`, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := cutArguments(in, 200, english.CutArgument)
		if !json.Valid([]byte(in)) {
			require.Equal(t, in, out)
			return
		}
		require.True(t, json.Valid([]byte(out)))
		require.Equal(t, out, cutArguments(out, 200, english.CutArgument))
	})
}

func FuzzSections(f *testing.F) {
	f.Add(summaryOf("x"), 200)
	f.Add("## Goal and requests\n"+words(4_000), 50)
	f.Fuzz(func(t *testing.T, in string, size int) {
		m := &summarizer{work: &work{Tiers: &Tiers{}, counter: counter{Characters{}, llm.Dialect{}}}, size: 50 + (size & 0xfff)}
		bodies, ok := m.parse(in)
		if !ok {
			return
		}
		text := m.bounded(bodies)
		require.LessOrEqual(t, Characters{}.Tokens(text, false), m.size)
		_, ok = m.parse(text)
		require.True(t, ok, "it is still one")
	})
}
