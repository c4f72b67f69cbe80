package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
)

// A verdict is a type of a host's own.
type verdict struct {
	Approved bool     `json:"approved"`
	Issues   []string `json:"issues"`
}

func (v verdict) Validate() error {
	if !v.Approved && len(v.Issues) == 0 {
		return errors.New("a verdict that does not approve names an issue")
	}
	return nil
}

func ExampleDecode() {
	for _, text := range []string{
		`{"approved": false, "issues": ["no tests"]}`,
		`{"approved": false, "issues": []}`,
		`{"approved": "yes", "isues": []}`,
		`Looks good to me!`,
	} {
		v, err := llm.Decode[verdict](llm.Reply{Message: llm.AssistantText(text)})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(v.Issues)
	}
	// Output:
	// [no tests]
	// llm: decoding reply: a verdict that does not approve names an issue
	// llm: decoding reply: approved: it is a string; want a boolean; isues: unknown; the names are approved, issues; issues: missing
	// llm: decoding reply: the text is not one JSON value alone: invalid character 'L' looking for beginning of value
}

func ExampleFallback() {
	busy := &llm.Error{Kind: llm.ErrUnavailable, Client: "main", Status: 503}
	client := &llm.Fallback{Clients: []llm.Named{
		{Name: "main", Client: &llm.Retry{Client: scripted(fails(busy), fails(busy)), Attempts: 2, First: time.Millisecond, Jitter: pinned}},
		{Name: "spare", Client: scripted(says("Hello"))},
	}}
	for chunk, err := range client.Stream(context.Background(), hello()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch c := chunk.(type) {
		case llm.RetryNotice:
			fmt.Printf("attempt %d failed; wait %v, gave up %t, next %q\n", c.Attempt, c.Wait, c.GaveUp, c.Next)
		case llm.Reply:
			fmt.Println(c.Message.Text())
		}
	}
	// Output:
	// attempt 1 failed; wait 1ms, gave up false, next ""
	// attempt 2 failed; wait 0s, gave up true, next ""
	// attempt 1 failed; wait 0s, gave up false, next "spare"
	// Hello
}

func ExampleReplay() {
	var file strings.Builder
	record := &llm.Record{Client: scripted(says("Hello")), To: &file}
	_, _ = llm.Generate(context.Background(), record, hello())

	replay, err := llm.ReadReplay(strings.NewReader(file.String()))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = llm.Generate(context.Background(), replay, llm.Request{Messages: []llm.Message{llm.UserText("hullo")}})
	fmt.Println(err)
	reply, err := llm.Generate(context.Background(), replay, hello())
	fmt.Println(reply.Message.Text(), err)
	// Output:
	// llm: not allowed here: replay: exchange 1: messages[0].parts[0].text: recorded "hello", asked "hullo"
	// Hello <nil>
}
