package llm

import "encoding/json"

// A Spec tells a model about a tool.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the arguments, an object; none means no arguments
}

// A Request is all that a model is told. The same request always goes out as
// the same bytes, so that a provider's prompt cache can serve its beginning.
type Request struct {
	System   string    `json:"system,omitempty"` // standing instructions, before all messages
	Messages []Message `json:"messages"`
	Tools    []Spec    `json:"tools,omitempty"`
	Choice   Choice    `json:"choice,omitempty"`

	// MaxTokens bounds the reply, reasoning included. 0 leaves it to the provider.
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"` // nil leaves it to the provider
	Effort      string   `json:"effort,omitempty"`      // of reasoning: low, medium, high, or what the model knows
	Stop        []string `json:"stop,omitempty"`        // texts that end the reply

	// Format asks for a reply that is one JSON value of this schema, where the
	// dialect offers it; elsewhere it is left out and [Decode] is the check.
	Format *Format `json:"format,omitempty"`

	// CacheKey names the conversation to providers that route by it. A session id will do.
	CacheKey string `json:"cache_key,omitempty"`
}

// A Format is the form asked of a reply.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// A Choice says whether the model may, must or must not call tools. Any other
// value than those below is the name of the one tool that it must call.
type Choice string

// The choices; the zero Choice is the provider's default, which is auto.
const (
	ChoiceAuto     Choice = "auto"
	ChoiceNone     Choice = "none"
	ChoiceRequired Choice = "required"
)
