package openai

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// delayWords find a wait in a provider's words: "try again in 7.66s", "wait 7
// seconds", "retry after 2m30s", "请在 30 秒后重试".
var delayWords = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(?:retry|try again|wait|available|resets?)[^.\d\n]{0,40}?((?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ms|s))\b`),
	regexp.MustCompile(`(?i)(?:retry|try again|wait|available|resets?)[^.\d\n]{0,40}?(\d+(?:\.\d+)?) *(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)\b`),
	regexp.MustCompile(`(\d+(?:\.\d+)?) *(秒|分钟|小时)后`),
}

var delayUnits = map[string]time.Duration{
	"ms": time.Millisecond, "milli": time.Millisecond, "s": time.Second, "sec": time.Second, "秒": time.Second,
	"m": time.Minute, "min": time.Minute, "分钟": time.Minute, "h": time.Hour, "hr": time.Hour, "hour": time.Hour, "小时": time.Hour,
}

// delay returns how long a provider asks to wait: by its headers, else by its
// words. Times in the past and negative values ask for nothing.
func delay(h http.Header, c complaint) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d := seconds(h.Get(name), time.Millisecond); d > 0 {
			return d
		}
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if d := seconds(after, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), 0)
	}
	if c.wait > 0 {
		return c.wait
	}
	return named(c.message)
}

// named returns the wait that a text names.
func named(text string) time.Duration {
	if m := delayWords[0].FindStringSubmatch(text); m != nil {
		if d := spelled(m[1]); d > 0 {
			return d
		}
	}
	for _, form := range delayWords[1:] {
		if m := form.FindStringSubmatch(text); m != nil {
			return seconds(m[1], unitOf(m[2]))
		}
	}
	return 0
}

func unitOf(name string) time.Duration {
	name = strings.ToLower(name)
	if unit, ok := delayUnits[name]; ok {
		return unit
	}
	for _, stem := range []string{"milli", "sec", "min", "hour", "hr"} {
		if strings.HasPrefix(name, stem) {
			return delayUnits[stem]
		}
	}
	return 0
}

// spelled reads a duration as Go spells it: "7s", "1m2.5s"; 0 if it is none.
func spelled(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return max(d, 0)
}

// seconds reads a number of units; 0 if it is none, or negative. What is longer
// than a duration can be is the longest.
func seconds(number string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if math.IsNaN(f) || err != nil && !math.IsInf(f, 1) || f <= 0 {
		return 0
	}
	if f *= float64(unit); f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(f)
}
