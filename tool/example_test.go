package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A booking is what the tool of the example takes: an enum, an optional field
// with a default, and a nested struct.
type booking struct {
	Room   string `json:"room" jsonschema:"description=Name of the room"`
	Kind   string `json:"kind" jsonschema:"enum=meeting,enum=lunch"`
	People int    `json:"people,omitempty" jsonschema:"minimum=1,maximum=12,default=2"`
	When   struct {
		Day  string `json:"day" jsonschema_description:"Such as 2026-11-30, in local time"`
		Hour int    `json:"hour"`
	} `json:"when"`
}

func ExampleNew() {
	book := tool.New("book_room", "Books a room. Not for hotels.",
		func(ctx context.Context, in booking) (string, error) {
			return fmt.Sprintf("%s booked for %d at %d:00", in.Room, in.People, in.When.Hour), nil
		})
	// Bookings of different rooms may run at the same time.
	book.Keys = tool.KeysOf(func(in booking) tool.Keys {
		return tool.Keys{Writes: []string{"room/" + in.Room}}
	})

	registry := tool.NewRegistry(book)
	if err := registry.Err(); err != nil {
		fmt.Println(err)
	}
	list := registry.List()
	var schema bytes.Buffer
	_ = json.Indent(&schema, list.Specs()[0].Schema, "", " ")
	fmt.Println(schema.String())

	call := llm.ToolCall{ID: "1", Name: "book_room", Arguments: `{"room":"Oslo","kind":"lunch","when":{"day":"2026-12-01","hour":12.0}}`}
	check := list.Check(call, nil)
	fmt.Println(check.Use.Keys.Writes, string(check.Arguments))

	call.Arguments = `{"room":"Oslo","kind":"dinner","seats":4,"when":{"day":"2026-12-01"}}`
	fmt.Println(list.Check(call, nil).Text)
	// Output:
	// {
	//  "properties": {
	//   "room": {
	//    "type": "string",
	//    "description": "Name of the room"
	//   },
	//   "kind": {
	//    "type": "string",
	//    "enum": [
	//     "meeting",
	//     "lunch"
	//    ]
	//   },
	//   "people": {
	//    "type": "integer",
	//    "maximum": 12,
	//    "minimum": 1,
	//    "default": 2
	//   },
	//   "when": {
	//    "properties": {
	//     "day": {
	//      "type": "string",
	//      "description": "Such as 2026-11-30, in local time"
	//     },
	//     "hour": {
	//      "type": "integer"
	//     }
	//    },
	//    "additionalProperties": false,
	//    "type": "object",
	//    "required": [
	//     "day",
	//     "hour"
	//    ]
	//   }
	//  },
	//  "additionalProperties": false,
	//  "type": "object",
	//  "required": [
	//   "room",
	//   "kind",
	//   "when"
	//  ]
	// }
	// [room/Oslo] {"kind":"lunch","people":2,"room":"Oslo","when":{"day":"2026-12-01","hour":12}}
	// The arguments of book_room do not fit its schema. Nothing was run. Call again with this corrected:
	// - kind: got "dinner", want one of "meeting", "lunch"
	// - seats: not known here; known are kind, people, room, when
	// - when.hour: missing, and required
}

func ExampleRunner() {
	read := tool.New("read", "Reads.", func(context.Context, struct{}) (string, error) { return "text", nil }, tool.ReadOnly)
	write := tool.New("write", "Writes.", func(context.Context, struct{}) (string, error) { return "written", nil })
	runner := &tool.Runner{Tools: tool.NewRegistry(read, write), Policy: tool.AskForSideEffects}

	reply := []llm.ToolCall{{ID: "1", Name: "read"}, {ID: "2", Name: "write"}, {ID: "3", Name: "raed"}}
	results, err := runner.Run(context.Background(), nil, reply)
	if err != nil {
		fmt.Println(err)
	}
	for _, result := range results {
		fmt.Println(result.Outcome, result.Text)
	}
	// Output:
	//  text
	// refused The call of write was refused by policy and not run: it needs a person's approval, and nobody is there to give it.
	// unknown_tool There is no tool named raed, and nothing was run. The tools are, nearest first: read, write.
}

func ExampleTool_Do() {
	deploy := tool.NewWithCall("deploy", "Deploys.",
		func(ctx context.Context, call tool.Call, in struct{ Target string }) (string, error) {
			if call.Answer == "" {
				return "", &tool.Pause{Question: "Deploy to " + in.Target + "?", Choices: []string{"yes", "no"}}
			}
			call.Progress("copying")
			return "deployed: " + call.Answer, nil
		})
	call := tool.Call{Arguments: json.RawMessage(`{"Target":"production"}`), Report: func(p string) { fmt.Println("...", p) }}
	if pause, ok := deploy.Do(context.Background(), call).Signal.(*tool.Pause); ok {
		fmt.Println(pause.Question, pause.Choices)
		call.Answer = "yes"
	}
	fmt.Println(deploy.Do(context.Background(), call).Result.Text)
	// Output:
	// Deploy to production? [yes no]
	// ... copying
	// deployed: yes
}
