package openai

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// LLM-E9, B105, B108: how long to wait, from headers and from words.
func TestDelay(t *testing.T) {
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	for _, c := range []struct {
		name   string
		header http.Header
		words  string
		want   time.Duration
	}{
		{"seconds", header("Retry-After", "2"), "", 2 * time.Second},
		{"a part of a second", header("Retry-After", "0.25"), "", 250 * time.Millisecond},
		{"a day", header("Retry-After", "86400"), "", 24 * time.Hour},
		{"no number", header("Retry-After", "soon"), "", 0},
		{"negative", header("Retry-After", "-1"), "", 0},
		{"not a number", header("Retry-After", "NaN"), "", 0},
		{"for ever", header("Retry-After", "Inf"), "", math.MaxInt64},
		{"longer than a duration", header("Retry-After", "1e300"), "", math.MaxInt64},
		{"beyond floats", header("Retry-After", "1e400"), "", math.MaxInt64},
		{"milliseconds", header("Retry-After-Ms", "1500"), "", 1500 * time.Millisecond},
		{"Azure's milliseconds", header("X-Ms-Retry-After-Ms", "20"), "", 20 * time.Millisecond},
		{"a zero header, and words", header("Retry-After", "0"), "try again in 3s", 3 * time.Second},
		{"OpenAI", nil, "Rate limit reached. Please try again in 7.66s. Visit https://…", 7660 * time.Millisecond},
		{"OpenAI, long", nil, "Please try again in 1m26.4s.", 86400 * time.Millisecond},
		{"OpenAI, short", nil, "Please try again in 20ms.", 20 * time.Millisecond},
		{"Groq", nil, "Please try again in 1h2m3s. Need more tokens?", time.Hour + 2*time.Minute + 3*time.Second},
		{"Azure", nil, "Please retry after 12 seconds.", 12 * time.Second},
		{"Gemini", nil, "Please retry in 36.703183752s.", 36703183752 * time.Nanosecond},
		{"B108 plain words", nil, "Please wait 7 s.", 7 * time.Second},
		{"minutes", nil, "Try again in 5 minutes", 5 * time.Minute},
		{"Chinese", nil, "请求过快，请在 30 秒后重试", 30 * time.Second},
		{"no wait", nil, "Limit 30000, Requested 40000 in 60s windows", 0},
		{"a limit is no wait", nil, "retry with less than 4000 tokens", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, delay(c.header, complaint{message: c.words}))
		})
	}
}

// LLM-E9, B105: a date, against the clock.
func TestDelayUntilDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(90 * time.Second).UTC()
		require.Equal(t, 90*time.Second, delay(http.Header{"Retry-After": {at.Format(http.TimeFormat)}}, complaint{}))
		past := time.Now().Add(-time.Hour).UTC()
		require.Zero(t, delay(http.Header{"Retry-After": {past.Format(http.TimeFormat)}}, complaint{}))
	})
}
