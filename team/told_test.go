package team_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/team"
)

// TEAM-06, PLAN-E58, CMP-03: what a task builds on and is too long is read back
// by its worker, in the run that does the work; a reviewer, who has no tools,
// is told its beginning and end.
func TestLongResultIsReadBack(t *testing.T) {
	kept := regexp.MustCompile(`kept as (res_[a-z2-7]+)`)
	whole := "HEAD" + strings.Repeat("0123456789", 4_000) + "TAIL"
	worker := llmtest.Func(func(req llm.Request) llmtest.Answer {
		told := req.Messages[0].Text()
		last := req.Messages[len(req.Messages)-1]
		switch id := kept.FindStringSubmatch(told); {
		case strings.Contains(told, "do step_1"):
			return llmtest.Text(whole)
		case id == nil:
			return llmtest.Text("there is nothing to read")
		case len(last.Results()) == 0:
			return llmtest.Call("k", compress.ReadResult, fmt.Sprintf(`{"id":%q,"offset":20000,"limit":30000}`, id[1]))
		}
		return llmtest.Text(last.Results()[0].Text)
	})
	var reviewed []string
	reviewer := llmtest.Func(func(req llm.Request) llmtest.Answer {
		reviewed = append(reviewed, req.Messages[0].Text())
		return llmtest.Text(approve)
	})
	w := team.NewWorker("worker-1", worker, nil)
	w.Compressor = compress.Default(worker, t.TempDir())
	o := &team.Orchestrator{
		Planner: drafts("step_1", "step_2 after step_1"), Workers: []agent.Worker{w}, Reviewer: team.NewReviewer(reviewer),
	}
	run := open(t, o)
	require.Equal(t, agent.Completed, drain(t, run).Reason)
	require.Contains(t, tasks(t, run)[1].Result, whole[20_000:])
	task, _, _ := strings.Cut(reviewed[1], "</task>")
	require.Contains(t, task, whole[:2_000]+"\n")
	require.Contains(t, task, "\n"+whole[len(whole)-800:])
	require.Less(t, len(task), 5_000)
}

// A team works on text: an image is refused at once, and the run goes on without it.
func TestNoImages(t *testing.T) {
	run := open(t, script("step_1 work: done\nstep_1 review: "+approve).team("step_1"))
	require.ErrorIs(t, run.SayParts(llm.Text("see"), llm.Image{MediaType: "image/png", Data: []byte("png")}), agent.ErrNoImages)
	require.NoError(t, agent.Drain(t.Context(), run, nil))
	require.Equal(t, agent.Completed, run.Result().Reason)
	log, err := run.Log(t.Context())
	require.NoError(t, err)
	for _, e := range log {
		if said, ok := e.Fact.(agent.Said); ok {
			require.NotContains(t, said.Text, "see")
		}
	}
}
