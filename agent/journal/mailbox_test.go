package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

// SES-22, SES-E96 (share): a stop that is posted before anybody runs the run is
// there for who opens the folder later; an answer's id may be a path.
func TestPostBeforeStart(t *testing.T) {
	dir := t.TempDir()
	poster, err := journal.Open(dir)
	require.NoError(t, err)
	require.NoError(t, poster.Post(t.Context(), "run-1", journal.Post{ID: "stop 1", Kind: "stop"}))
	answer := journal.Post{ID: "task_2/7.1", Kind: "answer", Data: json.RawMessage(`{ "approve": true }`)}
	require.NoError(t, poster.Post(t.Context(), "run-1", answer))

	owner, err := journal.Open(dir)
	require.NoError(t, err)
	n, err := owner.Len(t.Context(), "run-1")
	require.NoError(t, err)
	require.Zero(t, n, "a post is no log")
	_, err = owner.Claim(t.Context(), "run-1")
	require.NoError(t, err)
	posts, err := owner.Posts(t.Context(), "run-1")
	require.NoError(t, err)
	require.Len(t, posts, 2)
	require.Equal(t, "stop 1", posts[0].ID)
	require.Equal(t, "task_2/7.1", posts[1].ID)
	require.Equal(t, `{"approve":true}`, string(posts[1].Data))

	box := filepath.Join(dir, "run-1", "mailbox")
	_, err = os.Stat(filepath.Join(box, "000002-task_2%2f7.1.json"))
	require.NoError(t, err)
	require.NoError(t, owner.Taken(t.Context(), "run-1", "stop 1"))
	_, err = os.Stat(filepath.Join(box, "taken", "000001-stop%201.json"))
	require.NoError(t, err)
}

// SES-E95 (share): a post tells the length of the log that it is for, so that a
// stop for a run that ended is known for one when the run is continued.
func TestStopForEndedRun(t *testing.T) {
	d := openDir(t)
	require.NoError(t, d.Append(t.Context(), "run-1", 0, say("prompt"), say("answer")))
	require.NoError(t, d.Post(t.Context(), "run-1", journal.Post{ID: "s", Kind: "stop"}))
	ended := 2
	require.NoError(t, d.Append(t.Context(), "run-1", 2, say("stopped"), say("continued")))
	posts, err := d.Posts(t.Context(), "run-1")
	require.NoError(t, err)
	require.LessOrEqual(t, posts[0].For, ended)
}

// A post that is damaged is an error that names its file; the others are there.
// What is no post is passed over, and a post that was being written is none.
func TestDamagedPost(t *testing.T) {
	d, _, name, _ := written(t)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, d.Post(t.Context(), "run-1", journal.Post{ID: id, Kind: "say", Data: json.RawMessage(`"x"`)}))
	}
	box := filepath.Join(filepath.Dir(name), "mailbox")
	post := filepath.Join(box, "000002-b.json")
	data, err := os.ReadFile(post)
	require.NoError(t, err)
	for _, other := range []string{"new", "README.json", "x-y.json", "000009-%zz.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(box, other), data[:10], 0o600))
	}
	bad := map[string][]byte{"nothing": {}, "cut": data[:len(data)-1], "half": data[:30], "more": append(data, 'x')}
	for at := range data {
		flipped := append([]byte(nil), data...)
		flipped[at] ^= 4
		bad[string(flipped)] = flipped
	}
	for what, data := range bad {
		require.NoError(t, os.WriteFile(post, data, 0o600))
		posts, err := d.Posts(t.Context(), "run-1")
		var damaged *journal.DamagedError
		require.ErrorAs(t, err, &damaged, what)
		require.Equal(t, "mailbox/000002-b.json", damaged.File)
		require.Len(t, posts, 2)
		require.ErrorAs(t, d.Post(t.Context(), "run-1", journal.Post{ID: "b", Kind: "say"}), &damaged)
	}
	require.NoError(t, d.Post(t.Context(), "run-1", journal.Post{ID: "d", Kind: "say"}))
	posts, _ := d.Posts(t.Context(), "run-1")
	require.Equal(t, []string{"a", "c", "d"}, []string{posts[0].ID, posts[1].ID, posts[2].ID})
}

// A post may be taken while another reads the mailbox.
func TestTakenWhileRead(t *testing.T) {
	d := openDir(t)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if _, err := d.Posts(t.Context(), "run-1"); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for n := range 50 {
		id := strconv.Itoa(n)
		require.NoError(t, d.Post(t.Context(), "run-1", journal.Post{ID: id, Kind: "say"}))
		require.NoError(t, d.Taken(t.Context(), "run-1", id))
	}
	close(done)
	group.Wait()
}
