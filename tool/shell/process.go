package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// The two files that the Args of a [Process] may name. An argument of the tool
// cannot have one of these names.
const (
	InputFile  = "{input_file}"  // a file that holds all arguments of the call as one JSON object
	OutputFile = "{output_file}" // a file in place of standard output; the program makes it
)

// A Process makes a tool of an external program. The program is run as it is,
// without a shell in between, so nothing in an argument is expanded.
type Process struct {
	Program string // a path, or a name to look up in the host's PATH

	// Args are what the program is given. In them {name} stands for the call's
	// argument of that name: a string as it is, anything else as JSON. One that
	// names an argument the call does not have, or has as null, is left out.
	// [InputFile] and [OutputFile] stand for paths: large input goes through
	// the first, since systems bound the length of arguments. A value may look
	// like a flag; place "--" before it where the program knows that.
	Args []string

	// These are as in [Shell].
	Dir       string
	Env       []string
	MaxOutput int
	Grace     time.Duration
	Texts     Texts
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// Tool returns the tool that runs the program. It is side-effecting and keeps
// the usual limit; change what you know better. An error says that Args name
// something that spec's schema does not have.
//
// A program that ends with exit code 0 gives what it wrote to standard output
// (or to its output file), and after it what it wrote to standard error. With
// another code the result is [tool.Failed] and has the code and both outputs.
func (p Process) Tool(spec llm.Spec) (tool.Tool, error) {
	if p.Program == "" {
		return tool.Tool{}, fmt.Errorf("shell: process %q: no program", spec.Name)
	}
	if p.MaxOutput < 0 || p.Grace < 0 {
		return tool.Tool{}, fmt.Errorf("shell: process %q: %w", spec.Name, tool.ErrBadLimit)
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if len(spec.Schema) > 0 {
		if err := json.Unmarshal(spec.Schema, &schema); err != nil {
			return tool.Tool{}, fmt.Errorf("shell: process %q: reading the schema: %w", spec.Name, err)
		}
	}
	for _, arg := range p.Args {
		for _, name := range placeholder.FindAllString(arg, -1) {
			_, known := schema.Properties[strings.Trim(name, "{}")]
			if file := name == InputFile || name == OutputFile; known == file {
				return tool.Tool{}, fmt.Errorf("shell: process %q: %s is no argument of the schema, or hides one", spec.Name, name)
			}
		}
	}
	return tool.Tool{Spec: spec, Run: p.Run, Grace: toolGrace(p.Grace), MaxText: toolMaxText(p.MaxOutput)}, nil
}

// Run runs the program with the call's arguments; use it where the tool is made
// in another way than by [Process.Tool]. An error says that it did not start.
func (p Process) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	values := map[string]json.RawMessage{}
	if len(call.Arguments) > 0 {
		if err := json.Unmarshal(call.Arguments, &values); err != nil {
			return tool.Result{}, fmt.Errorf("shell: reading the arguments: %w", err)
		}
	}
	input, output, done, err := p.files(call.Arguments)
	if err != nil {
		return tool.Result{}, err
	}
	defer done()
	e, err := program{
		argv: append([]string{p.Program}, p.expand(values, input, output)...), dir: p.Dir, env: environ(p.Env),
		max: maxOutput(p.MaxOutput), grace: grace(p.Grace), lines: call.Report,
	}.run(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	texts := p.Texts.complete()
	if e.outcome() != tool.OK {
		return tool.Result{Text: e.report(texts), Outcome: e.outcome()}, nil
	}
	if p.names(OutputFile) {
		written, err := readOutput(output, maxOutput(p.MaxOutput))
		if err != nil {
			return tool.Result{Text: fill(texts.NoFile, "{problem}", err) + "\n" + e.report(texts), Outcome: tool.Failed}, nil
		}
		e.stdout = written
	}
	return tool.Text(e.success(texts)), nil
}

// names tells whether Args name the file.
func (p Process) names(file string) bool {
	return slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, file) })
}

// files makes the files that Args name, and nothing if they name none. Call
// done to remove them.
func (p Process) files(arguments json.RawMessage) (input, output string, done func(), err error) {
	if !p.names(InputFile) && !p.names(OutputFile) {
		return "", "", func() {}, nil
	}
	dir, err := os.MkdirTemp("", "process-")
	if err != nil {
		return "", "", nil, fmt.Errorf("shell: making a folder for the files of %q: %w", p.Program, err)
	}
	done = func() { _ = os.RemoveAll(dir) }
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	input, output = filepath.Join(dir, "input.json"), filepath.Join(dir, "output")
	if err := os.WriteFile(input, arguments, 0o600); err != nil {
		done()
		return "", "", nil, fmt.Errorf("shell: writing the input file of %q: %w", p.Program, err)
	}
	return input, output, done, nil
}

// readOutput keeps the beginning and the end of the output file.
func readOutput(path string, max int) (*output, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err // the path says nothing to a model
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := &output{max: max}
	_, err = io.Copy(o, f)
	return o, err
}

// expand puts the values of the arguments into Args.
func (p Process) expand(values map[string]json.RawMessage, input, output string) []string {
	var args []string
	for _, arg := range p.Args {
		missing := false
		arg = placeholder.ReplaceAllStringFunc(arg, func(name string) string {
			switch name {
			case InputFile:
				return input
			case OutputFile:
				return output
			}
			value := values[strings.Trim(name, "{}")]
			missing = missing || value == nil || string(value) == "null"
			var text string
			if json.Unmarshal(value, &text) == nil {
				return text
			}
			return string(value)
		})
		if !missing {
			args = append(args, arg)
		}
	}
	return args
}
