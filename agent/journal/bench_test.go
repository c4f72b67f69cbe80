package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent/journal"
)

var kilobyte = say(strings.Repeat("x", 900))

func BenchmarkMemoryAppend(b *testing.B) {
	ctx := context.Background()
	for _, length := range []int{10, 5000} {
		b.Run(fmt.Sprintf("length=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			var j journal.Journal = journal.NewMemory()
			n := length
			for b.Loop() {
				if n == length { // a new log, every so often
					b.StopTimer()
					j, n = journal.NewMemory(), 0
					for ; n < length/2; n++ {
						_ = j.Append(ctx, "run-1", n, kilobyte)
					}
					b.StartTimer()
				}
				_ = j.Append(ctx, "run-1", n, kilobyte)
				n++
			}
		})
	}
}

// BenchmarkDirAppend reports the time of an append, the time of a write and a
// sync of the same bytes to an open file (the floor), and how one is to the
// other. They take turns on the disk; the times are medians.
func BenchmarkDirAppend(b *testing.B) {
	ctx := context.Background()
	d := openDir(b)
	bare, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	require.NoError(b, err)
	defer bare.Close()
	line := make([]byte, 1024)
	require.NoError(b, d.Append(ctx, "run-1", 0, kilobyte))
	var times [2][]time.Duration // of appends, of floors
	turns := [2]func() error{
		func() error { return d.Append(ctx, "run-1", len(times[0])+1, kilobyte) },
		func() error {
			_, err := bare.Write(line)
			return errors.Join(err, bare.Sync())
		},
	}
	for n := 0; b.Loop(); n++ {
		for i := range turns {
			i = (i + n) % 2 // who goes first changes
			start := time.Now()
			if err := turns[i](); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	appends, floors := times[0], times[1]
	slices.Sort(appends)
	slices.Sort(floors)
	mine, floor := appends[len(appends)/2], floors[len(floors)/2]
	b.ReportMetric(float64(mine.Nanoseconds()), "append-ns")
	b.ReportMetric(float64(floor.Nanoseconds()), "floor-ns")
	b.ReportMetric(float64(mine)/float64(floor), "x-floor")
}

// BenchmarkRunsAppend has many runs append at once; the floor writes and syncs
// as many open files.
func BenchmarkRunsAppend(b *testing.B) {
	ctx := context.Background()
	for _, runs := range []int{16, 256} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			d := openDir(b)
			for i := range runs {
				require.NoError(b, d.Append(ctx, fmt.Sprint("run-", i), 0, kilobyte))
			}
			share(b, runs, func(i, n int) error { return d.Append(ctx, fmt.Sprint("run-", i), n+1, kilobyte) })
		})
		b.Run(fmt.Sprintf("runs=%d/floor", runs), func(b *testing.B) {
			files := make([]*os.File, runs)
			for i := range files {
				f, err := os.Create(filepath.Join(b.TempDir(), "bare"))
				require.NoError(b, err)
				defer f.Close()
				files[i] = f
			}
			line := make([]byte, 1024)
			share(b, runs, func(i, _ int) error {
				if _, err := files[i].Write(line); err != nil {
					return err
				}
				return files[i].Sync()
			})
		})
	}
}

// share has each of the runs do its part of b.N.
func share(b *testing.B, runs int, do func(run, n int) error) {
	b.ResetTimer()
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			for n := range b.N/runs + 1 {
				if err := do(i, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkDirLoad loads a log of 100,000 facts, about 50 MB; the floor reads the file.
func BenchmarkDirLoad(b *testing.B) {
	ctx := context.Background()
	d := openDir(b)
	const facts, part = 100_000, 1000
	entries := slices.Repeat([]journal.Entry{say(strings.Repeat("word ", 70))}, part)
	for n := 0; n < facts; n += part {
		require.NoError(b, d.Append(ctx, "run-1", n, entries...))
	}
	b.Run("facts=100000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range d.Load(ctx, "run-1") {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != facts {
				b.Fatal(n)
			}
		}
	})
}

// BenchmarkPosts is one look into a mailbox: of a run that nothing was posted
// to, and of one that has taken a hundred posts.
func BenchmarkPosts(b *testing.B) {
	ctx := context.Background()
	d := openDir(b)
	for n := range 100 {
		id := fmt.Sprint(n)
		require.NoError(b, d.Post(ctx, "taken", journal.Post{ID: id, Kind: "say"}))
		require.NoError(b, d.Taken(ctx, "taken", id))
	}
	for _, id := range []string{"none", "taken"} {
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				_, _ = d.Posts(ctx, id)
			}
		})
	}
}
