package team_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/plan"
	"github.com/triad-go/triad/team"
)

var update = flag.Bool("update", false, "write the traces as they are")

// Each file in testdata is a script of plan and replies, and the facts that
// follow in fake time. Its comment names what it proves.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			require.NoError(t, err)
			part := map[string]string{}
			for _, f := range a.Files {
				part[f.Name] = string(f.Data)
			}
			var got string
			synctest.Test(t, func(t *testing.T) {
				o := script(part["replies"]).team(strings.Split(strings.TrimSpace(part["plan"]), "\n")...)
				o.Strict = strings.Contains(part["team"], "strict")
				o.ErrorsFail = strings.Contains(part["team"], "errors fail")
				got = trace(t, open(t, o))
			})
			if *update {
				a.Files = append(a.Files[:len(a.Files)-1], txtar.File{Name: "trace", Data: []byte(got)})
				require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
				return
			}
			require.Equal(t, part["trace"], got)
		})
	}
}

// trace tells each fact in a line, and how the run and its tasks ended.
func trace(t *testing.T, run *agent.Run) string {
	t.Helper()
	type told struct {
		at   time.Duration
		line string
	}
	var all []told
	start := time.Now()
	tell := func(format string, args ...any) {
		all = append(all, told{time.Since(start), fmt.Sprintf(format, args...)})
	}
	for event, err := range run.Events(t.Context()) {
		require.NoError(t, err)
		path := ""
		if in, ok := event.(agent.Inner); ok {
			path, event = in.Path, in.Event
		}
		switch f := event.(type) {
		case plan.TaskStarted:
			tell("%s started, place %d", f.ID, f.Place)
		case team.WorkStarted:
			tell("%s work %d by %s", path, f.Try, f.Worker)
		case team.WorkEnded:
			tell("%s worked: %s %q", path, f.Reason, f.Result)
		case team.ReviewStarted:
			tell("%s review %d.%d", path, f.Review, f.Try)
		case team.ReviewEnded:
			if f.Verdict != nil {
				tell("%s verdict: %v", path, f.Verdict.Approved)
			} else {
				tell("%s no verdict: %s", path, f.Fault)
			}
		case plan.TaskEnded:
			task := plan.Task{Outcome: f.Outcome}
			tell("%s %s: %q%s", f.ID, team.StatusOf(task), f.Result, because(task))
		}
	}
	res := run.Result()
	// What tasks do in one instant has no order among them.
	slices.SortStableFunc(all, func(a, b told) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.line[:len("step_1")], b.line[:len("step_1")]))
	})
	tell("%s: %s", res.Reason, res.Detail)
	var out strings.Builder
	for _, l := range all {
		fmt.Fprintf(&out, "%gs %s\n", l.at.Seconds(), l.line)
	}
	return out.String()
}

func because(t plan.Task) string {
	why := t.Why
	if t.Verdict != nil && why == "" {
		why = t.Verdict.Why
	}
	if t.Cut {
		why += " (partial)"
	}
	if why != "" {
		why = " because " + why
	}
	return why
}
