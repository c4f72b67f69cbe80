package llmtest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/triad-go/triad/llm"
)

// A Client answers from a script and keeps a log of the requests. It looks at
// no word of them. Many goroutines may use it at once.
type Client struct {
	// Speaks is the dialect that the client says it speaks. Set it before the
	// first request.
	Speaks llm.Dialect

	answers []llm.Client
	pick    func(number int, req llm.Request) int // the place of the answer to the number'th request, from 0

	mu       sync.Mutex
	requests []llm.Request
}

// Script returns a client that gives the answers in order, one a request.
// Answers are mostly [Answer]s; any client will do that answers one request.
// When the script is used up, requests end in an error of kind
// [llm.ErrNotAllowed] that gives the request's number.
func Script(answers ...llm.Client) *Client {
	return &Client{answers: answers, pick: func(number int, _ llm.Request) int { return number }}
}

// ByHistory returns a client that picks the answer by the number of assistant
// messages in the request: the first answer to a request that has none. So runs
// beside each other each get the whole script, and a resumed run goes on in the
// middle of it. A history beyond the script is an error as in [Script].
func ByHistory(answers ...llm.Client) *Client {
	return &Client{answers: answers, pick: func(_ int, req llm.Request) (spoken int) {
		for _, m := range req.Messages {
			if m.Role == llm.Assistant {
				spoken++
			}
		}
		return spoken
	}}
}

// Stream implements [llm.Client]. The request counts when the stream is read.
func (c *Client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		number := c.note(req)
		place := c.pick(number, req)
		if place >= len(c.answers) {
			yield(nil, &llm.Error{Kind: llm.ErrNotAllowed, Client: "llmtest", Message: fmt.Sprintf(
				"request %d wants answer %d of a script that has %d", number+1, place+1, len(c.answers))})
			return
		}
		c.answers[place].Stream(ctx, req)(yield)
	}
}

func (c *Client) note(req llm.Request) (number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, req)
	return len(c.requests) - 1
}

// Requests returns all requests so far, in order. Their messages are not
// copies: messages are never changed once made.
func (c *Client) Requests() []llm.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// Dialect implements [llm.Speaker].
func (c *Client) Dialect() llm.Dialect { return c.Speaks }
