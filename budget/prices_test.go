package budget_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
)

// AGT-15, GEN-07: a price that is not said for cached input is that of input;
// the first model that has a price counts; a price that can't be counted with is
// refused, or a cost limit would never be met.
func TestPrices(t *testing.T) {
	used := llm.Usage{Input: 1_000_000, Cached: 900_000}
	require.InDelta(t, 2, budget.Price{Input: 2}.Cost(used), 1e-9)
	require.InDelta(t, 0.2+0.09, budget.Price{Input: 2, Cached: 0.1}.Cost(used), 1e-9)
	prices := budget.Prices{"configured": {Input: 1}}
	require.InDelta(t, 1, prices.Cost(used, "reported", "configured"), 1e-9)
	require.Zero(t, prices.Cost(used, "reported"))
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		require.Error(t, budget.Budget{Prices: budget.Prices{"m": {Output: bad}}}.Validate())
	}
}

// BUD-05: the limit, the amount used and the bound have names in a log.
func TestExceededJSON(t *testing.T) {
	data, err := json.Marshal(&budget.ExceededError{Limit: budget.Turns, Used: 3, Max: 2})
	require.NoError(t, err)
	require.JSONEq(t, `{"limit":"turns","used":3,"max":2}`, string(data))
}
