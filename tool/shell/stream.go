package shell

import (
	"fmt"
	"io"
	"os"
	"time"
)

// streams are both outputs of a program on their way into memory.
type streams struct{ stdout, stderr *stream }

func newStreams(max int, progress *progress) (*streams, error) {
	stdout, err := newStream(max, progress)
	if err != nil {
		return nil, err
	}
	stderr, err := newStream(max, progress)
	if err != nil {
		stdout.writer.Close()
		stdout.reader.Close()
		return nil, err
	}
	return &streams{stdout, stderr}, nil
}

// handOver closes the writing ends, once the program has its own.
func (s *streams) handOver() {
	s.stdout.writer.Close()
	s.stderr.writer.Close()
}

// drain reads both side by side, since a program may fill one before it writes
// to the other. The channel is closed when both are at their end.
func (s *streams) drain() <-chan struct{} {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		other := make(chan struct{})
		go func() { defer close(other); s.stderr.read() }()
		s.stdout.read()
		<-other
	}()
	return drained
}

// stop ends drain, whoever still holds the writing ends.
func (s *streams) stop() {
	past := time.Now()
	_ = s.stdout.reader.SetReadDeadline(past)
	_ = s.stderr.reader.SetReadDeadline(past)
}

func (s *streams) close() {
	s.stdout.reader.Close()
	s.stderr.reader.Close()
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

// read reads the stream until all have closed it or its deadline is over.
func (s *stream) read() {
	var line io.Writer = io.Discard
	if s.progress.tell != nil {
		line = &lineWriter{progress: s.progress}
	}
	_, _ = io.Copy(io.MultiWriter(&s.output, line), s.reader)
}
