package demo

import (
	"strings"

	"github.com/triad-go/triad/llm/llmtest"
)

// Greet writes a Go file in a hurry, and writes it again when diagnostics come.
func Greet(h History) (llmtest.Answer, bool) {
	if !h.Offers("write_file") {
		return llmtest.Answer{}, false
	}
	told := strings.HasPrefix(h.Prompt(), "Diagnostics")
	_, written := h.Result("write_file")
	switch {
	case told && written:
		return llmtest.Text("greet.go is mended."), true
	case told:
		return h.call("I left something out.", "write_file", map[string]string{"path": "greet.go", "content": greeting + "}\n"}), true
	case written:
		return llmtest.Text("greet.go is written."), true
	}
	return h.call("I write it.", "write_file", map[string]string{"path": "greet.go", "content": greeting}), true
}

// greeting lacks its last brace.
const greeting = "package greet\n\n// Hello greets.\nfunc Hello(name string) string {\n\treturn \"Hello, \" + name\n"
