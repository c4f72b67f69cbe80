package compress_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/tool"
)

const (
	needleFirst    = "the port is 4711"
	needleResult   = "the key is under the third stone"
	needleDecision = "we decided to use plum-coloured paint"
)

// A run of 1,000 turns on a window of 32,000, with results of 100 to 50,000
// characters, ends without an overflow; what was said in the first message, in
// an early result and in an early decision can be found at the end.
func TestThousandTurns(t *testing.T) {
	for name, preset := range map[string]func(llm.Client, string) *compress.Tiers{"Default": compress.Default, "Lean": compress.Lean} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := &model{window: 32_000}
			m.sum = copying
			m.next = func(turn int, _ llm.Request) llmtest.Answer {
				switch {
				case turn > 1_000:
					return llmtest.Text("done")
				case turn == 5:
					return llmtest.Calls(llmtest.Text("DECISION: "+needleDecision), callLook(turn))
				}
				return callLook(turn)
			}
			tools := tool.NewRegistry(longLook())
			compressor := preset(nil, dir)
			run, err := (&agent.Loop{Client: m, Tools: tools, Compressor: compressor}).Open(t.Context(), agent.Scope{}, "Find out all. "+needleFirst)
			require.NoError(t, err)
			events(t, run)
			require.Equal(t, agent.Completed, run.Result().Reason)
			require.Equal(t, 1_001, run.Result().Turns)
			require.Zero(t, m.refused)
			require.Empty(t, m.faults)
			last := m.requests[len(m.requests)-1]
			all := fmt.Sprint(last.Messages)
			require.Contains(t, all, needleFirst)
			require.Contains(t, all, needleDecision)
			require.Contains(t, all, "read_result with the id list")
			require.NotContains(t, all, dir)
			require.True(t, findable(t, compressor.Tools()[0], run.ID(), needleResult))
		})
	}
}

// longLook returns 100 to 50,000 characters, and a needle in the middle of an early one.
func longLook() tool.Tool {
	return tool.New("look", "Looks.", func(_ context.Context, in lookIn) (string, error) {
		chars := 100 + in.N*7919%3_000
		if in.N%10 == 3 {
			chars = 20_000 + in.N*104_729%30_001
		}
		text := strings.Repeat(fmt.Sprintf("%d lorem ipsum ", in.N), chars/12+1)[:chars]
		if in.N == 3 {
			text = text[:chars/2] + needleResult + text[chars/2:]
		}
		return text, nil
	}, tool.ReadOnly)
}

var decisions = regexp.MustCompile(`DECISION: [a-z -]+`)

// copying summarizes as a diligent model: it keeps the decisions it reads.
func copying(req llm.Request) llmtest.Answer {
	kept := map[string]bool{}
	var lines []string
	for _, d := range decisions.FindAllString(fmt.Sprint(req.Messages), -1) {
		if !kept[d] {
			kept[d], lines = true, append(lines, d)
		}
	}
	return llmtest.Text(strings.Replace(summaryOf("work"), "None.", strings.Join(lines, "\n"), 1)).Costing(1_000, 100)
}

var ids = regexp.MustCompile(`res_[a-z2-7]{20}`)

// findable does what a model can do: it reads the list, and then each result.
func findable(t *testing.T, read tool.Tool, run, needle string) bool {
	t.Helper()
	page := func(id string, offset int) string {
		return read.Do(t.Context(), tool.Call{Name: read.Name, Key: run + "/1.1", Arguments: fmt.Appendf(nil, `{"id":%q,"offset":%d,"limit":30000}`, id, offset)}).Result.Text
	}
	for _, id := range ids.FindAllString(page("list", 0), -1) {
		if strings.Contains(page(id, 0)+page(id, 30_000), needle) {
			return true
		}
	}
	return false
}
