package budget

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A Price is what a million tokens cost.
type Price struct {
	Input  float64 // not served from the cache
	Cached float64 // served from the cache; 0 is as Input
	Output float64 // reasoning included
}

// Prices are prices by model. A name that ends in * stands for all models that
// begin so; the longest that fits counts, an exact one before all.
type Prices map[string]Price

// Of returns the price of a model, and whether there is one.
func (p Prices) Of(model string) (Price, bool) {
	if price, ok := p[model]; ok {
		return price, true
	}
	best := ""
	for name := range p {
		if prefix, ok := strings.CutSuffix(name, "*"); ok && strings.HasPrefix(model, prefix) && len(name) > len(best) {
			best = name
		}
	}
	price, ok := p[best]
	return price, ok && best != ""
}

// Known tells whether a model has a price.
func (p Prices) Known(model string) bool {
	_, ok := p.Of(model)
	return ok
}

// Cost returns what u costs. A cached token costs the cached price alone.
func (p Price) Cost(u llm.Usage) float64 {
	plain := u.Input - u.Cached
	return (float64(plain)*p.Input + float64(u.Cached)*cmp.Or(p.Cached, p.Input) + float64(u.Output)*p.Output) / 1e6
}

// Cost returns what u costs by the price of the first model that has one: the
// one that a reply names, say, and else the one that was asked for. It is 0 if
// none has.
func (p Prices) Cost(u llm.Usage, models ...string) float64 {
	for _, model := range models {
		if price, ok := p.Of(model); ok {
			return price.Cost(u)
		}
	}
	return 0
}

// An UnpricedError says that cost is bounded and the price of a model is not known.
type UnpricedError struct{ Model string }

// Error implements error.
func (e *UnpricedError) Error() string {
	return fmt.Sprintf("budget: cost is bounded and the price of model %q is not known", e.Model)
}
