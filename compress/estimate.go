package compress

import (
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
	"unsafe"

	"github.com/triad-go/triad/llm"
)

// An Estimator counts the tokens of a text. JSON says that the text is JSON by
// its place, such as the arguments of a call; an exact tokenizer need not care.
// An empty text is 0, and a part of a text never counts more than the whole.
// Many goroutines may use it at once.
type Estimator interface {
	Tokens(text string, json bool) int
}

// Characters is the [Estimator] that is used where none is given. It counts
// characters by their kind: those of Chinese, Japanese and Korean are 2/3 of a
// token, an emoji is one, and all others are 1/4, or 1/3 in JSON. The sum is
// rounded up.
type Characters struct{}

// Tokens implements [Estimator].
func (Characters) Tokens(text string, json bool) int {
	var wide, emoji, other int
	for i := 0; i < len(text); {
		if n := ascii(text[i:]); n > 0 {
			other += n
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case isWide(r):
			wide++
		case isEmoji(r):
			emoji++
		default:
			other++
		}
	}
	if json {
		return (2*wide + 3*emoji + other + 2) / 3
	}
	return (8*wide + 12*emoji + 3*other + 11) / 12
}

// ascii returns how many ASCII characters a text begins with. Nearly all text is
// that, so it is read eight bytes at a time.
func ascii(s string) (n int) {
	for b := bytesOf(s); n+8 <= len(b) && binary.LittleEndian.Uint64(b[n:])&0x8080808080808080 == 0; {
		n += 8
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// bytesOf returns the bytes of s, which must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// isWide tells whether r is Chinese, Japanese or Korean: ideographs, Kana,
// Hangul, their punctuation and full-width signs.
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11FF, r >= 0x2E80 && r <= 0xA4CF, r >= 0xA960 && r <= 0xA97F, r >= 0xAC00 && r <= 0xD7FF,
		r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE4F, r >= 0xFF00 && r <= 0xFFEF, r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}

func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF || r >= 0x2300 && r <= 0x23FF
}

const (
	perMessage = 4
	perImage   = 1200 // whatever its size: providers count by the pixel, and never the base64
)

// Count returns what e makes of a whole request to a client of dialect d:
// system text, definitions of tools, the schema of the reply, and the messages
// with their calls, results, images and that reasoning which d sends back. Nil
// is [Characters].
func Count(e Estimator, req llm.Request, d llm.Dialect) int {
	c := counter{or(e, Estimator(Characters{})), d}
	sum := c.system(req.System) + c.tools(req.Tools) + c.format(req.Format)
	for _, m := range req.Messages {
		sum += c.message(m)
	}
	return sum
}

// A counter counts for one dialect.
type counter struct {
	Estimator
	dialect llm.Dialect
}

func (c counter) text(s string) int { return c.Tokens(s, false) }

func (c counter) system(s string) int {
	if s == "" {
		return 0
	}
	return perMessage + c.text(s)
}

func (c counter) tools(specs []llm.Spec) (sum int) {
	for _, s := range specs {
		sum += c.text(s.Name) + c.text(s.Description) + c.Tokens(string(s.Schema), true)
	}
	return sum
}

func (c counter) format(f *llm.Format) int {
	if f == nil {
		return 0
	}
	return c.Tokens(string(f.Schema), true)
}

func (c counter) message(m llm.Message) int {
	sum, echo := perMessage, c.echoes(m)
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			sum += c.text(string(p))
		case llm.Image:
			sum += perImage
		case llm.Reasoning:
			if c.sealed(p.Seal) {
				sum += c.Tokens(p.Seal.Data, true)
			} else if echo {
				sum += c.text(p.Text)
			}
		case llm.ToolCall:
			sum += c.text(p.Name) + c.Tokens(p.Arguments, true)
			if c.sealed(p.Seal) {
				sum += c.Tokens(p.Seal.Data, true)
			}
		case llm.ToolResult:
			sum += c.result(p)
		}
	}
	return sum
}

func (c counter) result(r llm.ToolResult) int {
	return c.Tokens(r.Text, isJSON(r.Text)) + perImage*len(r.Images)
}

func (c counter) echoes(m llm.Message) bool {
	switch c.dialect.EchoReasoning {
	case llm.EchoAll:
		return true
	case llm.EchoCalls:
		return len(m.Calls()) > 0
	}
	return false
}

// sealed tells whether a seal goes back to its maker.
func (c counter) sealed(s llm.Seal) bool {
	maker := or(c.dialect.Maker, c.dialect.Name)
	return s.Data != "" && maker != "" && s.Maker == maker
}

func isJSON(s string) bool {
	for i := range len(s) {
		switch b := s[i]; b {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[', '"', '-', 't', 'f', 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return json.Valid(bytesOf(s))
		default:
			return false
		}
	}
	return false
}

// or returns v, or otherwise where v is the zero value.
func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
