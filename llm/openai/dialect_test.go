package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
)

// LLM-13: the dialects that are shipped, by their names.
func TestDialects(t *testing.T) {
	names := []string{"openai", "azure", "deepseek", "glm", "kimi", "stepfun", "qwen", "hunyuan", "mistral", "xai", "groq", "openrouter", "gemini", "ollama", "llamacpp", "vllm", "strict"}
	all := Dialects()
	require.Len(t, all, len(names))
	for i, name := range names {
		d, ok := DialectNamed(name)
		require.True(t, ok)
		require.Equal(t, d, all[i])
		require.Equal(t, name, d.Name)
	}
	all[0].Name = "changed"
	_, ok := DialectNamed("changed")
	require.False(t, ok)
	require.Equal(t, "openai", Dialects()[0].Name, "what is given out is a copy")
}

// LLM-13: hosts and models, and the windows that are known.
func TestDialectFor(t *testing.T) {
	for _, c := range []struct {
		url, model, name string
		window           int
		echo             llm.Echo
		images           bool
	}{
		{"", "gpt-5-mini", "openai", 400_000, llm.EchoNone, true},
		{"https://api.openai.com/v1", "gpt-4.1-nano", "openai", 1_047_576, llm.EchoNone, true},
		{"https://eu.api.openai.com/v1", "some-new-model", "openai", 128_000, llm.EchoNone, true},
		{"https://name.openai.azure.com/openai/v1", "my-deployment", "azure", 128_000, llm.EchoNone, true},
		{"https://api.deepseek.com", "deepseek-v4-flash", "deepseek", 1_000_000, llm.EchoCalls, false},
		{"https://api.z.ai/api/paas/v4", "glm-5.1", "glm", 200_000, llm.EchoCalls, false},
		{"https://open.bigmodel.cn/api/paas/v4/", "GLM-5.3", "glm", 200_000, llm.EchoCalls, false},
		{"https://open.bigmodel.cn/api/paas/v4/", "glm-4.5", "glm", 128_000, llm.EchoNone, false},
		{"https://api.moonshot.ai/v1", "kimi-k2.5", "kimi", 262_144, llm.EchoCalls, true},
		{"https://api.hunyuan.cloud.tencent.com/v1", "hunyuan-hy4-preview", "hunyuan", 128_000, llm.EchoCalls, false},
		{"https://api.hunyuan.cloud.tencent.com/v1", "hunyuan-lite", "hunyuan", 128_000, llm.EchoNone, false},
		{"https://api.stepfun.com/v1", "step-3.5-flash", "stepfun", 262_144, llm.EchoNone, false},
		{"https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-plus", "qwen", 1_000_000, llm.EchoNone, false},
		{"https://api.mistral.ai/v1", "mistral-small-latest", "mistral", 131_072, llm.EchoNone, true},
		{"https://api.x.ai/v1", "grok-4-fast", "xai", 2_000_000, llm.EchoNone, true},
		{"https://api.groq.com/openai/v1", "moonshotai/kimi-k2-instruct-0905", "groq", 262_144, llm.EchoNone, false},
		{"https://openrouter.ai/api/v1", "deepseek/deepseek-v4:free", "openrouter", 1_000_000, llm.EchoCalls, false},
		{"https://generativelanguage.googleapis.com/v1beta/openai/", "gemini-3-pro", "gemini", 1_048_576, llm.EchoNone, true},
		{"http://localhost:11434/v1", "qwen3:latest", "ollama", 131_072, llm.EchoNone, false},
		{"http://127.0.0.1:8000/v1", "moonshotai/Kimi-K2.5", "strict", 262_144, llm.EchoCalls, true},
		{"http://127.0.0.1:8000/v1", "deepseek-ai/DeepSeek-V4", "strict", 1_000_000, llm.EchoCalls, false},
		{"https://gateway.test/v1", "who-knows", "strict", 128_000, llm.EchoNone, false},
		{"https://notopenrouter.ai/v1", "", "strict", 128_000, llm.EchoNone, false},
		{"::", "gpt-4o", "strict", 128_000, llm.EchoNone, true},
	} {
		d := DialectFor(c.url, c.model)
		require.Equal(t, c.name, d.Name, c.url)
		require.Equal(t, c.window, d.ContextWindow(), "%s %s", c.url, c.model)
		require.Equal(t, c.echo, d.EchoReasoning, "%s %s", c.url, c.model)
		require.Equal(t, c.images, d.Images, "%s %s", c.url, c.model)
	}
	require.Equal(t, 128_000, llm.Dialect{}.ContextWindow())
}

// LLM-13: caching is marked only for models that want it, at who passes it on;
// ids are left as the model wants them.
func TestGateways(t *testing.T) {
	claude := DialectFor("https://openrouter.ai/api/v1", "anthropic/claude-haiku-4.5")
	require.True(t, claude.Wire.CacheMarks)
	require.Equal(t, "keep", claude.Wire.ToolsForResults)
	require.False(t, DialectFor("https://openrouter.ai/api/v1", "openai/gpt-5.4").Wire.CacheMarks)
	require.Equal(t, idsAny, DialectFor("https://openrouter.ai/api/v1", "moonshotai/kimi-k2.5").Wire.IDs)
	require.Equal(t, "template", DialectFor("http://127.0.0.1:8000", "Qwen/Qwen3-8B").Wire.Thinking)
	require.Equal(t, "enable_thinking", DialectFor("https://dashscope.aliyuncs.com", "qwen3-max").Wire.Thinking)
}
