package llm

// A FinishReason says why a reply ended. Whether the reply asks for tools is
// told by its calls, never by this.
type FinishReason string

// The finish reasons.
const (
	FinishStop    FinishReason = "stop"
	FinishCalls   FinishReason = "tool_calls"
	FinishLength  FinishReason = "length"  // cut by the output limit: not a whole answer
	FinishRefused FinishReason = "refused" // the model or a content filter would not
	FinishError   FinishReason = "error"
	FinishAborted FinishReason = "aborted"
)

// A Reply is a model's whole answer to one request.
type Reply struct {
	// Message has role assistant and origin model. Its parts are reasoning,
	// text and calls. A refusal's text is its text.
	Message Message      `json:"message"`
	Finish  FinishReason `json:"finish"`
	Label   string       `json:"label,omitempty"` // the finish reason in the provider's word
	Usage   Usage        `json:"usage,omitzero"`
	Model   string       `json:"model,omitempty"` // as the provider names it

	// TextCalls names tools of the request that the text calls in tags, in a
	// reply without calls, where the dialect does not say that such text is
	// read. Nothing was called: this is hardly the answer that it looks like.
	TextCalls []string `json:"text_calls,omitempty"`
}

// Usage counts the tokens of one request. Each token stands once in Input or
// in Output; Cached and Reasoning say how many of those were of that kind.
type Usage struct {
	Input     int `json:"input"`               // all of the prompt, cached or not
	Cached    int `json:"cached,omitempty"`    // of Input: served from the provider's cache
	Output    int `json:"output"`              // all of the reply, reasoning included
	Reasoning int `json:"reasoning,omitempty"` // of Output

	// Estimated says that the provider reported nothing and these are a guess.
	Estimated bool `json:"estimated,omitempty"`
}

// Total returns input plus output.
func (u Usage) Total() int { return u.Input + u.Output }

// Plus returns the sum. It is an estimate if one of the two is.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		u.Input + v.Input, u.Cached + v.Cached, u.Output + v.Output, u.Reasoning + v.Reasoning,
		u.Estimated || v.Estimated,
	}
}

// minus takes away what was counted already; nothing gets below zero.
func (u Usage) minus(v Usage) Usage {
	return Usage{
		max(u.Input-v.Input, 0), max(u.Cached-v.Cached, 0),
		max(u.Output-v.Output, 0), max(u.Reasoning-v.Reasoning, 0),
		u.Estimated,
	}
}

// ResentInput returns the input tokens that a run of n turns pays in all when
// each turn adds increment tokens and every request sends the whole history
// again: increment·n(n+1)/2. Cost grows with the square of the turns, so bound
// tokens, not turns alone.
func ResentInput(increment, n int) int { return n * (n + 1) / 2 * increment }
