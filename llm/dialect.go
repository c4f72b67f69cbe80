package llm

// A Dialect is what a host must know of a provider or model: the switches in
// which they differ. The zero Dialect is a cautious one. It is data: copy it
// to change it.
type Dialect struct {
	Name string `json:"name,omitempty"` // such as "deepseek"

	// Model is the model that the client asks, where it asks always the same.
	Model string `json:"model,omitempty"`

	// Maker marks the [Seal] of what this client receives; only a client with
	// the same Maker is sent it again. Empty means Name.
	Maker string `json:"maker,omitempty"`

	// Window is the context window in tokens, input and output together. 0
	// means unknown; see [Dialect.ContextWindow].
	Window int `json:"window,omitempty"`

	// Images says that user messages may hold images; without it they are told
	// of in words. ToolImages says the same of results.
	Images     bool `json:"images,omitempty"`
	ToolImages bool `json:"tool_images,omitempty"`

	// EchoReasoning says which messages must be sent back with their reasoning.
	EchoReasoning Echo `json:"echo_reasoning,omitempty"`

	// Format says that replies can be held to a schema.
	Format bool `json:"format,omitempty"`

	// Strict histories: all system text in one message at the head, and no two
	// user messages in a row.
	Strict bool `json:"strict,omitempty"`

	// Wire holds the switches that only the adapter reads.
	Wire Wire `json:"wire,omitzero"`
}

// An Echo says which assistant messages are sent back with their reasoning.
type Echo string

// The echoes; the zero Echo is none.
const (
	EchoNone  Echo = ""
	EchoCalls Echo = "calls" // those with calls
	EchoAll   Echo = "all"
)

// Wire is how a provider differs on the wire of the OpenAI-compatible protocol.
// The zero Wire suits the official API; adapters of other protocols ignore it.
type Wire struct {
	// EmptyContent says how the content of an assistant message without text is sent.
	EmptyContent EmptyContent `json:"empty_content,omitempty"`

	ReasoningField string `json:"reasoning_field,omitempty"` // the field of echoed reasoning; empty means reasoning_content
	MaxTokens      string `json:"max_tokens,omitempty"`      // the one parameter that bounds the reply; empty means max_completion_tokens, "none" that there is none

	// Thinking says how [Request.Effort] is sent: "" is reasoning_effort,
	// "thinking" is thinking.type enabled or disabled, "enable_thinking" a
	// boolean of that name, "template" the same inside chat_template_kwargs,
	// "reasoning" is reasoning.effort, and "none" sends nothing. Where it is a
	// switch, the efforts "none" and "off" switch it off, all others on.
	Thinking string `json:"thinking,omitempty"`

	// JSONObject says that response_format json_object is known. Where
	// [Dialect.Format] is not, it stands in for a schema whose root is an object,
	// if the system text or the last message speaks of JSON; without that word
	// the providers refuse it.
	JSONObject bool `json:"json_object,omitempty"`

	// Files says that documents which are no images, such as PDF, are taken as
	// file parts wherever images are.
	Files bool `json:"files,omitempty"`

	NoStreamUsage bool `json:"no_stream_usage,omitempty"` // stream_options is not sent
	CacheMarks    bool `json:"cache_marks,omitempty"`     // explicit cache marks are wanted
	CacheKey      bool `json:"cache_key,omitempty"`       // prompt_cache_key is known

	// NoChoice says that a tool choice other than auto is refused, at least
	// while the model thinks. It is then left out; for none, so are the tools.
	// Where Thinking is a switch and the request switches it off, the choice is sent.
	NoChoice bool `json:"no_choice,omitempty"`

	// ToolsForResults says what a request without tools needs if its history
	// holds results: "" is nothing, "keep" lists the tools that the history
	// calls, with tool choice none, and "text" tells of calls and results in
	// plain words.
	ToolsForResults string `json:"tools_for_results,omitempty"`

	// IDs is the form that call ids must have: "" is at most 40 letters, digits,
	// _ and -, which all providers but some take; "any" is anything of at most
	// 64 bytes; "alnum9" is nine letters or digits. Others are mapped on the way
	// out, results with them.
	IDs string `json:"ids,omitempty"`

	// TextCalls: calls that a model wrote as text, in tags, are read as calls.
	TextCalls bool `json:"text_calls,omitempty"`
}

// EmptyContent is a way to send an assistant message that has calls and no text.
type EmptyContent string

// The ways.
const (
	ContentNull  EmptyContent = ""      // "content": null
	ContentEmpty EmptyContent = "empty" // "content": ""
	ContentNone  EmptyContent = "none"  // no field
)

// DefaultWindow is the context window of a model of which nothing is known.
const DefaultWindow = 128_000

// ContextWindow returns the window, or [DefaultWindow] where it is unknown.
func (d Dialect) ContextWindow() int {
	if d.Window > 0 {
		return d.Window
	}
	return DefaultWindow
}

// A Speaker is a [Client] that says which dialect its provider speaks. The
// wrappers of this package pass their client's on.
type Speaker interface{ Dialect() Dialect }

// DialectOf returns the dialect that c speaks; the zero Dialect if it does not say.
func DialectOf(c Client) Dialect {
	if s, ok := c.(Speaker); ok {
		return s.Dialect()
	}
	return Dialect{}
}
