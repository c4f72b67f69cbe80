package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/triad-go/triad/agent/journal"
)

// Scratch returns the folder, among the system's temporary ones, of what the
// example writes where no flag says otherwise. It is the same each time, so that
// another process finds it.
func Scratch(example string) string {
	return filepath.Join(os.TempDir(), "triad-"+strings.TrimSuffix(example, ".exe"))
}

// Apart is a [Setup] for an example that writes files: without -dir they go to
// its [Scratch] folder, not to the one that it is started in. The example calls
// [Options.MakeDir].
func Apart(o *Options, flags *flag.FlagSet) {
	o.apart = Scratch(flags.Name())
	o.Dir = o.apart
	preset(flags, "dir", o.Dir, "the root of the file tools; made if it is not there")
}

// Keeps is a [Setup] for an example that another process goes on with: without
// -journal its runs are kept in its [Scratch] folder.
func Keeps(o *Options, flags *flag.FlagSet) {
	o.Journal = filepath.Join(Scratch(flags.Name()), "runs")
	preset(flags, "journal", o.Journal, "keep runs in this `folder`")
}

func preset(flags *flag.FlagSet, name, value, usage string) {
	f := flags.Lookup(name)
	f.DefValue, f.Usage = value, usage
}

// MakeDir makes the folder of -dir if it is not there. It says which that is
// where the command line does not, or where it is new.
func (o *Options) MakeDir() error {
	_, err := os.Stat(o.Dir)
	missing := err != nil
	if missing {
		if err := os.MkdirAll(o.Dir, 0o755); err != nil {
			return err
		}
	}
	switch {
	case missing:
		o.Note("(the files go to %s, a new folder)", o.Dir)
	case o.Dir == o.apart:
		o.Note("(the files go to %s)", o.Dir)
	}
	return nil
}

// Store opens the journal of -journal. A run that is to be answered, or that no
// prompt can begin, must be there.
func (o *Options) Store(ctx context.Context) (*journal.Dir, error) {
	store, err := journal.Open(o.Journal)
	if err != nil || o.Run == "" || o.Chats || o.Prompt != "" && len(o.Answers) == 0 {
		return store, err
	}
	for _, err := range store.Load(ctx, o.Run) {
		return store, err // there is something, be it damaged
	}
	return nil, fmt.Errorf("there is no run %s in %s", o.Run, o.Journal)
}
