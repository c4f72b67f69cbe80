package openai

import (
	"strconv"
	"strings"
	"time"
)

// A complaint is what a provider says of a request that failed, in whatever
// form it says it.
type complaint struct {
	status  int // named in the body; 0 if none is
	code    string
	kind    string // "type" on the wire
	param   string
	message string
	more    string // words that count for the class and are not shown
	wait    time.Duration
	window  int
	input   int
}

// complaintOf finds the complaint in an answer or a chunk. Objects that answer
// the request are none: those with choices, unless an error stands beside them.
func complaintOf(v value) (complaint, bool) {
	if v.isList() { // Gemini's form
		for first := range v.list() {
			v = first
			break
		}
	}
	var inner value
	answers := false
	var said complaint
	for name, member := range v.members() {
		switch string(name) {
		case "error", "Error":
			inner = member
		case "errors": // Cloudflare
			for first := range member.list() {
				inner = first
				break
			}
		case "Response": // Tencent
			inner = member.member("Error")
		case "x_groq":
			if e := member.member("error"); !e.absent() {
				inner = e
			}
		case "base_resp": // MiniMax
			if code := member.member("status_code").word(); code != "" && code != "0" {
				inner = member
			}
		case "choices":
			answers = true
			for choice := range member.list() {
				if e := choice.member("error"); isFault(e) {
					inner = e
				}
			}
		case "usage", "object":
			answers = answers || string(name) == "usage" || strings.HasPrefix(member.text(), "chat.completion")
		default:
			said.take(string(name), member)
		}
	}
	switch {
	case inner.isString() && inner.text() != "":
		said.message = join(inner.text(), said.message)
		return said, true
	case isFault(inner):
		var told complaint
		for name, member := range inner.members() {
			told.take(string(name), member)
		}
		told.fill(said, !answers)
		if told.message == "" {
			told.message = string(inner[:min(len(inner), maxWords)])
		}
		return told, true
	}
	return said, !answers && said.message != ""
}

// isFault tells whether an error member holds one: null, false, "" and {} do not.
func isFault(v value) bool {
	if v.absent() {
		return false
	}
	for range v.members() {
		return true
	}
	return v.isString() && v.text() != "" || v.isList() || string(v) == "true"
}

// take takes in one member of an error object.
func (c *complaint) take(name string, member value) {
	word := member.word()
	switch name {
	case "message", "msg", "detail", "error_msg", "error_message", "error_description", "status_msg", "Message":
		if text := member.text(); text != "" {
			c.message = join(c.message, text)
		} else if name == "detail" && !member.absent() {
			c.message = join(c.message, string(member))
		}
	case "code", "Code", "error_code", "errorCode", "status", "status_code", "http_status", "raw_status_code":
		c.number(name, word)
	case "type", "error_type":
		c.kind = word
	case "param":
		c.param = word
	case "metadata":
		raw := member.member("raw")
		if raw.isObject() {
			c.message = join(c.message, string(raw))
		}
		c.message = join(c.message, raw.text())
	case "innererror", "details":
		c.more += " " + string(member)
		for item := range member.list() {
			c.wait = max(c.wait, spelled(item.member("retryDelay").text()))
		}
	case "retry_after", "retry_after_seconds":
		c.wait = max(c.wait, seconds(word, time.Second))
	case "retry_after_ms":
		c.wait = max(c.wait, seconds(word, time.Millisecond))
	case "n_ctx":
		c.window = member.count()
	case "n_prompt_tokens":
		c.input = member.count()
	}
}

// number takes in a code or a status. A number that HTTP could send is a
// status; a code stays a code as well, unless a better one is there.
func (c *complaint) number(name, word string) {
	if n, err := strconv.Atoi(word); err == nil && n >= 400 && n < 600 {
		if c.status == 0 || name != "code" {
			c.status = n
		}
		if c.code == "" && name != "raw_status_code" && name != "status_code" && name != "http_status" {
			c.code = word
		}
		return
	}
	if word != "" && name != "raw_status_code" && (c.code == "" || c.code == strconv.Itoa(c.status) || name != "status") {
		c.code = word
	}
}

// fill takes from around the error what is not said inside.
func (c *complaint) fill(around complaint, words bool) {
	if c.status == 0 {
		c.status = around.status
	}
	if c.message == "" && words {
		c.message = around.message
	}
	if c.code == "" {
		c.code = around.code
	}
	if c.kind == "" {
		c.kind = around.kind
	}
	c.wait = max(c.wait, around.wait)
}

// words is all that is said, in lower case and without ornament.
func (c complaint) words() string {
	all := strings.ToLower(c.code + " " + c.kind + " " + c.message + " " + c.more)
	return strings.NewReplacer("`", "", "'", "", `"`, "", "’", "").Replace(all)
}

// join puts words after words, unless they were said.
func join(a, b string) string {
	switch {
	case a == "" || strings.Contains(b, a):
		return b
	case strings.Contains(a, b):
		return a
	}
	return a + ": " + b
}
