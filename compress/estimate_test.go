package compress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// CMP-08, CMP-E82: characters are counted by their kind.
func TestCharacters(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		json bool
		want int
	}{
		"empty":                         {"", false, 0},
		"empty JSON":                    {"", true, 0},
		"300 Chinese":                   {strings.Repeat("漢", 300), false, 200},
		"300 Kana":                      {strings.Repeat("かナ", 150), false, 200},
		"300 Hangul":                    {strings.Repeat("한", 300), false, 200},
		"300 full-width":                {strings.Repeat("Ａ！", 150), false, 200},
		"400 ASCII":                     {strings.Repeat("a", 400), false, 100},
		"400 accented":                  {strings.Repeat("é", 400), false, 100},
		"300 of JSON":                   {strings.Repeat("a", 300), true, 100},
		"300 Chinese in JSON":           {strings.Repeat("漢", 300), true, 200},
		"10 emoji":                      {strings.Repeat("🔬", 10), false, 10},
		"10 emoji in JSON":              {strings.Repeat("🚀", 10), true, 10},
		"rounded up":                    {"a", false, 1},
		"rounded up once, not by kind":  {"漢aa", false, 2}, // 2/3 + 2/4
		"a mix":                         {strings.Repeat("漢", 3) + "🔬" + strings.Repeat("a", 8), false, 5},
		"a mix in JSON":                 {strings.Repeat("漢", 3) + "🔬" + strings.Repeat("a", 9), true, 6},
		"bytes that are no characters":  {"\xff\xfe\xfd\xfc", false, 1},
		"an ideograph of the far plane": {"𠀀𠀀𠀀", false, 2},
	} {
		t.Run("CMP-08 CMP-E82 "+name, func(t *testing.T) {
			require.Equal(t, c.want, Characters{}.Tokens(c.text, c.json))
		})
	}
}

// CMP-08: results that are valid JSON count as JSON, others do not.
func TestResultsThatAreJSON(t *testing.T) {
	c := counter{Characters{}, llm.Dialect{}}
	require.Equal(t, 100, c.result(llm.ToolResult{Text: `["` + strings.Repeat("a", 296) + `"]`}))
	require.Equal(t, 75, c.result(llm.ToolResult{Text: `["` + strings.Repeat("a", 298)}))
	require.Equal(t, 75, c.result(llm.ToolResult{Text: strings.Repeat("a", 300)}))
	require.Equal(t, 1, c.result(llm.ToolResult{Text: " 17"}))
}

// CMP-09: each part of a request raises the estimate by its share.
func TestCount(t *testing.T) {
	base := llm.Request{Messages: []llm.Message{says(words(40))}}
	count := func(d llm.Dialect, change func(*llm.Request)) int {
		r := base
		change(&r)
		return Count(nil, r, d) - Count(nil, base, d)
	}
	add := func(m llm.Message) func(*llm.Request) {
		return func(r *llm.Request) { r.Messages = append(r.Messages[:1:1], m) }
	}
	none, all, some := llm.Dialect{}, llm.Dialect{EchoReasoning: llm.EchoAll}, llm.Dialect{EchoReasoning: llm.EchoCalls}
	thought := llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: words(400)}, llm.Text(words(40))}}
	called := llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: words(400)}, llm.ToolCall{Name: "look", Arguments: `{"a":"` + words(292) + `"}`}}}
	sealed := llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.Reasoning{Text: words(400), Seal: llm.Seal{Maker: "m", Data: words(300)}}}}
	image := llm.Image{MediaType: "image/png", Data: make([]byte, 1<<20)}

	require.Equal(t, 14, Count(nil, base, none), "4 for the message and 10 for its text")
	require.Equal(t, 104, count(none, func(r *llm.Request) { r.System = words(400) }))
	require.Equal(t, 1+10+100, count(none, func(r *llm.Request) {
		r.Tools = []llm.Spec{{Name: "look", Description: words(40), Schema: []byte(`{"a":"` + words(292) + `"}`)}}
	}))
	require.Equal(t, 100, count(none, func(r *llm.Request) { r.Format = &llm.Format{Schema: []byte(`["` + words(296) + `"]`)} }))
	require.Equal(t, 14, count(none, add(thought)), "reasoning that is not sent")
	require.Equal(t, 114, count(all, add(thought)))
	require.Equal(t, 14, count(some, add(thought)), "only with calls")
	require.Equal(t, 4+1+100, count(none, add(called)))
	require.Equal(t, 4+1+100+100, count(some, add(called)))
	require.Equal(t, 4, count(none, add(sealed)))
	require.Equal(t, 104, count(llm.Dialect{Maker: "m"}, add(sealed)), "a seal that goes back to its maker")
	require.Equal(t, 4+1200, count(none, add(llm.Message{Role: llm.User, Parts: llm.Parts{image}})), "never its base64")
	require.Equal(t, 4+25+2400, count(none, add(llm.Results(llm.ToolResult{Text: words(100), Images: []llm.Image{image, image}}))))
}

// B150: text of one token a character is not counted as a quarter of it.
func TestChineseInTime(t *testing.T) {
	text := strings.Repeat("漢字文🔬", 5000)
	n := Count(nil, llm.Request{Messages: []llm.Message{says(text)}}, llm.Dialect{})
	require.Greater(t, n, 10_000)
	require.Less(t, n, 40_000)
	// With no usage report, the history is summarized in time.
	history := join(one(says("start")), turn("a", "look", text[:len(text)/4]), one(says(text)), turn("b", "look", "ok"))
	c, err := Default(newScribe(good("x")), "").Compress(t.Context(), viewOf(24_000, history))
	require.NoError(t, err)
	require.Contains(t, c.Tiers, "summarize")
}

// fixedTokens is a tokenizer of a caller's.
type fixedTokens struct{ each int }

func (f fixedTokens) Tokens(text string, _ bool) int { return f.each * len(text) }

// An exact tokenizer takes the place of the estimate.
func TestOwnEstimator(t *testing.T) {
	require.Equal(t, 4+80, Count(fixedTokens{2}, llm.Request{Messages: []llm.Message{says(words(40))}}, llm.Dialect{}))
}
