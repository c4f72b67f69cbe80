package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/examples/internal/cli"
	"github.com/triad-go/triad/llm"
)

// try reads a folder with one long file.
func try(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	dir := t.TempDir()
	text := strings.Repeat("A line of a long text, one of very many.\n", 600)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.txt"), []byte(text), 0o644))
	var r reading
	var o, e bytes.Buffer
	status = cli.Run(t.Context(), r.run, append([]string{"budget", "-dir", dir}, append(args, "Read it.")...), strings.NewReader(""), &o, &e, r.flags)
	return status, o.String() + e.String()
}

// BUD-09, LLM-22, EX-01: the limit of tokens ends the run, and the figures show
// how its input grew, outweighed its output, and fits the formula.
func TestInputDominates(t *testing.T) {
	status, out := try(t, "-max-tokens", "20000")
	require.Equal(t, 2, status)
	rows := regexp.MustCompile(`turn (\d+): sends (\d+) tokens; so far (\d+) in, (\d+) out, (\d+):1`).FindAllStringSubmatch(out, -1)
	require.Greater(t, len(rows), 5, out)
	before := 0
	var row []int
	for _, m := range rows {
		row = row[:0]
		for _, s := range m[1:] {
			n, err := strconv.Atoi(s)
			require.NoError(t, err)
			row = append(row, n)
		}
		require.Greater(t, row[1], before, "each request sends more than the one before")
		before = row[1]
	}
	turns, input, ratio := row[0], row[2], row[4]
	require.GreaterOrEqual(t, ratio, 27)

	m := regexp.MustCompile(`A turn adds about (\d+) tokens\. Sent again and again they make (\d+) in (\d+) turns, and would make (\d+) in (\d+)\.`).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	increment, _ := strconv.Atoi(m[1])
	require.Equal(t, strconv.Itoa(llm.ResentInput(increment, turns)), m[2])
	require.Equal(t, strconv.Itoa(llm.ResentInput(increment, 2*turns)), m[4])
	// The rest is what the first request held: instructions, tools, prompt.
	require.InEpsilon(t, input, llm.ResentInput(increment, turns), 0.5)
	require.Regexp(t, `\(over_budget: 2\d{4} of 20000 tokens\)\n$`, out)
}

// BUD-09: the result tells the spend, the limit, and the report made after it.
func TestSpend(t *testing.T) {
	status, out := try(t, "-json", "-max-tokens", "20000")
	require.Equal(t, 2, status)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var end struct {
		Reason  agent.Reason
		Partial bool
		Answer  string
		Spent   budget.Spent
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &end))
	require.Equal(t, agent.OverBudget, end.Reason)
	require.True(t, end.Partial)
	require.NotEmpty(t, end.Answer)
	before := end.Spent.Main.Input + end.Spent.Main.Output
	require.GreaterOrEqual(t, before, 20000)
	require.Less(t, before, 24000, "at most the request under way goes beyond the limit")
	require.NotZero(t, end.Spent.WrapUp.Input)
	require.Equal(t, end.Spent.Tokens(), before+end.Spent.WrapUp.Input+end.Spent.WrapUp.Output)
}

// With room enough it reads to the end.
func TestReadsToTheEnd(t *testing.T) {
	status, out := try(t, "-max-tokens", "1000000")
	require.Equal(t, 0, status)
	require.Contains(t, out, "I have read 1 files with about 6")
	require.Contains(t, out, "Spent ")
	require.NotContains(t, out, "after the limit")
}
