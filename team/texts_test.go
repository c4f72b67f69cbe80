package team

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/agent/prompt"
	"github.com/triad-go/triad/llm/llmtest"
	"github.com/triad-go/triad/plan"
)

// What is filled in is not looked at again, and a value is no name.
func TestFill(t *testing.T) {
	require.Equal(t, "{b} b {c} {", fill("{a} {b} {c} {", "a", "{b}", "b", "b"))
	require.Equal(t, "b x", fill("{a} {b}", "a", "b", "b", "x"))
}

// GEN-09: the prompts and all other words can be replaced; what is not stays
// English.
func TestWordsAreReplaceable(t *testing.T) {
	files, err := prompt.Load(fstest.MapFS{
		"modes/team-planner.md":  {Data: []byte("plane\n# Reply format\nx")},
		"modes/team-reviewer.md": {Data: []byte("prüfe\n# Reply format\nx")},
		"modes/team-worker.md":   {Data: []byte("arbeite")},
	})
	require.NoError(t, err)
	full := (&Orchestrator{Client: llmtest.Script(), Files: files}).complete()
	require.Equal(t, "plane\n# Reply format\nx", full.Planner.(*plan.ModelPlanner).Request.System)
	require.Equal(t, "prüfe\n# Reply format\nx", full.Reviewer.(*agent.Loop).Instructions)
	for i, name := range []string{"worker-1", "worker-2"} {
		w := full.Workers[i].(*agent.Loop)
		text, err := w.Prompt.Prompt(t.Context(), agent.Occasion{})
		require.NoError(t, err)
		require.Contains(t, text, "arbeite")
		require.Equal(t, name, w.Name)
	}
	words := Texts{Redo: "nochmal: {issues}"}.complete()
	require.Equal(t, "nochmal: {issues}", words.Redo)
	require.Equal(t, english.NoCalls, words.NoCalls)

	built, err := prompt.Load()
	require.NoError(t, err)
	require.Equal(t, built.Text(prompt.TeamReviewer), NewReviewer(llmtest.Script()).Instructions)
}
