//go:build unix

package shell_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/shell"
)

// TOOL-40: MaxOutput is the bound, also where it is over the cap that every
// tool has.
func TestMaxOutputIsTheBound(t *testing.T) {
	const command = "head -c 400000 /dev/zero | tr '\\0' q; head -c 400000 /dev/zero | tr '\\0' e >&2"
	for _, most := range []int{400_000, math.MaxInt} {
		program := shell.Process{Program: "/bin/sh", Args: []string{"-c", command}, MaxOutput: most}
		made, err := program.Tool(llm.Spec{Name: "program"})
		require.NoError(t, err)
		for _, tl := range []tool.Tool{shell.Shell{MaxOutput: most}.Tool(), made} {
			registry := tool.NewRegistry(tl)
			require.NoError(t, registry.Err())
			r := tl.Do(t.Context(), tool.Call{Arguments: arguments(t, map[string]any{"command": command})}).Result
			require.Equal(t, tool.OK, r.Outcome)
			require.Equal(t, 400_000, strings.Count(r.Text, "q"), tl.Name)
			require.NotContains(t, r.Text, "left out")
		}
	}
	// Each byte that is no text is told as three.
	garbage := shell.Shell{MaxOutput: 200_000}.Tool()
	r := garbage.Do(t.Context(), tool.Call{Arguments: json.RawMessage(`{"command":"yes \"$(printf 'x\\377')\" | head -c 200000"}`)}).Result
	require.Equal(t, tool.OK, r.Outcome)
	require.NotContains(t, r.Text, "left out")
}

// TOOL-26: the description tells the limit and the cap that hold.
func TestDescriptionTellsTheCap(t *testing.T) {
	const minute = 60 * 1e9
	for want, s := range map[string]shell.Shell{
		"The time limit is 60 seconds; timeout_seconds asks for another, up to 300:":  {},
		"The time limit is 600 seconds; timeout_seconds asks for another, up to 600:": {Limit: 10 * minute},
		"The time limit is 30 seconds; timeout_seconds asks for another, up to 30:":   {LimitCap: minute / 2},
		"There is no time limit; timeout_seconds asks for one, up to 300.":            {Limit: tool.Unlimited},
	} {
		about := s.Tool().Description
		require.Contains(t, about, want)
		require.NotContains(t, about, "180")
	}
}
