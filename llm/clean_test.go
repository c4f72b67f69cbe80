package llm_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
	"pgregory.net/rapid"
)

// LLM-E11: the pure half of it; the adapter cleans what it sends.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "größer 漢字 😀\n\t\x7f": "größer 漢字 😀\n\t\x7f", "kept \uFFFD": "kept \uFFFD",
		"a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb", "\xff\x00": "\uFFFD\uFFFD",
		"cut \xe2\x82": "cut \uFFFD\uFFFD", "half \xed\xa0\xbd": "half \uFFFD\uFFFD\uFFFD",
		"\xc0\x80": "\uFFFD\uFFFD", "\xf5\x80\x80\x80": "\uFFFD\uFFFD\uFFFD\uFFFD",
	} {
		require.Equal(t, want, llm.Clean(text), "%q", text)
	}
	clean := strings.Repeat("clean ", 100)
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = llm.Clean(clean) }))
}

// LLM-E11: what is clean stays so, can be sent by anybody, and is the same
// whether the text went through a log before or not.
func TestCleanProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		clean := llm.Clean(text)
		require.True(t, utf8.ValidString(clean))
		require.NotContains(t, clean, "\x00")
		require.Equal(t, clean, llm.Clean(clean))
		data, err := json.Marshal(text)
		require.NoError(t, err)
		var logged string
		require.NoError(t, json.Unmarshal(data, &logged))
		require.Equal(t, clean, llm.Clean(logged))
	})
}
