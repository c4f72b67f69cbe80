package compress

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
)

func compacted(t *testing.T, tiers *Tiers, v View) View {
	t.Helper()
	require.NoError(t, llmtest.Validate(v.Request))
	c, err := tiers.Compress(t.Context(), v)
	require.NoError(t, err)
	next := after(v, c)
	require.NoError(t, llmtest.Rules{Dialect: v.Dialect}.Validate(next.Request))
	return next
}

func results(messages []llm.Message) (all []llm.ToolResult) {
	for _, m := range messages {
		all = append(all, m.Results()...)
	}
	return all
}

var clearing = &Tiers{Clear: &Clear{Trigger: Bound{Tokens: 1}}}

// CMP-04: of five results two are cleared; short, protected and cleared ones
// are left alone.
func TestClear(t *testing.T) {
	v := viewOf(8_192, join(one(says("go")), turns(0, 5, 4_000)))
	next := compacted(t, clearing, v)
	for i, r := range results(next.Request.Messages) {
		require.Equal(t, i < 2, r.Text != words(4_000), i)
	}

	v = viewOf(8_192, join(one(says("go")),
		turn("a", "look", words(4_000)), turn("b", "look", words(399)), turn("c", "LOAD_SKILL", words(4_000)), turn("d", "look", words(4_000)),
		turns(0, 3, 400)))
	next = compacted(t, clearing, v)
	for i, r := range results(next.Request.Messages) {
		require.Equal(t, i == 0 || i == 3, strings.HasPrefix(r.Text, "[The result of look"), i)
	}
	// At 400 it is cleared.
	v = viewOf(1_024, join(one(says("go")), turns(0, 6, 400)))
	next = compacted(t, clearing, v)
	require.NotEqual(t, words(400), results(next.Request.Messages)[0].Text)
}

// CMP-E79: a placeholder is known by its origin; it names tool and length, and
// says to call again. Number of messages and ids stay, twice is once.
func TestPlaceholder(t *testing.T) {
	v := viewOf(8_192, join(one(says("go")), turns(0, 5, 4_000)))
	next := compacted(t, clearing, v)
	require.Len(t, next.Request.Messages, len(v.Request.Messages))
	was, is := results(v.Request.Messages), results(next.Request.Messages)
	for i := range was {
		require.Equal(t, was[i].CallID, is[i].CallID)
		require.Equal(t, was[i].Name, is[i].Name)
	}
	require.Equal(t, llm.FromSummary, next.Request.Messages[2].Origin)
	require.Equal(t, llm.Tool, next.Request.Messages[2].Role)
	require.Contains(t, is[0].Text, "look")
	require.Contains(t, is[0].Text, "4000 characters")
	require.Contains(t, is[0].Text, "Call look again")

	forced := &Tiers{Clear: &Clear{Trigger: Bound{Tokens: 1}, Free: Bound{Tokens: 1}}}
	next.Memory = &Memory{}
	c, err := forced.Compress(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, Compaction{}, c)

	// A result, and a user's words, that read like a placeholder are none.
	forged := strings.Repeat(is[0].Text, 20)
	v = viewOf(8_192, join(one(says(is[0].Text)), turn("a", "look", forged), turns(0, 5, 4_000)))
	next = compacted(t, clearing, v)
	require.Equal(t, is[0].Text, next.Request.Messages[0].Text())
	require.Contains(t, results(next.Request.Messages)[0].Text, fmt.Sprintf("%d characters", len(forged)))
}

// CMP-E79: the placeholder of an offloaded result names its id.
func TestPlaceholderNamesID(t *testing.T) {
	dir := t.TempDir()
	tiers := &Tiers{Offload: &Offload{Dir: dir}, Clear: &Clear{Trigger: Bound{Tokens: 1}, Free: Bound{Tokens: 1}}}
	v := viewOf(400_000, join(one(says("go")), turn("a", "look", words(40_000)), turns(0, 3, 4_000)))
	next := compacted(t, tiers, v)
	first := results(next.Request.Messages)[0].Text
	id := anyID.FindString(first)
	require.NotEmpty(t, id)
	require.Contains(t, first, "removed to save room")
	text, err := store{dir}.text("run-1", id)
	require.NoError(t, err)
	require.Equal(t, words(40_000), text)

	// An id that the run's store does not have is not named.
	v = viewOf(400_000, join(one(says("go")), turn("a", "look", "res_aaaaaaaaaaaaaaaaaaaa "+words(4_000)), turns(0, 3, 4_000)))
	next = compacted(t, tiers, v)
	require.Empty(t, anyID.FindString(results(next.Request.Messages)[0].Text))
}

// CMP-19, SKL-06: a skill's text is unchanged after 20 turns and a summary.
func TestSkillStays(t *testing.T) {
	skill := "SKILL " + words(3_000)
	v := viewOf(32_000, join(one(says("go")), turn("s", "load_skill", skill), turns(0, 20, 5_000)))
	next := compacted(t, Default(nil, ""), v)
	require.Equal(t, skill, results(next.Request.Messages)[0].Text)

	for round := range 2 { // the second carries over what was carried
		next = next.with(turns(100*(round+1), 30, 4_000)...)
		next = compacted(t, &Tiers{Summarize: &Summarize{Client: newScribe(good("x"))}}, next)
		require.Equal(t, 1, strings.Count(told(next.Request.Messages), skill))
		require.LessOrEqual(t, Count(nil, next.Request, next.Dialect), 10_000)
	}
}

// CMP-19: where not all protected texts have room, the newest are carried.
func TestSkillsNewestFirst(t *testing.T) {
	v := viewOf(32_000, one(says("go")))
	for i := range 6 {
		v = v.with(turn(fmt.Sprint("s", i), "load_skill", fmt.Sprintf("SKILL-%d %s", i, words(8_000)))...)
	}
	v = v.with(turns(0, 20, 1_600)...)
	next := compacted(t, &Tiers{Summarize: &Summarize{Client: newScribe(good("x"))}}, v)
	text := told(next.Request.Messages)
	require.Contains(t, text, "SKILL-5")
	require.Contains(t, text, "SKILL-4")
	require.NotContains(t, text, "SKILL-0")
}

// CMP-E83: clearing does nothing if it frees less than a tenth of T.
func TestClearsEnoughAtOnce(t *testing.T) {
	history := one(says("go"))
	for i := range 40 {
		history = append(history, turns(i, 1, 600)...)
		history = append(history, replies(words(1_600)), note(llm.FromReminder, "go on"))
	}
	v := viewOf(32_000, history) // 17,000 tokens, of which results have 5,500
	require.Equal(t, Compaction{}, mustCompress(t, Default(nil, ""), viewOf(32_000, history[:89])), "19 results free 1,700")
	c := mustCompress(t, &Tiers{Clear: &Clear{}}, v)
	require.Equal(t, []string{"clear"}, c.Tiers)
	require.GreaterOrEqual(t, c.Before-c.After, 2_000)
}

func mustCompress(t *testing.T, tiers *Tiers, v View) Compaction {
	t.Helper()
	c, err := tiers.Compress(t.Context(), v)
	require.NoError(t, err)
	return c
}

// CMP-17, CMP-18: age 4 is kept, 5 replaced, by JSON with name and summary.
func TestAge(t *testing.T) {
	tiers := &Tiers{Age: &Age{}}
	v := viewOf(200_000, join(one(says("go")), turns(0, 6, 1_000)))
	next := compacted(t, tiers, v)
	for i, r := range results(next.Request.Messages) {
		require.Equal(t, i > 0, r.Text == words(1_000), "%d is %d turns old", i, 5-i)
	}
	var placeholder struct {
		Tool, Summary string
		Length        int
	}
	require.NoError(t, json.Unmarshal([]byte(results(next.Request.Messages)[0].Text), &placeholder))
	require.Equal(t, "look", placeholder.Tool)
	require.Equal(t, 1_000, placeholder.Length)
	require.True(t, strings.HasPrefix(words(1_000), placeholder.Summary))
	require.NotEmpty(t, placeholder.Summary)

	require.Equal(t, Compaction{}, mustCompress(t, tiers, next), "twice is once")
	fresh := next
	fresh.Memory = &Memory{}
	require.Equal(t, Compaction{}, mustCompress(t, tiers, fresh))
	next = compacted(t, tiers, next.with(turns(6, 1, 1_000)...))
	require.NotEqual(t, words(1_000), results(next.Request.Messages)[1].Text, "the next one, a turn later")
	require.Nil(t, Default(nil, "").Age, "off by default")
	require.Nil(t, Lean(nil, "").Age)
}

// CMP-18, CMP-E77: arguments stay JSON and whole characters; 200 are kept.
func TestCutArguments(t *testing.T) {
	mark := english.CutArgument
	for name, in := range map[string]string{
		"200 kept":     `{"a":"` + strings.Repeat("x", 200) + `"}`,
		"200 of CJK":   `{"a":"` + strings.Repeat("漢", 200) + `"}`,
		"no JSON":      `{"a":"` + strings.Repeat("x", 500),
		"numbers":      `{"a": 12345678901234567890.10, "b":[1e400]}`,
		"long name":    `{"` + strings.Repeat("x", 300) + `" : 1}`,
		"escaped 200":  `{"a":"` + strings.Repeat(`\u6f22`, 200) + `"}`,
		"cut before":   cutArguments(`{"a":"`+strings.Repeat("x", 201)+`"}`, 200, mark),
		"empty object": `{}`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, in, cutArguments(in, 200, mark)) })
	}
	for name, text := range map[string]string{
		"201": strings.Repeat("x", 201), "multi-byte": strings.Repeat("漢", 201), "emoji": strings.Repeat("🔬", 5_000),
		"quotes": strings.Repeat(`"\`, 300), "lines": strings.Repeat("a\n", 300),
	} {
		t.Run(name, func(t *testing.T) {
			nested, err := json.Marshal(map[string]any{"deep": []any{map[string]any{"text": text, "n": 1}}, "z": "short"})
			require.NoError(t, err)
			out := cutArguments(string(nested), 200, mark)
			var got struct {
				Deep []struct {
					Text string
					N    int
				}
				Z string
			}
			require.NoError(t, json.Unmarshal([]byte(out), &got), out)
			require.Equal(t, "short", got.Z)
			require.Equal(t, 1, got.Deep[0].N)
			cut := []rune(got.Deep[0].Text)
			require.LessOrEqual(t, len(cut), 200)
			require.Contains(t, got.Deep[0].Text, "characters cut]")
			require.True(t, strings.HasPrefix(text, string(cut[:100])))
		})
	}
}

// CMP-18: only arguments of old turns are cut, and never those of protected tools.
func TestCutOldArguments(t *testing.T) {
	v := viewOf(200_000, one(says("go")))
	long := `{"content":"` + words(1_000) + `"}`
	for i := range 7 {
		name := "write"
		if i == 1 {
			name = "load_skill"
		}
		v = v.with(calls(llm.ToolCall{ID: fmt.Sprint(i), Name: name, Arguments: long}), llm.Results(llm.ToolResult{CallID: fmt.Sprint(i), Name: name, Text: "ok"}))
	}
	next := compacted(t, &Tiers{Age: &Age{}}, v)
	for i := range 7 {
		require.Equal(t, i != 0, next.Request.Messages[1+2*i].Calls()[0].Arguments == long, i)
	}
}
