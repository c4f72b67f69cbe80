//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

func ExampleShell() {
	commands := shell.Shell{
		Dir:  "/",
		Env:  []string{"CI=true"},
		Deny: append(shell.DefaultRules(), shell.Rule{Name: "no push", Pattern: regexp.MustCompile(`\bgit\s+push\b`)}),
	}
	run := commands.Tool()
	for _, arguments := range []string{`{"command":"pwd; echo $CI; exit 3"}`, `{"command":"git push"}`} {
		end := run.Do(context.Background(), tool.Call{Arguments: json.RawMessage(arguments)})
		fmt.Printf("%s: %s\n", end.Result.Outcome, end.Result.Text)
	}
	// Output:
	// failed: exit code: 3
	// stdout:
	// /
	// true
	// refused: The command was refused by a rule and did not run. The rule: no push. Find another way, or ask the user to do it.
}

func ExampleProcess() {
	schema, err := tool.SchemaFor[struct {
		Text  string `json:"text" jsonschema:"description=The text"`
		Width int    `json:"width,omitempty" jsonschema:"description=Characters in a line"`
	}]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fold, err := shell.Process{
		Program: "sh",
		Args:    []string{"-c", `printf %s "$1" | fold -w "$2"`, "fold", "{text}", "{width}"},
	}.Tool(llm.Spec{Name: "fold", Description: "Breaks a text into lines.", Schema: schema})
	if err != nil {
		fmt.Println(err)
		return
	}
	fold.Access = tool.ReadOnly
	end := fold.Do(context.Background(), tool.Call{Arguments: json.RawMessage(`{"text":"abcdef","width":4}`)})
	fmt.Println(end.Result.Text)
	// Output:
	// abcd
	// ef
}
