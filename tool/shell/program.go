package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
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
	if err := ctx.Err(); err != nil {
		return ending{}, fmt.Errorf("shell: not started: %w", err)
	}
	begun := time.Now()
	progress := &progress{tell: p.lines}
	out, err := newStreams(p.max, progress)
	if err != nil {
		return ending{}, err
	}
	defer out.close()
	cmd, err := p.start(out)
	if err != nil {
		return ending{}, err
	}
	group := &group{leader: cmd.Process, exited: make(chan struct{})}
	go func() {
		defer close(group.exited)
		_ = cmd.Wait() // cmd.ProcessState says it all
	}()
	drained := out.drain()

	e := ending{stdout: &out.stdout.output, stderr: &out.stderr.output}
	select {
	case <-group.exited:
	case <-ctx.Done():
	}
	switch {
	case !group.over():
		e.cut = ctx.Err()
		group.end(p.grace)
		<-group.exited
		group.quiet(nil, drained, linger)
	case !group.quiet(ctx.Done(), drained, linger) && !group.empty():
		e.leftovers = true
		group.end(linger)
		group.quiet(nil, drained, linger)
	}
	out.stop() // one who left the group may still hold the output open
	<-drained
	progress.rethrow()
	e.code, e.state, e.elapsed = cmd.ProcessState.ExitCode(), cmd.ProcessState.String(), time.Since(begun)
	return e, nil
}

// start starts the program and gives it the writing ends of out.
func (p program) start(out *streams) (*exec.Cmd, error) {
	defer out.handOver()
	for _, arg := range p.argv {
		if strings.ContainsRune(arg, 0) {
			return nil, errors.New("shell: not started: an argument holds a zero byte, which no program can be given")
		}
	}
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.dir, p.env, ownGroup()
	cmd.Stdout, cmd.Stderr = out.stdout.writer, out.stderr.writer // files, so that Wait waits for the program alone
	if err := cmd.Start(); err != nil {
		return nil, p.startError(err)
	}
	return cmd, nil
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
