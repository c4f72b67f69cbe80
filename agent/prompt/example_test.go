package prompt_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
)

func ExampleSource() {
	project := fstest.MapFS{ // or os.DirFS(".agent/prompts")
		"base.md":        {Data: []byte("You mend the program {{program}} with {{tools}}.")},
		"personality.md": {}, // removed
		"output.md":      {Data: []byte("Answer in one line.")},
	}
	files, err := prompt.Load(project)
	if err != nil {
		fmt.Println(err)
		return
	}
	source := &prompt.Source{Files: files, Mode: prompt.PlanReporter, Values: map[string]string{"program": "triad"}}
	text, err := source.Prompt(context.Background(), agent.Occasion{Tools: []string{"read_file", "grep"}}) // a Loop asks it
	fmt.Println(text, err)
	// Output:
	// You mend the program triad with read_file, grep.
	//
	// You write reports from the results of research: a title, a short summary, sections with the findings, what remains open. You add nothing that the results do not say.
	//
	// Answer in one line. <nil>
}
