package openai

import (
	"bytes"
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

// complaintOf finds the complaint in an answer or a chunk: an error object, in
// the places where providers put it, or else an object that says something and
// is no answer.
func complaintOf(v value) (said complaint, found bool) {
	if v.isList() { // Gemini's form
		v = firstOf(v)
	}
	inner, answers := errorIn(v)
	if answers && inner == nil {
		return said, false
	}
	for name, member := range v.members() {
		said.take(string(name), member)
	}
	switch {
	case inner.isString():
		said.message = join(inner.text(), said.message)
		return said, true
	case isFault(inner):
		var told complaint
		for name, member := range inner.members() {
			told.take(string(name), member)
		}
		told.fill(said, !answers)
		if told.message == "" {
			told.message = string(inner[:min(len(inner), maxErrorBody)])
		}
		return told, true
	}
	return said, said.message != ""
}

// errorIn returns the error within an answer or a chunk, if there is one, and
// tells whether it answers the request otherwise.
func errorIn(v value) (inner value, answers bool) {
	see := func(e value) {
		if isFault(e) {
			inner = e
		}
	}
	for name, member := range v.members() {
		switch string(name) {
		case "error", "Error":
			see(member)
		case "errors": // Cloudflare
			see(firstOf(member))
		case "Response": // Tencent
			see(member.member("Error"))
		case "x_groq":
			see(member.member("error"))
		case "base_resp": // MiniMax
			if code := member.member("status_code").word(); code != "" && code != "0" {
				see(member)
			}
		case "choices":
			answers = true
			for choice := range member.list() {
				see(choice.member("error"))
			}
		case "usage":
			answers = true
		case "object":
			answers = answers || bytes.HasPrefix(member, []byte(`"chat.completion`))
		}
	}
	return inner, answers
}

func firstOf(list value) value {
	for first := range list.list() {
		return first
	}
	return nil
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
