package journal_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/triad-go/triad/agent/journal"
)

// TestMain is the main of the tests, and of the second processes that they start.
func TestMain(m *testing.M) {
	if what := os.Getenv("JOURNAL_TEST_PROCESS"); what != "" {
		if err := second(what, os.Getenv("JOURNAL_TEST_DIR")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// second is what a second process does. It tells of it a line at a time, and
// goes on with a line from its input.
func second(what, dir string) error {
	d, err := journal.Open(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	in := bufio.NewScanner(os.Stdin)
	switch what {
	case "own": // run-1, until it is told to end
		claim, err := d.Claim(ctx, "run-1")
		if err != nil {
			return err
		}
		fmt.Println("claimed")
		in.Scan()
		return claim.Release(ctx)
	case "append": // to as many logs at once as there are, without end, telling what is acknowledged
		for i := range 3 {
			go func() {
				id := fmt.Sprintf("run-%d", i)
				for n := 0; ; n += 2 {
					text := fmt.Sprintf("%d %s", n, strings.Repeat("x", n%5000))
					if err := d.Append(ctx, id, n, say(text), say(text)); err != nil {
						fmt.Println("error:", err)
					}
					fmt.Println(id, n+2)
				}
			}()
		}
		in.Scan()
	case "post":
		for n := 0; ; n++ {
			if err := d.Post(ctx, "run-1", journal.Post{ID: strconv.Itoa(n), Kind: "say"}); err != nil {
				return err
			}
			fmt.Println(n)
		}
	case "race": // for each number it reads, append at that length
		for in.Scan() {
			n, err := strconv.Atoi(in.Text())
			if err != nil {
				return err
			}
			fmt.Println(d.Append(ctx, "run-1", n, say("second")) == nil)
		}
	}
	return nil
}

// A process is a second process of a test.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, what, dir string) *process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), "JOURNAL_TEST_PROCESS="+what, "JOURNAL_TEST_DIR="+dir)
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewScanner(out)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	return p
}

func (p *process) read() string {
	p.t.Helper()
	require.True(p.t, p.out.Scan(), "the second process has ended")
	return p.out.Text()
}

func (p *process) write(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

// kill ends the process with SIGKILL, and waits for that.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// B174, SES-02, SES-23: two owners in one process, then in two; then one is
// killed and its lock is free at once.
func TestOneOwner(t *testing.T) {
	dir := t.TempDir()
	d, err := journal.Open(dir)
	require.NoError(t, err)
	claim, err := d.Claim(t.Context(), "run-1")
	require.NoError(t, err)
	require.Zero(t, claim.Every(), "a lock need not be renewed")
	_, err = d.Claim(t.Context(), "run-1")
	require.ErrorIs(t, err, journal.ErrBusy)
	require.Contains(t, start(t, "own", dir).read(), journal.ErrBusy.Error())
	require.NoError(t, claim.Release(t.Context()))

	other := start(t, "own", dir)
	require.Equal(t, "claimed", other.read())
	for _, id := range []string{"run-1", "run-1/task_3"} {
		_, err = d.Claim(t.Context(), id)
		require.ErrorIs(t, err, journal.ErrBusy)
	}
	other.write("end")
	require.False(t, other.out.Scan())
	claim, err = d.Claim(t.Context(), "run-1")
	require.NoError(t, err)
	require.NoError(t, claim.Release(t.Context()))

	killed := start(t, "own", dir)
	require.Equal(t, "claimed", killed.read())
	killed.kill()
	claim, err = d.Claim(t.Context(), "run-1")
	require.NoError(t, err)
	require.NoError(t, claim.Renew(t.Context()))

	require.NoError(t, os.RemoveAll(dir), "the lock of a run that is deleted is lost")
	require.ErrorIs(t, claim.Renew(t.Context()), journal.ErrLost)
	require.NoError(t, claim.Release(t.Context()))
}

// B169 (share), SES-01 (share), SES-23, GEN-04 (share): a process that appends
// to several logs is killed. All that it was told is stored is there; an append
// is there as a whole or not at all; and another process goes on.
func TestKilledWhileAppending(t *testing.T) {
	for round := range 10 {
		dir := t.TempDir()
		p := start(t, "append", dir)
		acknowledged := map[string]int{}
		for range 20 + 7*round {
			id, n, _ := strings.Cut(p.read(), " ")
			var err error
			acknowledged[id], err = strconv.Atoi(n)
			require.NoError(t, err, id, n)
		}
		p.kill()
		d, err := journal.Open(dir)
		require.NoError(t, err)
		for id, n := range acknowledged {
			got, err := texts(d, id)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(got), n, id)
			require.Zero(t, len(got)%2, "half an append")
			for i, text := range got {
				require.True(t, strings.HasPrefix(text, strconv.Itoa(i/2*2)+" "), text)
			}
			require.NoError(t, d.Append(t.Context(), id, len(got), say("on")))
		}
	}
}

// SES-22: posts of a process that was killed while it posted are there, once;
// what it was told is posted is not lost.
func TestKilledWhilePosting(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "post", dir)
	last := ""
	for range 25 {
		last = p.read()
	}
	p.kill()
	d, err := journal.Open(dir)
	require.NoError(t, err)
	posts, err := d.Posts(t.Context(), "run-1")
	require.NoError(t, err)
	n, err := strconv.Atoi(last)
	require.NoError(t, err)
	require.Greater(t, len(posts), n)
	require.NoError(t, d.Post(t.Context(), "run-1", journal.Post{ID: last, Kind: "say"}), "and once more")
	again, err := d.Posts(t.Context(), "run-1")
	require.NoError(t, err)
	require.Equal(t, posts, again)
	for i, p := range posts {
		require.Equal(t, strconv.Itoa(i), p.ID)
		require.NoError(t, d.Taken(t.Context(), "run-1", p.ID))
	}
	again, err = d.Posts(t.Context(), "run-1")
	require.NoError(t, err)
	require.Empty(t, again)
}

// SES-08, SES-E93, B174: of two processes that append at one length one wins,
// each time, and the log is one.
func TestProcessesRace(t *testing.T) {
	dir := t.TempDir()
	d, err := journal.Open(dir)
	require.NoError(t, err)
	p := start(t, "race", dir)
	var want []string
	for n := range 200 {
		p.write(strconv.Itoa(n))
		err := d.Append(t.Context(), "run-1", n, say("first"))
		if err == nil {
			want = append(want, "first")
			require.Equal(t, "false", p.read())
			continue
		}
		require.ErrorIs(t, err, journal.ErrConflict)
		require.Equal(t, "true", p.read())
		want = append(want, "second")
	}
	got, err := texts(d, "run-1")
	require.NoError(t, err)
	require.Equal(t, want, got)
}
