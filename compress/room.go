package compress

import (
	"fmt"
	"math"

	"github.com/triad-go/triad/llm"
)

// Trigger returns T, the size of a request in tokens at which the history is
// summarized: the window less 20,000 tokens for the reply (a quarter of a small
// window) and 13,000 in reserve (an eighth).
func Trigger(window int) int { return Capacity(window) - min(13_000, window/8) }

// Capacity returns the largest request, in tokens, that is still sent: the
// window less 20,000 tokens for the reply, or a quarter of a small window.
func Capacity(window int) int { return window - min(20_000, window/4) }

// Room returns how many tokens a request has left until its history is
// summarized: [Trigger] less system text, definitions of tools and history, as
// [Characters] counts them. Less than 0 is over.
func Room(req llm.Request, d llm.Dialect) int {
	return Trigger(d.ContextWindow()) - Count(nil, req, d)
}

// A Bound is a number of tokens that depends on the window: at most Tokens, and
// at most that Share of T (see [Trigger]). A field that is 0 does not bound; a
// Bound of which both are 0 is not set, and the field that holds it says what
// holds then.
type Bound struct {
	Tokens int
	Share  float64
}

// of returns the bound for a T; t itself is the most.
func (b Bound) of(t int) int {
	n := t
	if b.Tokens > 0 {
		n = min(n, b.Tokens)
	}
	if b.Share > 0 {
		n = min(n, int(b.Share*float64(t)+1e-6)) // 0.6 of 20,000 is 12,000, not one less
	}
	return n
}

func (b Bound) validate() error {
	if b.Tokens < 0 || !(b.Share >= 0 && b.Share <= 1) { // so that NaN is refused
		return fmt.Errorf("%d tokens or %v of T: must be 0 or more, and 1 or less", b.Tokens, b.Share)
	}
	return nil
}

// clamp keeps a ratio of reported to estimated tokens within what is believed.
func clamp(ratio float64) float64 {
	if math.IsNaN(ratio) {
		return 1
	}
	return min(max(ratio, 0.5), 3)
}
