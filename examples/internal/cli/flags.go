// Package cli is what the examples share and none of them is about: the flags,
// the client, the printing of events, the result line, the exit status.
package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/triad-go/triad/agent"
)

// Options are the flags of the command line, the prompt, and where to print.
type Options struct {
	Dir     string // the root of the file and shell tools
	Model   string // empty leaves it to the client
	Yes     bool   // side effects without asking
	Journal string // the folder of runs; empty keeps none
	Run     string // the run to open in it; empty makes a new one
	Answers []Answer
	JSON    bool

	MaxTurns    *int           // nil is no limit
	Timeout     *time.Duration // of active time; nil is no limit
	IdleTimeout time.Duration  // the silence of a stream; 0 leaves it to the client
	Window      int            // tokens of context; 0 is the model's

	// Prompt is the rest of the line, or standard input where it is no terminal.
	// With an answer it is the rest of the line alone.
	Prompt string

	// Terminal says that standard input is a terminal, so that a person can be
	// asked there.
	Terminal bool

	// Chats says that the example reads standard input itself, by Lines: it is
	// no prompt, and none is needed. A [Setup] sets it.
	Chats bool

	apart string        // the folder of -dir where the example has one of its own
	lines *bufio.Reader // of standard input
	show  printer
}

// An Answer is the answer to a question of a run: -answer ID=ANSWER.
type Answer struct {
	ID string
	agent.Answer
}

// usage is what stands above the list of flags.
const usage = `Usage: %s [flags] [prompt]

The prompt is the rest of the line, or standard input. Without OPENAI_API_KEY
and OPENAI_BASE_URL a demo client answers, offline, by a few simple rules.

Exit status: 0 completed, 3 paused, 2 every other stop, 1 error or usage.

`

// parse reads the command line, and the prompt from in if it is not there.
func parse(name string, args []string, in io.Reader, out, errs io.Writer, setups ...Setup) (*Options, error) {
	o := &Options{lines: bufio.NewReader(in), Terminal: terminal(in)}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(errs)
	fs.Usage = func() {
		fmt.Fprintf(errs, usage, name)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.Dir, "dir", ".", "the root of the file and shell tools")
	fs.StringVar(&o.Model, "model", os.Getenv("OPENAI_MODEL"), "the model")
	fs.BoolVar(&o.Yes, "yes", false, "side effects and reviews without asking")
	fs.StringVar(&o.Journal, "journal", "", "keep runs in this `folder`")
	fs.StringVar(&o.Run, "run", "", "open the run of this `id`, new or not; needs -journal")
	fs.BoolVar(&o.JSON, "json", false, "one JSON line an event, and last the result")
	fs.Func("max-turns", "stop after so many model replies", func(s string) error {
		n, err := strconv.Atoi(s)
		if err == nil && n < 0 {
			err = errors.New("must not be negative")
		}
		o.MaxTurns = &n
		return err
	})
	fs.Func("timeout", "stop after this active `time`, such as 90s", func(s string) error {
		d, err := time.ParseDuration(s)
		if err == nil && d < 0 {
			err = errors.New("must not be negative")
		}
		o.Timeout = &d
		return err
	})
	fs.Func("idle-timeout", "give up a stream that is silent for this `time`", func(s string) (err error) {
		o.IdleTimeout, err = time.ParseDuration(s)
		if err == nil && o.IdleTimeout <= 0 {
			err = errors.New("must be positive")
		}
		return err
	})
	fs.Func("window", "keep requests within so many `tokens`", o.setWindow)
	fs.Func("answer", "answer a question: `ID=approve`, ID=deny:REASON, ID=edit:JSON or ID=text:TEXT", func(s string) error {
		a, err := parseAnswer(s)
		o.Answers = append(o.Answers, a)
		return err
	})
	for _, setup := range setups {
		setup(o, fs)
	}
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	o.show = printer{out: out}
	return o, o.finish(fs.Args())
}

// finish checks what the flags mean together and finds the prompt.
func (o *Options) finish(rest []string) error {
	if o.Run != "" && o.Journal == "" {
		return errors.New("-run needs -journal")
	}
	if len(o.Answers) > 0 && o.Run == "" {
		return errors.New("-answer needs -run")
	}
	o.Prompt = strings.Join(rest, " ")
	if o.Prompt == "" && !o.Terminal && !o.Chats && len(o.Answers) == 0 { // who answers need not close standard input
		text, err := io.ReadAll(o.lines)
		if err != nil {
			return fmt.Errorf("reading the prompt: %w", err)
		}
		o.Prompt = string(text)
	}
	o.Prompt = strings.TrimSpace(o.Prompt)
	if o.Prompt == "" && o.Run == "" && !o.Chats {
		return errors.New("no prompt: give it at the end of the line, or on standard input")
	}
	return nil
}

func parseAnswer(s string) (Answer, error) {
	id, rest, ok := strings.Cut(s, "=")
	if !ok || id == "" {
		return Answer{}, errors.New("want ID=ANSWER")
	}
	kind, text, more := strings.Cut(rest, ":")
	switch {
	case kind == "approve" && !more:
		return Answer{id, agent.Approve()}, nil
	case kind == "deny":
		return Answer{id, agent.Deny(text)}, nil
	case kind == "edit" && json.Valid([]byte(text)):
		return Answer{id, agent.ApproveWith(json.RawMessage(text))}, nil
	case kind == "text" && text != "":
		return Answer{id, agent.Words(text)}, nil
	}
	return Answer{}, fmt.Errorf("%q is none of approve, deny:REASON, edit:JSON and text:TEXT", rest)
}

// terminal tells whether a person sits at the other end.
func terminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
