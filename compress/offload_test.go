package compress

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

func offloaded(t *testing.T, tiers *Tiers, v View) (Compaction, string) {
	t.Helper()
	c, err := tiers.Compress(t.Context(), v)
	require.NoError(t, err)
	v = after(v, c)
	last := v.Request.Messages[len(v.Request.Messages)-1]
	return c, last.Results()[0].Text
}

func only(dir string) *Tiers { return &Tiers{Offload: &Offload{Dir: dir}} }

// read calls read_result of a run.
func read(t *testing.T, tiers *Tiers, run string, in readIn) tool.Result {
	t.Helper()
	arguments, err := json.Marshal(in)
	require.NoError(t, err)
	return tiers.Tools()[0].Do(t.Context(), tool.Call{ID: "r", Name: ReadResult, Key: run + "/9.1", Arguments: arguments}).Result
}

// CMP-03, CMP-E81: 32,000 characters stay, 32,001 go; characters, not bytes.
func TestLargeResult(t *testing.T) {
	for name, text := range map[string]string{"ASCII": "a", "CJK": "漢", "emoji": "🔬"} {
		t.Run("CMP-03 "+name, func(t *testing.T) {
			dir := t.TempDir()
			stays := viewOf(1_000_000, join(one(says("go")), turn("k", "look", strings.Repeat(text, 32_000))))
			c, _ := offloaded(t, only(dir), stays)
			require.False(t, c.Changed)

			whole := "HEAD" + strings.Repeat(text, 31_993) + "TAIL"
			goes := viewOf(1_000_000, join(one(says("go")), turn("k", "look", whole)))
			c, got := offloaded(t, only(dir), goes)
			require.Equal(t, []string{"offload"}, c.Tiers)
			require.Equal(t, 2, c.Keep, "nothing that was sent is changed")
			require.Contains(t, got, "HEAD"+strings.Repeat(text, 1_996)+"\n")
			require.Contains(t, got, "\n"+strings.Repeat(text, 796)+"TAIL")
			require.Contains(t, got, "32001 characters")
			id := anyID.FindString(got)
			require.NotEmpty(t, id)
			require.NotContains(t, got, dir, "CMP-31: no path")
			kept, err := store{dir}.text("run-1", id)
			require.NoError(t, err)
			require.Equal(t, whole, kept)
		})
	}
}

// CMP-03: without a store, and for a reader without tools, it is cut with a note.
func TestNoStore(t *testing.T) {
	history := join(one(says("go")), turn("k", "look", "HEAD"+words(40_000)))
	_, got := offloaded(t, only(""), viewOf(1_000_000, history))
	require.Contains(t, got, "HEAD")
	require.Contains(t, got, "40004 characters")
	require.Empty(t, anyID.FindString(got))
	require.Empty(t, only("").Tools())

	dir := t.TempDir()
	reviewer := viewOf(1_000_000, history)
	reviewer.Request.Tools = nil
	_, got = offloaded(t, only(dir), reviewer)
	require.Contains(t, got, "40004 characters")
	require.NotContains(t, got, "read_result")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}

// CMP-30, B144: window 10,000, used 6,000, a result of 8,000 tokens: the next
// request fits, as the check counts the new result.
func TestResultLargeForTheWindow(t *testing.T) {
	v := viewOf(10_000, join(one(says("go")), turns(0, 5, 4_200)))
	v.Reported, v.Covers = 6_000, len(v.Request.Messages)-1
	v = v.with(turn("new", "look", words(32_000))...)
	c, err := Default(newScribe(good("x")), t.TempDir()).Compress(t.Context(), v)
	require.NoError(t, err)
	require.Contains(t, c.Tiers, "offload")
	require.LessOrEqual(t, c.After, Capacity(10_000))
	require.Greater(t, c.Before, 10_000)
}

// CMP-30, B239: results that only together are too much: the largest go until
// the turn has half of T.
func TestResultsTogether(t *testing.T) {
	chars := []int{24_000, 30_000, 28_000, 2_000, 29_000, 10_000}
	v := viewOf(60_000, one(says("go")))
	var all []llm.ToolCall
	var results []llm.ToolResult
	for i, n := range chars { // each is under T/4 = 9,375 tokens, together 30,750
		id := fmt.Sprint("k", i)
		all = append(all, llm.ToolCall{ID: id, Name: "look", Arguments: "{}"})
		results = append(results, llm.ToolResult{CallID: id, Name: "look", Text: words(n)})
	}
	v = v.with(calls(all...), llm.Results(results...))
	c, _ := offloaded(t, only(t.TempDir()), v)
	got := c.Messages[len(c.Messages)-1].Results()
	sum := 0
	for i, r := range got {
		sum += len(r.Text) / 4
		require.Equal(t, i == 1 || i == 4, r.Text != results[i].Text, "result %d", i)
		require.Equal(t, results[i].CallID, r.CallID)
	}
	require.LessOrEqual(t, sum, Trigger(60_000)/2)

	// Six of 40 KB over a small window, and fifty.
	for _, n := range []int{6, 50} {
		v := viewOf(16_000, one(says("go")))
		m, r := calls(), llm.Results()
		for i := range n {
			m.Parts = append(m.Parts, llm.ToolCall{ID: fmt.Sprint(i), Name: "look", Arguments: "{}"})
			r.Parts = append(r.Parts, llm.ToolResult{CallID: fmt.Sprint(i), Name: "look", Text: words(40_000)})
		}
		v = v.with(m, r)
		tiers := only(t.TempDir())
		c, _ := offloaded(t, tiers, v)
		require.LessOrEqual(t, c.After, Capacity(16_000), "B239: %d results", n)
		v = after(v, c)
		v.Memory = &Memory{} // as in another process
		again, err := tiers.Compress(t.Context(), v)
		require.NoError(t, err)
		require.False(t, again.Changed, "%d results: twice is once", n)
	}
}

// CMP-19: protected results are not offloaded either.
func TestProtectedStaysWhole(t *testing.T) {
	for _, name := range []string{"load_skill", "Load_Skill", "mine"} {
		v := viewOf(1_000_000, join(one(says("go")), turn("k", name, words(40_000))))
		v.Protected = func(tool string) bool { return tool == "mine" }
		c, _ := offloaded(t, only(t.TempDir()), v)
		require.False(t, c.Changed)
	}
}

// CMP-31: the model reads the whole in pages, by characters.
func TestReadInPages(t *testing.T) {
	tiers := only(t.TempDir())
	whole := strings.Repeat("漢a🔬\n", 10_000)
	_, got := offloaded(t, tiers, viewOf(1_000_000, join(one(says("go")), turn("k", "look", whole))))
	id := anyID.FindString(got)
	note := regexp.MustCompile(`\n\[Characters (\d+) to (\d+) of 40000.*\]$`)
	var b strings.Builder
	for offset, pages := 0, 0; offset < 40_000; pages++ {
		r := read(t, tiers, "run-1", readIn{ID: id, Offset: offset, Limit: 7_001})
		require.False(t, r.Failed(), r.Text)
		m := note.FindStringSubmatch(r.Text)
		require.NotNil(t, m, r.Text[len(r.Text)-80:])
		page := r.Text[:len(r.Text)-len(m[0])]
		offset += utf8.RuneCountInString(page)
		require.Equal(t, fmt.Sprint(offset), m[2])
		b.WriteString(page)
		require.Less(t, pages, 7)
	}
	require.Equal(t, whole, b.String())

	require.Equal(t, tool.ReadOnly, tiers.Tools()[0].Access)
	require.Len(t, []rune(read(t, tiers, "run-1", readIn{ID: id}).Text[:8_000*9/4]), 8_000, "a page has 8,000 characters unless asked")
	require.True(t, read(t, tiers, "run-1", readIn{ID: id, Offset: 40_000}).Failed())
	for _, bad := range []string{"res_aaaaaaaaaaaaaaaaaaaa", "../x", "", "/etc/passwd", id + "/../" + id} {
		r := read(t, tiers, "run-1", readIn{ID: bad})
		require.True(t, r.Failed(), bad)
		require.NotContains(t, r.Text, tiers.Offload.Dir)
	}
	require.True(t, read(t, tiers, "run-2", readIn{ID: id}).Failed(), "another run's")
	require.True(t, read(t, tiers, "run-1/7.1", readIn{ID: id}).Failed(), "an inner run's is its own")
	list := read(t, tiers, "run-1", readIn{ID: "list"})
	require.Contains(t, list.Text, id)
	require.Contains(t, list.Text, `"tool":"look"`)
	require.Contains(t, list.Text, `{\"n\":\"k\"}`)
}

// CMP-31, B101: what is read back is never put aside again; a page that is too
// large itself ends earlier and says where to go on.
func TestReadBackIsNotOffloaded(t *testing.T) {
	tiers := only(t.TempDir())
	v := viewOf(1_000_000, join(one(says("go")), turn("k", ReadResult, words(30_000))))
	c, _ := offloaded(t, tiers, v)
	require.False(t, c.Changed)

	small := viewOf(10_000, one(says("go"), calls(llm.ToolCall{ID: "k", Name: ReadResult, Arguments: `{"id":"x","offset":500}`}),
		llm.Results(llm.ToolResult{CallID: "k", Name: ReadResult, Text: words(12_000)})))
	c, got := offloaded(t, tiers, small)
	require.True(t, c.Changed)
	require.Empty(t, anyID.FindString(got))
	m := regexp.MustCompile(`^((?s).*)\n\[This page was too long. Go on with offset (\d+)`).FindStringSubmatch(got)
	require.NotNil(t, m, got)
	require.Equal(t, fmt.Sprint(500+len(m[1])), m[2])
	require.True(t, strings.HasPrefix(words(12_000), m[1]))
	_, err := os.Stat(filepath.Join(tiers.Offload.Dir, folder("run-1")))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing was written")
}

// CMP-E80, CMP-E104: names are safe and unique under parallel writes; mode
// 0600; one folder a run; relative folders too.
func TestStore(t *testing.T) {
	t.Chdir(t.TempDir())
	s := store{"offload"}
	var wg sync.WaitGroup
	ids := make([]string, 100)
	for i := range ids {
		wg.Go(func() {
			id, err := s.keep("../run/1", llm.ToolResult{CallID: fmt.Sprint(i), Name: "../x", Text: fmt.Sprint("text ", i)}, "{}")
			if err == nil {
				ids[i] = id
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for i, id := range ids {
		require.Regexp(t, wholeID, id)
		require.False(t, seen[id])
		seen[id] = true
		text, err := s.text("../run/1", id)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("text ", i), text)
	}
	runs, err := os.ReadDir("offload")
	require.NoError(t, err)
	require.Len(t, runs, 1, "those of one run lie together")
	require.Regexp(t, `^[a-z0-9_-]+$`, runs[0].Name())
	files, err := os.ReadDir(filepath.Join("offload", runs[0].Name()))
	require.NoError(t, err)
	require.Len(t, files, 101)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		}
		require.Regexp(t, `^[a-z0-9_.]+$`, f.Name())
	}
	list, err := s.text("../run/1", "list")
	require.NoError(t, err)
	require.Equal(t, 100, strings.Count(list, "\n"))
	again, err := s.keep("../run/1", llm.ToolResult{CallID: "0", Name: "../x", Text: "text 0"}, "{}")
	require.NoError(t, err)
	require.Equal(t, ids[0], again, "written once")
}

// CMP-E80: runs whose ids differ only in what is not safe have folders of their own.
func TestFolders(t *testing.T) {
	seen := map[string]string{}
	for _, run := range []string{"a/b", "a-b", "A-b", "a:b", "CON", "con", strings.Repeat("x", 300), strings.Repeat("x", 301), "", "unnamed", ".", ".."} {
		name := folder(run)
		require.Empty(t, seen[name], "%q and %q", run, seen[name])
		seen[name] = "run " + run
		require.Regexp(t, `^[a-z0-9_-]{1,60}$`, name)
	}
}

// CMP-E80: if writing fails, the result is cut as without a store.
func TestStoreFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	dirs := []string{file, filepath.Join(file, "below")}
	if os.Getuid() != 0 {
		locked := filepath.Join(t.TempDir(), "locked")
		require.NoError(t, os.Mkdir(locked, 0o500))
		dirs = append(dirs, locked)
	}
	for _, dir := range dirs {
		c, got := offloaded(t, only(dir), viewOf(1_000_000, join(one(says("go")), turn("k", "look", words(40_000)))))
		require.True(t, c.Changed)
		require.Contains(t, got, "40000 characters, which are too many")
		require.NotContains(t, got, ReadResult)
		require.NotContains(t, got, dir)
	}
	r := only(filepath.Join(file, "below")).Tools()[0].Do(context.Background(), tool.Call{Name: ReadResult, Key: "r/1.1", Arguments: []byte(`{"id":"list"}`)}).Result
	require.True(t, r.Failed())
	require.NotContains(t, r.Text, file)
}
