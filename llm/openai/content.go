package openai

import (
	"errors"
	"strings"
)

// content takes in content, a string or a list of parts.
func (d *draft) content(content value) error {
	switch {
	case content.absent():
	case content.isString():
		if len(content) > len(`""`) {
			d.say(content.halved().join(&d.half))
		}
	case content.isList():
		for part := range content.list() {
			d.part(part)
		}
	case content.isObject():
		d.part(content)
	default:
		return errors.New("content is neither text nor a list")
	}
	return nil
}

// part takes in one part of content. Kinds that are neither text nor reasoning,
// such as references, are passed over.
func (d *draft) part(part value) {
	if part.isString() {
		d.say(part.text())
		return
	}
	switch part.member("type").text() {
	case "text", "output_text", "":
		d.say(part.member("text").text())
	case "thinking", "reasoning":
		if text := plain(part.member("thinking")); text != "" {
			d.reason(text)
		} else {
			d.reason(plain(part.member("text")))
		}
	case "refusal":
		d.refuse(part.member("refusal").text())
	}
}

// plain returns the text of a string, of a list of parts, or of an object that
// holds one.
func plain(v value) string {
	switch {
	case v.isString():
		return v.text()
	case v.isObject():
		for _, name := range []string{"text", "content", "thinking"} {
			if text := plain(v.member(name)); text != "" {
				return text
			}
		}
	case v.isList():
		var all strings.Builder
		for part := range v.list() {
			all.WriteString(plain(part))
		}
		return all.String()
	}
	return ""
}
