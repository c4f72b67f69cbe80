package journaltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

// TestMailbox tests a mailbox. Open returns an empty one; if it is a journal
// too, the lengths that posts are for are tested with it.
func TestMailbox(t *testing.T, open func(t *testing.T) journal.Mailbox) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, journal.Mailbox)
	}{
		{"posts come in order and are taken once", postAndTake},
		{"the same post twice is one", postTwice},
		{"a post needs an id and a kind", badPost},
		{"a post tells what length it is for", postFor},
		{"many may post at once", postAtOnce},
		{"posts of runs are apart", boxesApart},
		{"what is kept is out of reach", postOutOfReach},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// wantPosts checks the ids of the posts that wait.
func wantPosts(t *testing.T, m journal.Mailbox, id string, want ...string) []journal.Post {
	t.Helper()
	posts, err := m.Posts(t.Context(), id)
	must(t, err)
	var got []string
	for _, p := range posts {
		got = append(got, p.ID)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("posts of %s are %q, want %q", id, got, want)
	}
	return posts
}

func say(id, text string) journal.Post {
	data, _ := json.Marshal(text)
	return journal.Post{ID: id, Kind: "say", Data: data}
}

func postAndTake(t *testing.T, m journal.Mailbox) {
	wantPosts(t, m, "run-1")
	must(t, m.Taken(t.Context(), "run-1", "none"))
	before := time.Now().Add(-time.Minute)
	must(t, m.Post(t.Context(), "run-1", say("z/1", "first")))
	at := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC) // a clock that is late
	must(t, m.Post(t.Context(), "run-1", journal.Post{ID: "Y..2", Kind: "stop", At: at}))
	must(t, m.Post(t.Context(), "run-1", say("x 3", "third")))
	posts := wantPosts(t, m, "run-1", "z/1", "Y..2", "x 3")
	if p := posts[0]; p.Kind != "say" || string(p.Data) != `"first"` || p.At.Before(before) {
		t.Errorf("post is %+v", p)
	}
	if p := posts[1]; p.Kind != "stop" || p.Data != nil || !p.At.Equal(at) {
		t.Errorf("post is %+v", p)
	}
	must(t, m.Taken(t.Context(), "run-1", "Y..2"))
	must(t, m.Taken(t.Context(), "run-1", "Y..2"))
	wantPosts(t, m, "run-1", "z/1", "x 3")
	must(t, m.Taken(t.Context(), "run-1", "z/1"))
	must(t, m.Taken(t.Context(), "run-1", "x 3"))
	wantPosts(t, m, "run-1")
	must(t, m.Post(t.Context(), "run-1", say("a", "again")))
	wantPosts(t, m, "run-1", "a")
}

func postTwice(t *testing.T, m journal.Mailbox) {
	must(t, m.Post(t.Context(), "run-1", say("a", "word")))
	must(t, m.Post(t.Context(), "run-1", say("a", "word")))
	wantError(t, m.Post(t.Context(), "run-1", say("a", "other")), journal.ErrConflict)
	wantError(t, m.Post(t.Context(), "run-1", journal.Post{ID: "a", Kind: "stop"}), journal.ErrConflict)
	wantPosts(t, m, "run-1", "a")
	must(t, m.Taken(t.Context(), "run-1", "a"))
	must(t, m.Post(t.Context(), "run-1", say("a", "word")))
	wantError(t, m.Post(t.Context(), "run-1", say("a", "other")), journal.ErrConflict)
	wantPosts(t, m, "run-1")
	must(t, m.Post(t.Context(), "run-1", say("A", "other"))) // another id
	wantPosts(t, m, "run-1", "A")
}

func badPost(t *testing.T, m journal.Mailbox) {
	wantError(t, m.Post(t.Context(), "run-1", journal.Post{Kind: "stop"}), journal.ErrID)
	wantError(t, m.Post(t.Context(), "run-1", journal.Post{ID: "a"}), journal.ErrPost)
	wantError(t, m.Post(t.Context(), "run-1", journal.Post{ID: "a", Kind: "say", Data: json.RawMessage("{")}), journal.ErrPost)
	wantError(t, m.Post(t.Context(), "run-1", journal.Post{ID: "a", Kind: "say", For: -1}), journal.ErrPost)
	wantPosts(t, m, "run-1")
}

func postFor(t *testing.T, m journal.Mailbox) {
	must(t, m.Post(t.Context(), "run-1", journal.Post{ID: "early", Kind: "stop"}))
	if j, ok := m.(journal.Journal); ok {
		own(t, j, "run-1")
		must(t, j.Append(t.Context(), "run-1", 0, entry(0), entry(1), entry(2)))
	}
	must(t, m.Post(t.Context(), "run-1", journal.Post{ID: "told", Kind: "stop", For: 2}))
	must(t, m.Post(t.Context(), "run-1", journal.Post{ID: "now", Kind: "stop"}))
	posts := wantPosts(t, m, "run-1", "early", "told", "now")
	want := []int{0, 2, 3}
	if _, ok := m.(journal.Journal); !ok {
		want[2] = posts[2].For // there is no log to go by
	}
	for i, p := range posts {
		if p.For != want[i] {
			t.Errorf("post %q is for length %d, want %d", p.ID, p.For, want[i])
		}
	}
}

func postAtOnce(t *testing.T, m journal.Mailbox) {
	const each, posters = 20, 4
	var group sync.WaitGroup
	for range posters {
		group.Go(func() {
			for n := range each {
				if err := m.Post(t.Context(), "run-1", say(fmt.Sprintf("post-%d", n), "word")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	posts, err := m.Posts(t.Context(), "run-1")
	must(t, err)
	if len(posts) != each {
		t.Fatalf("%d posts, want %d", len(posts), each)
	}
}

func boxesApart(t *testing.T, m journal.Mailbox) {
	must(t, m.Post(t.Context(), "run-1", say("a", "word")))
	must(t, m.Post(t.Context(), "run-1/task_1", say("b", "word")))
	must(t, m.Post(t.Context(), "run-1/mailbox", say("c", "word")))
	wantPosts(t, m, "run-1", "a")
	wantPosts(t, m, "run-1/task_1", "b")
	wantPosts(t, m, "run-1/mailbox", "c")
}

func postOutOfReach(t *testing.T, m journal.Mailbox) {
	p := say("a", "word")
	must(t, m.Post(t.Context(), "run-1", p))
	copy(p.Data, "#")
	copy(wantPosts(t, m, "run-1", "a")[0].Data, "#")
	if got := wantPosts(t, m, "run-1", "a")[0].Data; string(got) != `"word"` {
		t.Errorf("data is %s", got)
	}
}
