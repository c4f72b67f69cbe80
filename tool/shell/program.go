package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Waits that belong to the way in which a program is ended.
const (
	linger = 500 * time.Millisecond // for what a program leaves behind to end by itself, and then to obey
	poll   = 10 * time.Millisecond  // how often a group is looked at; nothing signals that it is empty
)

// A program is what run_command and [Process] run: the one place where
// processes are started and ended.
type program struct {
	argv  []string
	dir   string
	env   []string
	max   int           // bytes kept of stdout, and of stderr
	grace time.Duration // between SIGTERM and SIGKILL
	lines func(string)  // told of lines of output as they come; may be nil
}

// An ending is how a program came to its end.
type ending struct {
	code           int    // the exit code; -1 if a signal ended it
	state          string // in the words of [os.ProcessState]
	stdout, stderr *output
	elapsed        time.Duration
	leftovers      bool  // what it left in its group had to be ended
	cut            error // why it was ended from outside; nil if it ended by itself
}

// run starts the program and waits for its end. When ctx is done first, the
// whole process group is ended. An error says that the program did not start.
//
// What the program leaves in its group when it ends by itself has [linger] to
// end too; then it is ended. So neither a child in the background nor one that
// holds the output open delays the result, and none is left. A process that
// has made a session of its own has left the group: it lives on, and its
// output is no longer read.
func (p program) run(ctx context.Context) (ending, error) {
	if err := context.Cause(ctx); err != nil {
		return ending{}, fmt.Errorf("shell: not started: %w", err)
	}
	for _, arg := range p.argv {
		if strings.ContainsRune(arg, 0) {
			return ending{}, errors.New("shell: not started: an argument holds a zero byte, which no program can be given")
		}
	}
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.dir, p.env, ownGroup()
	begun := time.Now()
	progress := &progress{tell: p.lines}
	stdout, err := newStream(p.max, progress)
	if err != nil {
		return ending{}, err
	}
	defer stdout.reader.Close()
	stderr, err := newStream(p.max, progress)
	if err != nil {
		stdout.writer.Close()
		return ending{}, err
	}
	defer stderr.reader.Close()
	cmd.Stdout, cmd.Stderr = stdout.writer, stderr.writer // files, so that Wait waits for the program alone
	err = cmd.Start()
	stdout.writer.Close()
	stderr.writer.Close()
	if err != nil {
		return ending{}, p.startError(err)
	}

	group := &group{leader: cmd.Process, exited: make(chan struct{})}
	go func() {
		defer close(group.exited)
		_ = cmd.Wait() // cmd.ProcessState says it all
	}()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		other := make(chan struct{})
		go func() { defer close(other); stderr.read() }()
		stdout.read()
		<-other
	}()

	e := ending{stdout: &stdout.output, stderr: &stderr.output}
	select {
	case <-group.exited:
	case <-ctx.Done():
	}
	switch {
	case !group.over():
		e.cut = context.Cause(ctx)
		group.end(p.grace)
		<-group.exited
		group.quiet(nil, drained, linger)
	case !group.quiet(ctx.Done(), drained, linger) && !group.empty():
		e.leftovers = true
		group.end(linger)
		group.quiet(nil, drained, linger)
	}
	past := time.Now() // one who left the group may still hold the output open
	_ = stdout.reader.SetReadDeadline(past)
	_ = stderr.reader.SetReadDeadline(past)
	<-drained
	e.code, e.state, e.elapsed = cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), time.Since(begun)
	return e, nil
}

// startError says why the program did not start, in words to act on.
func (p program) startError(err error) error {
	if p.dir != "" {
		if info, dirErr := os.Stat(p.dir); dirErr != nil || !info.IsDir() {
			return fmt.Errorf("shell: working directory %q is not there or no directory: %w", p.dir, err)
		}
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("shell: program %q was not found; is it installed and in PATH?: %w", p.argv[0], err)
	}
	return fmt.Errorf("shell: starting %q: %w", p.argv[0], err)
}

// A group is the process group of a program.
type group struct {
	leader *os.Process
	exited chan struct{} // closed when the leader was waited for
}

// over tells whether the program itself has ended.
func (g *group) over() bool {
	select {
	case <-g.exited:
		return true
	default:
		return false
	}
}

// empty tells whether the program and all the rest of its group have ended.
// The group's number is free for others from then on.
func (g *group) empty() bool { return g.over() && groupEmpty(g.leader) }

// quiet waits until the group is empty and drained is closed, for at most d or
// until stop is closed, and tells whether it came to that.
func (g *group) quiet(stop, drained <-chan struct{}, d time.Duration) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if drained == nil && g.empty() {
			return true
		}
		select {
		case <-drained:
			drained = nil
		case <-tick.C:
		case <-stop:
			return false
		case <-limit.C:
			return false
		}
	}
}

// end asks the group to end and, when it has not after grace, makes it.
func (g *group) end(grace time.Duration) {
	terminate(g.leader)
	if !g.quiet(nil, nil, grace) {
		kill(g.leader)
		g.quiet(nil, nil, linger)
	}
}

// A stream is one output of a program on its way into memory.
type stream struct {
	output
	reader, writer *os.File
	progress       *progress
}

func newStream(max int, progress *progress) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("shell: making a pipe: %w", err)
	}
	return &stream{output: output{max: max}, reader: r, writer: w, progress: progress}, nil
}

// read drains the stream until all have closed it or its deadline is over.
func (s *stream) read() {
	var line io.Writer = io.Discard
	if s.progress.tell != nil {
		line = &lineWriter{progress: s.progress}
	}
	_, _ = io.Copy(io.MultiWriter(&s.output, line), s.reader)
}
