package openai

import "github.com/triad-go/triad/llm"

// reported is what a provider says of a request's tokens. Some send it once,
// some with every chunk as running totals, some in two halves: the last count
// of each kind holds, and 0 or null says nothing.
type reported struct {
	input, output, total, cached, reasoning int
}

// add takes in one usage object; any other value is passed over.
func (r *reported) add(usage value) {
	var cached, reasoning int
	for name, member := range usage.members() {
		switch string(name) {
		case "prompt_tokens", "input_tokens":
			last(&r.input, member.count())
		case "completion_tokens", "output_tokens":
			last(&r.output, member.count())
		case "total_tokens":
			last(&r.total, member.count())
		case "prompt_tokens_details", "input_tokens_details":
			cached = max(cached, member.member("cached_tokens").count())
		case "cached_tokens", "num_cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens":
			cached = max(cached, member.count())
		case "completion_tokens_details", "output_tokens_details":
			reasoning = max(reasoning, member.member("reasoning_tokens").count())
		case "reasoning_tokens":
			reasoning = max(reasoning, member.count())
		}
	}
	last(&r.cached, cached)
	last(&r.reasoning, reasoning)
}

func last(count *int, now int) {
	if now > 0 {
		*count = now
	}
}

// usage counts each token once, and is zero if nothing was reported.
//
// Providers differ in whether reasoning is part of the completion tokens. It is
// not where the total says so (xAI, Gemini), and cannot be where there is more
// of it. Cached tokens are part of the input everywhere; where more are
// reported than there is input, the report is wrong and the input holds.
func (r reported) usage() llm.Usage {
	u := llm.Usage{Input: r.input, Output: r.output, Reasoning: r.reasoning}
	switch {
	case u.Input == 0 && u.Output == 0:
		return llm.Usage{}
	case u.Input == 0:
		u.Input = max(r.total-u.Output, 0)
	case r.total > u.Input+u.Output:
		u.Output = r.total - u.Input
	}
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	u.Cached = min(r.cached, u.Input)
	return u
}
