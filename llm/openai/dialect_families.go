package openai

import "github.com/triad-go/triad/llm"

// A family is what is known of models whose names begin alike.
type family struct {
	prefix   string // in lower case
	maker    string
	window   int // 0 is unknown
	images   bool
	echo     llm.Echo // see [llm.Dialect.EchoReasoning]
	template string   // Thinking, where the model's template is run by who serves it
	ids      string
	marks    bool // caching is explicit
}

// families is the table of models, the longest prefix counts. Windows are those
// that their makers state.
var families = []family{
	{prefix: "gpt-5", maker: "openai", window: 400_000, images: true},
	{prefix: "gpt-4.1", maker: "openai", window: 1_047_576, images: true},
	{prefix: "gpt-4o", maker: "openai", window: 128_000, images: true},
	{prefix: "gpt-4-turbo", maker: "openai", window: 128_000, images: true},
	{prefix: "gpt-4", maker: "openai", window: 8_192},
	{prefix: "gpt-3.5-turbo", maker: "openai", window: 16_385},
	{prefix: "gpt-oss", maker: "openai", window: 131_072},
	{prefix: "o1", maker: "openai", window: 200_000, images: true},
	{prefix: "o3", maker: "openai", window: 200_000, images: true},
	{prefix: "o3-mini", maker: "openai", window: 200_000},
	{prefix: "o4-mini", maker: "openai", window: 200_000, images: true},

	{prefix: "deepseek", maker: "deepseek", window: 1_000_000, echo: llm.EchoCalls},
	{prefix: "deepseek-v3", maker: "deepseek", window: 128_000, echo: llm.EchoCalls},
	{prefix: "deepseek-r1", maker: "deepseek", window: 128_000},

	{prefix: "glm-5", maker: "zhipu", window: 200_000, echo: llm.EchoCalls, template: "template"},
	{prefix: "glm-5v", maker: "zhipu", window: 200_000, images: true, echo: llm.EchoCalls, template: "template"},
	{prefix: "glm-4.7", maker: "zhipu", window: 200_000, echo: llm.EchoCalls, template: "template"},
	{prefix: "glm-4.6", maker: "zhipu", window: 200_000, template: "template"},
	{prefix: "glm-4.6v", maker: "zhipu", window: 128_000, images: true, template: "template"},
	{prefix: "glm-4.5", maker: "zhipu", window: 128_000, template: "template"},
	{prefix: "glm-4.5v", maker: "zhipu", window: 64_000, images: true, template: "template"},

	{prefix: "kimi", maker: "moonshot", window: 262_144, echo: llm.EchoCalls, ids: idsAny},
	{prefix: "kimi-k2.5", maker: "moonshot", window: 262_144, images: true, echo: llm.EchoCalls, ids: idsAny},
	{prefix: "kimi-k2.6", maker: "moonshot", window: 262_144, images: true, echo: llm.EchoCalls, ids: idsAny},
	{prefix: "moonshot-v1", maker: "moonshot", window: 131_072},

	{prefix: "step-3.5", maker: "stepfun", window: 262_144},
	{prefix: "step-3", maker: "stepfun", window: 65_536, images: true},

	{prefix: "qwen", maker: "qwen", window: 131_072, template: "template"},
	{prefix: "qwen-plus", maker: "qwen", window: 1_000_000},
	{prefix: "qwen-flash", maker: "qwen", window: 1_000_000},
	{prefix: "qwen3-max", maker: "qwen", window: 262_144},
	{prefix: "qwen3-coder", maker: "qwen", window: 262_144},
	{prefix: "qwen3-coder-plus", maker: "qwen", window: 1_000_000},
	{prefix: "qwen3-vl", maker: "qwen", window: 262_144, images: true, template: "template"},
	{prefix: "qwen2.5-vl", maker: "qwen", window: 131_072, images: true},
	{prefix: "qwen-vl", maker: "qwen", window: 131_072, images: true},
	{prefix: "qwen3.5", maker: "qwen", window: 262_144, images: true, template: "template"},

	{prefix: "hy4", maker: "tencent", echo: llm.EchoCalls},
	{prefix: "hunyuan", maker: "tencent"},
	{prefix: "hunyuan-hy4", maker: "tencent", echo: llm.EchoCalls},

	{prefix: "mistral", maker: "mistral", window: 131_072, images: true},
	{prefix: "ministral", maker: "mistral", window: 131_072, images: true},
	{prefix: "magistral", maker: "mistral", window: 131_072, images: true},
	{prefix: "pixtral", maker: "mistral", window: 131_072, images: true},
	{prefix: "codestral", maker: "mistral", window: 256_000},
	{prefix: "devstral", maker: "mistral", window: 262_144},
	{prefix: "mixtral", maker: "mistral", window: 32_768},

	{prefix: "grok-4", maker: "xai", window: 256_000, images: true},
	{prefix: "grok-4-fast", maker: "xai", window: 2_000_000, images: true},
	{prefix: "grok-4-1-fast", maker: "xai", window: 2_000_000, images: true},
	{prefix: "grok-code-fast", maker: "xai", window: 256_000},
	{prefix: "grok-3", maker: "xai", window: 131_072},

	{prefix: "gemini", maker: "google", window: 1_048_576, images: true},
	{prefix: "gemma-3", maker: "google", window: 131_072, images: true},

	{prefix: "claude", maker: "anthropic", window: 200_000, images: true, marks: true},

	{prefix: "llama-3", maker: "meta", window: 131_072},
	{prefix: "llama-4", maker: "meta", window: 131_072, images: true},
}
