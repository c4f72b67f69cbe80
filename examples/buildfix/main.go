// Command buildfix repairs a small C project that does not build. What the model
// says does not count: a verifier compiles the project, runs it, and looks at
// what it prints.
//
//	go run ./examples/buildfix "Make it build."
//	go run ./examples/buildfix -demo claim "Make it build."
//
// The demo model has four ways, and the run four ends. repair: completed. claim
// says that it is done, and is not: unverified. circle makes the same call again
// and again: stalled. another always finds another way: only a limit ends that.
package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/examples/internal/demo"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

func main() {
	fix := buildfix{rule: demo.Repair}
	cli.Main(fix.run, fix.flags)
}

type buildfix struct {
	rule     demo.Rule
	feedback bool
}

func (b *buildfix) flags(o *cli.Options, flags *flag.FlagSet) {
	dir := flags.Lookup("dir")
	o.Dir, dir.DefValue, dir.Usage = "", "", "the folder of the project; without it, a new one for this run"
	flags.BoolVar(&b.feedback, "feedback", false, "tell the model why it is not done, and let it go on")
	flags.Func("demo", "the `way` of the demo model: repair, claim, circle or another (default repair)", func(way string) error {
		ways := map[string]demo.Rule{"repair": demo.Repair, "claim": demo.FalseClaim, "circle": demo.Circle, "another": demo.AnotherWay}
		if b.rule = ways[way]; b.rule == nil {
			return fmt.Errorf("no such way")
		}
		return nil
	})
}

func (b *buildfix) run(ctx context.Context, o *cli.Options) (agent.Result, error) {
	p, err := prepare(o.Dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer p.Close()
	files, err := fs.Open(p.dir)
	if err != nil {
		return agent.Result{}, err
	}
	defer files.Close()

	loop := &agent.Loop{
		Client:       o.Client(demo.New(b.rule, demo.NotBuilt)),
		Instructions: "Repair the C project in this folder: it must build and print the right number. Build it before you say that you are done.",
		Tools:        tool.NewRegistry(append(files.Tools(), p.tool())...),
		Verifier:     agent.VerifierFunc(p.verify),
		Feedback:     b.feedback,
		Repeat:       agent.RefuseAfter(2), // the same call, while nothing has changed
		Budget:       o.Budget(),
		Compressor:   o.Compressor(),
	}
	if loop.Budget.Turns == nil {
		loop.Budget.Turns = budget.Max(12)
	}
	if o.Dir != "" { // somebody's folder: ask before it is changed
		loop.Policy = o.Policy()
	}
	return o.Drive(ctx, loop)
}

// verify looks at the world and at no word of the model.
func (p *project) verify(ctx context.Context, _ agent.State) (agent.Verdict, error) {
	printed, err := p.build(ctx)
	switch printed = strings.TrimSpace(printed); {
	case ctx.Err() != nil:
		return agent.Verdict{}, ctx.Err() // not known, which is not the same as wrong
	case err != nil:
		return agent.Verdict{Why: "it does not build and run: " + err.Error()}, nil
	case printed != "5.0":
		return agent.Verdict{Why: fmt.Sprintf("it prints %s in place of 5.0, the average of 2, 4 and 9", printed)}, nil
	}
	return agent.Verdict{Pass: true, Why: "it builds and prints 5.0"}, nil
}

// tool lets the model build. It writes nothing into the project, so nobody need
// be asked.
func (p *project) tool() tool.Tool {
	type in struct {
		Standard string `json:"standard,omitempty" jsonschema:"enum=c99,enum=c11,enum=c17,enum=gnu99,enum=gnu11,enum=gnu17"`
		Optimize string `json:"optimize,omitempty" jsonschema:"enum=0,enum=1,enum=2,enum=3"`
	}
	return tool.New("build", "Compiles the project and runs it. The result is what it prints, or why it can't.",
		func(ctx context.Context, in in) (string, error) {
			var options []string
			if in.Standard != "" {
				options = append(options, "-std="+in.Standard)
			}
			if in.Optimize != "" {
				options = append(options, "-O"+in.Optimize)
			}
			return p.build(ctx, options...)
		}, tool.ReadOnly)
}
