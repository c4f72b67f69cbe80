// Command skills does what it is asked by written procedures: a folder with a
// SKILL.md each. The model sees their names and descriptions, loads the one that
// fits, and follows it with the other tools. A new skill is a new folder:
//
//	go run ./examples/skills -dir . "What is this module?"
//	go run ./examples/skills -dir . -skills ~/skills "…"
package main

import (
	"context"
	"embed"
	"flag"
	"io/fs"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	toolfs "github.com/triad-go/triad/tool/fs"
	"github.com/triad-go/triad/tool/skill"
)

//go:embed skills
var own embed.FS

func main() {
	var s shelf
	cli.Main(s.run, s.flags)
}

type shelf struct{ dir string }

func (s *shelf) flags(_ *cli.Options, flags *flag.FlagSet) {
	flags.StringVar(&s.dir, "skills", "", "a `folder` with more skills; they come before those of the example")
}

func (s *shelf) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	files, err := toolfs.Open(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()

	built, err := fs.Sub(own, "skills")
	if err != nil {
		return agent.Result{}, err
	}
	library := &skill.Library{Sources: []skill.Source{{FS: built}}}
	if s.dir != "" {
		library.Sources = append(library.Sources, skill.Folder(s.dir)) // the later one wins
	}
	for _, warning := range library.Load() {
		o.Note("(%s)", warning)
	}

	tools := tool.NewRegistry(files.ReadTools()...)
	if err := tools.Add(library.Tool()); err != nil { // load_skill
		return agent.Result{}, err
	}
	loop := &agent.Loop{
		Client: o.Client(demo.New(demo.Skilled)),
		// The system text has seven layers; the catalogue is that of the skills.
		Prompt: &prompt.Source{Skills: library.Catalog},
		Tools:  tools,
		Budget: o.Budget(),
	}
	return o.Drive(ctx, loop)
}
