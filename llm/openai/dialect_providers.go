package openai

import "github.com/triad-go/triad/llm"

// A provider is a server that many ask, or a program that serves.
type provider struct {
	dialect llm.Dialect
	hosts   []string // and all below them; ":11434" is any host with that port
	makes   string   // whose models are its own
	serves  bool     // serves models of others, with the switches of their makers
	gateway bool     // passes requests on to other providers
}

// providers is the table of dialects. The comments say where a switch comes
// from: "docs" is the provider's API reference, "recorded" are answers of the
// real server, "users" reports of those who met the refusal.
var providers = []provider{
	{
		// docs: max_tokens is deprecated and refused by reasoning models
		// (recorded); tool messages hold text only; call ids have at most 40
		// bytes; caching is automatic, routed by prompt_cache_key.
		// No window: a reply with more input than a guess is no overflow.
		dialect: llm.Dialect{Name: "openai", Images: true, Format: true, Wire: llm.Wire{CacheKey: true, Files: true}},
		hosts:   []string{"api.openai.com"}, makes: "openai",
	},
	{
		// docs: as the official API; the model in the URL is a deployment, whose
		// name may say nothing of the model.
		dialect: llm.Dialect{Name: "azure", Images: true, Format: true, Wire: llm.Wire{CacheKey: true}},
		hosts:   []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com", "models.ai.azure.com"}, makes: "openai",
	},
	{
		// recorded: V4 thinks unless thinking.type is disabled, and then refuses
		// a forced tool_choice; content "" beside calls. docs: messages with
		// calls are refused without their reasoning_content; json_object only.
		dialect: llm.Dialect{Name: "deepseek", Window: 1_000_000, EchoReasoning: llm.EchoCalls, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, Thinking: "thinking", JSONObject: true, NoChoice: true, IDs: idsAny,
		}},
		hosts: []string{"deepseek.com"}, makes: "deepseek",
	},
	{
		// recorded: reasoning_content is taken back, a named tool_choice is taken;
		// docs: thinking.type, preserved thinking, max_tokens, json_object only.
		dialect: llm.Dialect{Name: "glm", Window: 200_000, EchoReasoning: llm.EchoCalls, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, Thinking: "thinking", JSONObject: true, IDs: idsAny,
		}},
		hosts: []string{"bigmodel.cn", "z.ai"}, makes: "zhipu",
	},
	{
		// docs: a thinking model refuses calls without their reasoning_content and
		// a required tool_choice; ids are functions.NAME:INDEX and should come
		// back so; prompt_cache_key is known.
		dialect: llm.Dialect{Name: "kimi", Window: 262_144, EchoReasoning: llm.EchoCalls, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, Thinking: "thinking", JSONObject: true, NoChoice: true, CacheKey: true, IDs: idsAny,
		}},
		hosts: []string{"moonshot.cn", "moonshot.ai", "kimi.com"}, makes: "moonshot",
	},
	{
		// docs: reasoning comes as "reasoning"; max_tokens; json_object.
		dialect: llm.Dialect{Name: "stepfun", Window: 262_144, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, ReasoningField: "reasoning", MaxTokens: maxTokens, JSONObject: true,
		}},
		hosts: []string{"stepfun.com", "stepfun.ai"}, makes: "stepfun",
	},
	{
		// recorded: content "" beside calls, stream_options. docs: enable_thinking
		// at the top of the body; json_object wants the word JSON in the prompt;
		// caching is automatic.
		dialect: llm.Dialect{Name: "qwen", Window: 131_072, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, Thinking: "enable_thinking", JSONObject: true, IDs: idsAny,
		}},
		hosts: []string{"aliyuncs.com"}, makes: "qwen",
	},
	{
		// docs: one system message, at the head, then user and assistant in turn;
		// Hy4 wants the reasoning of its calls back.
		dialect: llm.Dialect{Name: "hunyuan", EchoReasoning: llm.EchoCalls, Strict: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, Thinking: "enable_thinking",
		}},
		hosts: []string{"cloud.tencent.com", "tencentcloudapi.com"}, makes: "tencent",
	},
	{
		// recorded: ids are nine letters or digits, content "" beside calls, and
		// usage comes without being asked for. users: other ids are refused, and
		// so are members that it does not know, stream_options once among them.
		dialect: llm.Dialect{Name: "mistral", Window: 131_072, Images: true, Format: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, NoStreamUsage: true, IDs: idsAlnum9,
		}},
		hosts: []string{"mistral.ai"}, makes: "mistral",
	},
	{
		// recorded: max_tokens, reasoning_effort for some models (the others refuse
		// it), no content beside calls.
		dialect: llm.Dialect{Name: "xai", Window: 256_000, Images: true, Format: true, Wire: llm.Wire{
			EmptyContent: llm.ContentNone, MaxTokens: maxTokens, IDs: idsAny,
		}},
		hosts: []string{"x.ai"}, makes: "xai",
	},
	{
		// recorded: no content beside calls, images of results in a user message.
		// users: reasoning_content in a message is refused. docs: a response_format
		// goes neither with streams nor with tools.
		dialect: llm.Dialect{Name: "groq", Window: 131_072, Wire: llm.Wire{
			EmptyContent: llm.ContentNone, ReasoningField: "reasoning", IDs: idsAny,
		}},
		hosts: []string{"groq.com"},
	},
	{
		// recorded: reasoning_details and files are taken back; both spellings of
		// the limit. docs: reasoning.effort; cache_control in content parts, for
		// makers with explicit caching. The strictest of those behind it wants
		// plain ids.
		dialect: llm.Dialect{Name: "openrouter", Images: true, Format: true, EchoReasoning: llm.EchoCalls, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, ReasoningField: "reasoning", MaxTokens: maxTokens, Thinking: "reasoning", Files: true,
		}},
		hosts: []string{"openrouter.ai"}, gateway: true,
	},
	{
		// recorded: no content beside calls. docs: reasoning_effort, json_schema;
		// thought signatures stand in a call's extra_content.
		dialect: llm.Dialect{Name: "gemini", Window: 1_048_576, Images: true, Format: true, Wire: llm.Wire{
			EmptyContent: llm.ContentNone, MaxTokens: maxTokens, IDs: idsAny,
		}},
		hosts: []string{"generativelanguage.googleapis.com", "aiplatform.googleapis.com"}, makes: "google",
	},
	{
		// recorded: content "" beside calls, reasoning as "reasoning". The window
		// is what the server was started with, which it does not say.
		dialect: llm.Dialect{Name: "ollama", Format: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, ReasoningField: "reasoning", MaxTokens: maxTokens, Thinking: "reasoning_effort", IDs: idsAny, TextCalls: true,
		}},
		hosts: []string{"ollama.com", ":11434"}, serves: true,
	},
	{
		// recorded: reasoning_content is taken back, tools need --jinja. The
		// model's own template is run: many raise an error unless roles alternate
		// and the system message is the first. Grammars hold replies to schemas.
		dialect: llm.Dialect{Name: "llamacpp", Format: true, Strict: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, IDs: idsAny, TextCalls: true,
		}},
		serves: true,
	},
	{
		// docs: max_tokens, guided decoding by json_schema, chat_template_kwargs;
		// templates as above.
		dialect: llm.Dialect{Name: "vllm", Format: true, Strict: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, IDs: idsAny, TextCalls: true,
		}},
		serves: true,
	},
	{
		// What all servers take: nothing that could be refused.
		dialect: llm.Dialect{Name: "strict", Strict: true, Wire: llm.Wire{
			EmptyContent: llm.ContentEmpty, MaxTokens: maxTokens, ToolsForResults: "text",
		}},
		serves: true,
	},
}
