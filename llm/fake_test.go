package llm_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/triad-go/triad/llm"
)

// An answer is what a script does with one request.
type answer struct {
	chunks []llm.Chunk
	err    error         // in place of the reply that the chunks end in
	takes  time.Duration // before the first chunk
}

func says(text string) answer {
	return answer{chunks: []llm.Chunk{llm.TextDelta(text), replying(text)}}
}

func fails(err error, shown ...llm.Chunk) answer { return answer{chunks: shown, err: err} }

func replying(text string) llm.Reply {
	return llm.Reply{
		Message: llm.AssistantText(text), Finish: llm.FinishStop,
		Usage: llm.Usage{Input: 10, Output: 5}, Model: "fake-1",
	}
}

func status(code int) *llm.Error {
	kind := llm.ErrBadRequest
	switch {
	case code == 429:
		kind = llm.ErrRateLimit
	case code == 408 || code >= 500:
		kind = llm.ErrUnavailable
	}
	return &llm.Error{Kind: kind, Client: "fake", Status: code, Message: "the server says so"}
}

func later(wait time.Duration) *llm.Error {
	err := status(429)
	err.RetryAfter = wait
	return err
}

// A script is a client that gives one answer a request and notes who asked when.
type script struct {
	answers []answer
	dialect llm.Dialect

	mu    sync.Mutex
	asked []llm.Request
	at    []time.Duration // since start
	start time.Time
	busy  int // streams under way
	most  int // that ever were
}

func scripted(answers ...answer) *script { return &script{answers: answers, start: time.Now()} }

func (s *script) Dialect() llm.Dialect { return s.dialect }

func (s *script) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		a := s.begin(req)
		defer s.end()
		if a.takes > 0 {
			select {
			case <-time.After(a.takes):
			case <-ctx.Done():
			}
		}
		for _, chunk := range a.chunks {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(chunk, nil) {
				return
			}
		}
		if a.err != nil {
			yield(nil, a.err)
		}
	}
}

func (s *script) begin(req llm.Request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	s.at = append(s.at, time.Since(s.start))
	s.busy++
	s.most = max(s.most, s.busy)
	if len(s.asked) > len(s.answers) {
		return fails(&llm.Error{Kind: llm.ErrNotAllowed, Message: "the script is used up"})
	}
	return s.answers[len(s.asked)-1]
}

func (s *script) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// watch reads a stream to its end.
func watch(ctx context.Context, c llm.Client, req llm.Request) (chunks llm.Chunks, err error) {
	for chunk, failed := range c.Stream(ctx, req) {
		if failed != nil {
			return chunks, failed
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// text is what a reader that does as it is told has before its eyes.
func text(chunks llm.Chunks) (shown string) {
	for _, c := range chunks {
		switch c := c.(type) {
		case llm.TextDelta:
			shown += string(c)
		case llm.Restart:
			shown = ""
		}
	}
	return shown
}

// of returns the chunks of one kind.
func of[C llm.Chunk](chunks llm.Chunks) (found []C) {
	for _, c := range chunks {
		if c, ok := c.(C); ok {
			found = append(found, c)
		}
	}
	return found
}

func kinds(chunks llm.Chunks) (names []string) {
	for _, c := range chunks {
		names = append(names, c.Kind())
	}
	return names
}

// failure wants an *llm.Error.
func failure(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	return e
}

func hello() llm.Request { return llm.Request{Messages: []llm.Message{llm.UserText("hello")}} }

func pinned(d time.Duration) time.Duration { return d }

// A buffer is a file that many may write at once.
type buffer struct {
	mu   sync.Mutex
	data []byte
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p...)
	return len(p), nil
}
