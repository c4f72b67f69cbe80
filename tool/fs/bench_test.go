package fs_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkGrep searches a tree of 10,000 files for a literal, once by the tool
// and once by the grep of the system, and reports the ratio of their times.
func BenchmarkGrep(b *testing.B) {
	program, err := exec.LookPath("grep")
	if err != nil {
		b.Skip("there is no grep on this system")
	}
	a := open(b, b.TempDir())
	tree(b, a.dir, 10_000)
	list := a.list()
	floor := func() {
		command := exec.Command(program, "-rnF", "needle", ".")
		command.Dir = a.dir
		require.NoError(b, command.Run())
	}
	tool := func(pattern string) func() {
		return func() { a.callOn(list, "grep", args{"pattern": pattern}) }
	}
	for _, c := range []struct{ name, pattern string }{{"literal", "needle"}, {"expression", `need\w+$`}, {"ignoring case", `(?i)needle`}} {
		b.Run(c.name, func(b *testing.B) { compare(b, tool(c.pattern), floor) })
	}
}

// BenchmarkLastPage reads the last page of a file of 1 GB, and compares that with
// counting its lines and with no more than reading it.
func BenchmarkLastPage(b *testing.B) {
	a := open(b, b.TempDir())
	path := filepath.Join(a.dir, "f")
	lines := writeLines(b, path, 1<<30)
	list := a.list()
	count := func() {
		file, err := os.Open(path)
		require.NoError(b, err)
		defer file.Close()
		buf, n := make([]byte, 256<<10), 0
		for err = nil; err == nil; {
			var read int
			read, err = file.Read(buf)
			n += bytes.Count(buf[:read], []byte{'\n'})
		}
		require.Equal(b, io.EOF, err)
		require.Equal(b, lines, n)
	}
	compare(b, func() {
		result := a.callOn(list, "read_file", args{"path": "f", "offset": lines - 99})
		require.Contains(b, result.Text, "the last of the file")
	}, count)
}

// compare runs two functions by turns and reports the ratio of their times and
// what the first allocates.
func compare(b *testing.B, run, floor func()) {
	run()
	floor()
	var took, least time.Duration
	var before, after runtime.MemStats
	var bytes uint64
	b.ResetTimer()
	for range b.N {
		runtime.ReadMemStats(&before)
		start := time.Now()
		run()
		took += time.Since(start)
		runtime.ReadMemStats(&after)
		bytes += after.TotalAlloc - before.TotalAlloc
		start = time.Now()
		floor()
		least += time.Since(start)
	}
	n := float64(b.N)
	b.ReportMetric(float64(took.Milliseconds())/n, "ms/run")
	b.ReportMetric(float64(least.Milliseconds())/n, "ms/floor")
	b.ReportMetric(float64(took)/float64(least), "ratio")
	b.ReportMetric(float64(bytes)/n/(1<<10), "KiB/run")
}

// BenchmarkEdit edits one line of a file of 1,000.
func BenchmarkEdit(b *testing.B) {
	a := open(b, b.TempDir())
	writeLines(b, filepath.Join(a.dir, "f"), 40_000)
	list := a.list()
	for i := range b.N {
		old, replacement := "line 500 ", "line 500+"
		if i%2 == 1 {
			old, replacement = replacement, old
		}
		a.callOn(list, "edit_file", args{"path": "f", "old_text": old, "new_text": replacement})
	}
}

// writeLines writes lines until there are size bytes, and returns how many.
func writeLines(b *testing.B, path string, size int) (lines int) {
	file, err := os.Create(path)
	require.NoError(b, err)
	out := bufio.NewWriterSize(file, 1<<20)
	for written := 0; written < size; lines++ {
		n, err := fmt.Fprintf(out, "line %d of a file that is long\n", lines+1)
		require.NoError(b, err)
		written += n
	}
	require.NoError(b, out.Flush())
	require.NoError(b, file.Close())
	return lines
}
