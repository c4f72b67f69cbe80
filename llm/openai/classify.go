package openai

import (
	"strings"

	"github.com/triad-go/triad/llm"
)

// The words and codes that tell the kinds apart, in lower case. A code is one
// of the words.
var (
	refusedWords = []string{
		"content_filter", "content_policy", "content policy", "content management policy", "responsibleaipolicyviolation",
		"data_inspection_failed", "datainspectionfailed", "moderation", "inappropriate content", "safety system", "prohibited_content",
		"sensitive content", "敏感", "不安全",
	}
	quotaWords = []string{
		"insufficient_quota", "exceeded your current quota", "exceeded_current_quota", "billing_hard_limit", "billing_not_active",
		"insufficient balance", "insufficient_balance", "insufficient credits", "insufficient funds", "credit balance", "more credits",
		"arrearage", "out of credits", "payment required", "quota exhausted", "余额不足", "欠费",
	}
	authWords = []string{
		"invalid_api_key", "invalid api key", "invalidapikey", "incorrect api key", "authentication_error", "authentication fails",
		"authenticationerror", "unauthorized", "permission_error", "permission_denied", "no auth credentials", "api key not valid", "invalid authentication", "access denied due to invalid subscription key",
	}
	requestWords = []string{"invalid_request_error", "invalid_argument", "badrequest", "bad_request", "invalid_model", "model_not_found", "tool_use_failed", "not_found_error"}
)

// class returns what kind of failure a complaint is. status is that of HTTP, or
// the one that the body names. The order is the meaning: an overflow is one
// even as a 500, a filter even as a 403, an empty purse even as a 429.
func (c complaint) class(status int) llm.ErrorKind {
	words := c.words()
	waits := c.wait > 0 || strings.Contains(words, "per minute") || strings.Contains(words, "perminute")
	switch {
	case c.isOverflow(status):
		return llm.ErrContextLength
	case status != 429 && containsAny(words, refusedWords):
		return llm.ErrRefused
	case status == 402, containsAny(words, quotaWords) && !waits:
		return llm.ErrQuota
	case status == 401:
		return llm.ErrAuth
	case status == 429:
		return llm.ErrRateLimit
	case status == 403 && !containsAny(words, rateWords):
		return llm.ErrAuth
	case status >= 500 || status == 408:
		return llm.ErrUnavailable
	case containsAny(words, authWords):
		return llm.ErrAuth
	case containsAny(words, rateWords) || containsAny(words, quotaWords):
		return llm.ErrRateLimit
	case status >= 300:
		return llm.ErrBadRequest
	case containsAny(words, requestWords):
		return llm.ErrBadRequest
	}
	return llm.ErrUnavailable // it took the request, and then failed
}
