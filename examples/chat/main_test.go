package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/examples/internal/cli"
)

// A session is a chat under way in a bubble, where the slow demo model takes no
// time.
type session struct {
	*testing.T
	dir   string
	chat  chat
	typed *io.PipeWriter
	ended chan int

	mu    sync.Mutex
	shown bytes.Buffer
}

func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(p)
}

// since waits until nothing more happens for so long, and returns what was
// shown meanwhile.
func (s *session) since(d time.Duration) string {
	time.Sleep(d)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.shown.Reset()
	return s.shown.String()
}

func (s *session) types(line string) {
	_, err := s.typed.Write([]byte(line + "\n"))
	require.NoError(s, err)
	synctest.Wait()
}

func (s *session) presses() {
	s.chat.interrupts <- os.Interrupt
	synctest.Wait()
}

// open begins a chat in a folder with one file.
func open(t *testing.T, dir string, args ...string) *session {
	r, w := io.Pipe()
	s := &session{T: t, dir: dir, chat: chat{interrupts: make(chan os.Signal)}, typed: w, ended: make(chan int, 1)}
	go func() {
		s.ended <- cli.Run(t.Context(), s.chat.run, append([]string{"chat", "-dir", dir}, args...), r, s, s, setup)
		r.Close()
	}()
	synctest.Wait()
	return s
}

// inChat runs a test in a bubble.
func inChat(t *testing.T, test func(s *session), args ...string) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module demo\n"), 0o644))
	synctest.Test(t, func(t *testing.T) { test(open(t, dir, args...)) })
}

// EX-01: two exchanges, and the end of input.
func TestChat(t *testing.T) {
	inChat(t, func(s *session) {
		require.Equal(s, "(your turn)\n", s.since(0))
		s.types("What is here?")
		out := s.since(time.Minute)
		require.Contains(s, out, "→ list_dir")
		require.True(s, strings.HasSuffix(out, "go.mod begins with “module demo”.\n(your turn)\n"), out)
		s.types("Where is 'module'?")
		out = s.since(time.Minute)
		require.Contains(s, out, "You said 2 things by now, the last one “Where is 'module'?”.")
		require.Contains(s, out, "A search for “module” gives: go.mod:1:module demo")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	})
}

// EX-01, AGT-58: what is typed while it works reaches the model with its next request.
func TestSteering(t *testing.T) {
	inChat(t, func(s *session) {
		s.types("What is here?")
		require.Contains(s, s.since(100*time.Millisecond), "First")
		s.types("And where is 'module'?")
		out := s.since(time.Minute)
		require.Less(s, strings.Index(out, "+ And where is 'module'?"), strings.Index(out, "← list_dir"), "it was heard before the first call ended")
		require.Contains(s, out, "You said 2 things by now")
		require.Equal(s, 1, strings.Count(out, "(your turn)"), "one answer to both")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	})
}

// AGT-58: Ctrl-C once: the calls under way end, no further request is made, and
// the next line goes on from there.
func TestRest(t *testing.T) {
	inChat(t, func(s *session) {
		s.types("What is here?")
		s.since(100 * time.Millisecond)
		s.presses()
		out := s.since(time.Minute)
		require.Contains(s, out, "← list_dir: go.mod (12 bytes)\n(it rests)\n(your turn)\n")
		require.NotContains(s, out, "Now I look closer.")
		s.types("Go on.")
		require.Contains(s, s.since(time.Minute), "go.mod begins with “module demo”.\n(your turn)\n")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	})
}

// Ctrl-C twice: the reply under way is let go of; the next line goes on. Once
// more, with nothing under way, ends the chat.
func TestCancel(t *testing.T) {
	inChat(t, func(s *session) {
		s.types("What is here?")
		s.since(100 * time.Millisecond)
		s.presses()
		s.presses()
		out := s.since(0)
		require.True(s, strings.HasSuffix(out, "Ctrl-C again cancels)\n(canceled)\n(your turn)\n"), out)
		require.NotContains(s, out, "list_dir")
		s.types("Go on.")
		require.Contains(s, s.since(time.Minute), "go.mod begins with “module demo”.\n(your turn)\n")
		s.presses()
		require.Equal(s, 0, <-s.ended)
	})
}

// A Ctrl-C that comes when the answer is all but there holds up nothing later.
func TestLateRest(t *testing.T) {
	inChat(t, func(s *session) {
		s.types("What is here?")
		begins := false
		for range 1000 {
			if begins = strings.Contains(s.since(10*time.Millisecond), "begins"); begins {
				break
			}
		}
		require.True(s, begins)
		s.presses()
		require.Contains(s, s.since(time.Minute), "(your turn)")
		s.types("Again, please.")
		require.Contains(s, s.since(time.Minute), "You said 2 things by now")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	})
}

// TOOL-33: a side effect is asked about in the chat.
func TestQuestion(t *testing.T) {
	inChat(t, func(s *session) {
		s.types("What is here? Write it to here.md")
		require.Contains(s, s.since(time.Minute), "[y]es, [a]lways, [n]o why: ")
		s.types("hm")
		require.Contains(s, s.since(time.Minute), "[y]es, [a]lways, [n]o why: ")
		require.NoFileExists(s, filepath.Join(s.dir, "here.md"))
		s.types("yes")
		require.Contains(s, s.since(time.Minute), "Created here.md")
		require.FileExists(s, filepath.Join(s.dir, "here.md"))
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	})
}

// SES-15: a chat that was left at a question puts it again when it is opened.
func TestQuestionAgain(t *testing.T) {
	kept := []string{"-journal", t.TempDir(), "-run", "r"}
	inChat(t, func(s *session) {
		s.types("What is here? Write it to here.md")
		require.Contains(s, s.since(time.Minute), "[y]es, [a]lways, [n]o why: ")
		s.typed.Close()
		require.Equal(s, 3, <-s.ended)

		s = open(s.T, s.dir, kept...)
		require.Contains(s, s.since(time.Minute), "[y]es, [a]lways, [n]o why: ")
		s.types("yes")
		require.Contains(s, s.since(time.Minute), "Created here.md")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	}, kept...)
}

// A chat in which nobody says anything ends well.
func TestNothingSaid(t *testing.T) {
	inChat(t, func(s *session) {
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
		require.Equal(s, "(your turn)\n", s.since(0))
	})
}

// A prompt on the command line is the first thing said.
func TestPromptOnTheLine(t *testing.T) {
	inChat(t, func(s *session) {
		require.Contains(s, s.since(time.Minute), "go.mod begins with")
		s.typed.Close()
		require.Equal(s, 0, <-s.ended)
	}, "What is here?")
}
