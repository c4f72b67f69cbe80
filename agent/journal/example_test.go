package journal_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/triad-go/triad/agent/journal"
)

func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := journal.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	claim, err := store.Claim(ctx, "run-42")
	if err != nil {
		log.Fatal(err) // another process is at it: journal.ErrBusy
	}
	defer claim.Release(ctx)

	fact := map[string]string{"text": "Announce that the build is green."}
	entry := journal.Entry{At: time.Now(), Kind: "said", Fact: fact}
	if err := store.Append(ctx, "run-42", 0, entry); err != nil {
		log.Fatal(err)
	}
	for e, err := range store.Load(ctx, "run-42") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Kind, string(e.Data))
	}

	// From any process, at any time:
	if err := store.Post(ctx, "run-42", journal.Post{ID: "stop-1", Kind: "stop"}); err != nil {
		log.Fatal(err)
	}
	posts, err := store.Posts(ctx, "run-42")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(posts[0].Kind, "for a log of length", posts[0].For)
	// Output:
	// said {"text":"Announce that the build is green."}
	// stop for a log of length 1
}
