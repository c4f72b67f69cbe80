package openai

import (
	"regexp"
	"strconv"
	"strings"
)

// overflowCodes are the codes of a request that is longer than the context.
var overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "too_many_prompt_tokens", "model_context_window_exceeded", "1261"}

// overflowWords are what providers say of it, in lower case and without quotes.
// Each is one that a provider was seen to say; none is said of a rate.
var overflowWords = []string{
	"maximum context length", // OpenAI, OpenRouter, DeepSeek, Groq, vLLM, Together
	"context_length_exceeded",
	"context length exceeded",
	"reduce the length of the messages",
	"prompt is too long",                                             // Anthropic
	"prompt too long",                                                // Ollama
	"input is too long",                                              // Bedrock
	"exceeds the available context size", "exceeds the context size", // llama.cpp
	"longer than the models context length", // SGLang
	"longer than the maximum model length",  // vLLM
	"greater than the context length",       // LM Studio
	"range of input length should be",       // DashScope
	"exceeded model token limit",            // Kimi
	"prompt 超长", "输入超长", "超出最大长度", "超过最大长度", // GLM, Hunyuan
	"exceeds the maximum allowed input length",
	"exceed context limit", "exceeds the context limit", "context window exceeds limit", // Anthropic, MiniMax
	"exceeds max_seq_len",
	"exceeds the maximum number of tokens allowed", // Gemini
	"maximum prompt length is",                     // xAI
	"exceeds the context window", "exceed the context window", "exceeds the models context", "exceeded the context window",
	"exceeds the model context", "input length exceeds", "exceeds the maximum length",
	"total length of all messages is too long", // Perplexity
	"exceed max message tokens",                // Doubao
	"prompt tokens too long",                   // Baidu
}

// promptOverLimit is Copilot's form.
var promptOverLimit = regexp.MustCompile(`token count of \d+ exceeds the limit of \d+`)

// rateWords tell of a rate, where tokens are spoken of too.
var rateWords = []string{
	"rate limit", "rate_limit", "ratelimit", "rate-limit", "too many requests", "per minute", "per min", "per day", "per second",
	"(tpm)", "(rpm)", "(tpd)", "throttl", "please wait", "try again in", "concurren",
}

// isOverflow tells whether a request was longer than the context. Words are
// not asked where the status, or other words, tell of a rate.
func (c complaint) isOverflow(status int) bool {
	for _, code := range overflowCodes {
		if strings.EqualFold(c.code, code) || strings.EqualFold(c.kind, code) {
			return true
		}
	}
	words := c.words()
	if status == 429 || containsAny(words, rateWords) {
		return false
	}
	return status == 413 || containsAny(words, overflowWords) || promptOverLimit.MatchString(words)
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// The forms in which a window and an input are named, the exact ones first.
var (
	windowWords = []*regexp.Regexp{
		regexp.MustCompile(`\[ *\d+ *, *(\d+) *\]`),
		regexp.MustCompile(`> *(\d+)`),
		regexp.MustCompile(`(?:max(?:imum)?|context)(?:[ _](?:number|of|allowed|model|prompt|context|input|seq|tokens?|length|window|size|limit|len|is))*[:(= ]+(\d+)`),
		regexp.MustCompile(`limit(?: (?:of|is))?[:= ]+(\d+)`),
	}
	inputWords = []*regexp.Regexp{
		regexp.MustCompile(`\((\d+) in the messages`),
		regexp.MustCompile(`(\d+) *\+ *\d+ *>`),
		regexp.MustCompile(`(?:requested|contains|resulted in|input|prompt|count of|has|about)[a-z_() ]{0,20}[:= ]*(\d+)`),
		regexp.MustCompile(`(\d+) (?:input )?tokens`),
	}
	digits    = regexp.MustCompile(`\d+`)
	thousands = regexp.MustCompile(`(\d),(\d{3})\b`)
)

// leastCount is the smallest number that is taken for a window, or for an input
// that is too long for one.
const leastCount = 256

// counts learns the window and the input from the words of an overflow (B149).
// Where the forms leave it open, the smaller of two numbers is the window.
func (c complaint) counts() (window, input int) {
	words := c.words()
	for thousands.MatchString(words) {
		words = thousands.ReplaceAllString(words, "$1$2")
	}
	window, input = c.window, c.input
	if window == 0 {
		window = firstCount(windowWords, words, 0)
	}
	if input == 0 {
		input = firstCount(inputWords, words, window)
	}
	var all []int
	for _, d := range digits.FindAllString(words, -1) {
		if n, _ := strconv.Atoi(d); n >= leastCount {
			all = append(all, n)
		}
	}
	if len(all) == 2 && all[0] != all[1] && (window == 0 || window > input && input > 0) {
		window, input = min(all[0], all[1]), max(all[0], all[1])
	}
	return window, input
}

// firstCount returns the first count that a form finds, other than not.
func firstCount(forms []*regexp.Regexp, words string, not int) int {
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(words, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && n >= leastCount && n != not {
				return n
			}
		}
	}
	return 0
}
