package openai

import (
	"math"
	"strconv"
	"strings"

	"github.com/triad-go/triad/llm"
)

// naiveUsage returns what a body reports.
func naiveUsage(body string) llm.Usage {
	chunks, _, _ := naiveChunks(body)
	return naiveUsageOf(chunks)
}

func naiveUsageOf(chunks []naiveMap) (u llm.Usage) {
	total := 0
	for _, chunk := range chunks {
		places := []any{chunk["usage"], asObject(chunk["x_groq"])["usage"]}
		for _, choice := range list(chunk["choices"]) {
			places = append(places, asObject(choice)["usage"])
		}
		for _, place := range places {
			usage := asObject(place)
			tell := func(to *int, names ...string) {
				most := 0
				for _, name := range names {
					outer, inner, nested := strings.Cut(name, ".")
					v := usage[outer]
					if nested {
						v = asObject(v)[inner]
					}
					if f, err := strconv.ParseFloat(word(v), 64); err == nil && f > 0 && f < math.MaxInt32 {
						most = max(most, int(f))
					}
				}
				if most > 0 {
					*to = most
				}
			}
			tell(&u.Input, "prompt_tokens", "input_tokens")
			tell(&u.Output, "completion_tokens", "output_tokens")
			tell(&total, "total_tokens")
			tell(&u.Cached, "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens", "num_cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
			tell(&u.Reasoning, "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens", "reasoning_tokens")
		}
	}
	if u.Input+u.Output == 0 {
		return llm.Usage{}
	}
	if u.Input == 0 {
		u.Input = max(0, total-u.Output)
	}
	u.Output = max(u.Output, total-u.Input)
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	u.Cached = min(u.Cached, u.Input)
	return u
}
