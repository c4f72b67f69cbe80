package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/openai"
)

// A client of any server that speaks the protocol. New reads OPENAI_API_KEY and
// OPENAI_BASE_URL; here both are given.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `data: {"choices":[{"delta":{"reasoning_content":"A greeting."}}]}`+"\n\n")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hello, "}}]}`+"\n\n")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"you."},"finish_reason":"stop"}]}`+"\n\n")
		io.WriteString(w, `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7}}`+"\n\n")
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()

	client := &openai.Client{Model: "gpt-5-mini", BaseURL: server.URL}
	request := llm.Request{Messages: []llm.Message{llm.UserText("Hi")}}
	for chunk, err := range client.Stream(context.Background(), request) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch chunk := chunk.(type) {
		case llm.ReasoningDelta:
			fmt.Printf("(%s)\n", chunk)
		case llm.TextDelta:
			fmt.Print(chunk)
		case llm.Reply:
			fmt.Printf("\n%s, %d tokens\n", chunk.Finish, chunk.Usage.Total())
		}
	}
	// Output:
	// (A greeting.)
	// Hello, you.
	// stop, 16 tokens
}
