package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed project
var embedded embed.FS

// A project is C sources in a folder, and the compiler for them.
type project struct {
	compiler string
	dir      string
	own      bool // the folder goes with the project
}

var errNoCompiler = errors.New("no C compiler is here: cc, gcc or clang")

// prepare writes the project that does not build into dir, unless there are
// sources already; an empty dir is a new one that Close removes.
func prepare(dir string) (*project, error) {
	p := &project{dir: dir}
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			p.compiler = path
			break
		}
	}
	if p.compiler == "" {
		return nil, errNoCompiler
	}
	if dir == "" {
		var err error
		if p.dir, err = os.MkdirTemp("", "buildfix"); err != nil {
			return nil, err
		}
		p.own = true
	}
	if sources, _ := p.sources(); len(sources) > 0 {
		return p, nil
	}
	broken, err := fs.Sub(embedded, "project")
	if err == nil {
		err = os.CopyFS(p.dir, broken)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close removes the folder, if it is the project's own.
func (p *project) Close() error {
	if !p.own {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// sources returns the names of the C files.
func (p *project) sources() ([]string, error) { return fs.Glob(os.DirFS(p.dir), "*.c") }

// build compiles the project, outside its folder, runs it, and returns what it
// prints. The error says what the compiler says, or how the program ended.
func (p *project) build(ctx context.Context, options ...string) (printed string, err error) {
	sources, err := p.sources()
	if err != nil || len(sources) == 0 {
		return "", errors.Join(errors.New("there are no C files"), err)
	}
	out, err := os.MkdirTemp("", "build")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(out)
	program := filepath.Join(out, "program")
	arguments := append(append(options, "-Wall", "-o", program), sources...)
	if _, err := p.command(ctx, p.compiler, arguments...); err != nil {
		return "", err
	}
	return p.command(ctx, program)
}

// command runs a program in the project's folder.
func (p *project) command(ctx context.Context, name string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "LC_ALL=C") // messages that a rule can read
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", filepath.Base(name), err, out.String(), strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
