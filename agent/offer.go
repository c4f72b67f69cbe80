package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/compress"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// A shipper is a compressor that brings tools, such as one that reads back
// what was put aside. They are on offer beside the loop's own.
type shipper interface{ Tools() []tool.Tool }

// A fitter is a compressor that can say beforehand that a request never fits.
type fitter interface {
	Fits(req llm.Request, d llm.Dialect) error
}

// offer is the list of tools as it is now, with what the compressor brings.
// The same tools are the same list.
func (m *loopMode) offer() *tool.List {
	own := m.loop.Tools.List()
	s, ok := m.loop.Compressor.(shipper)
	if !ok {
		return own
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.whole == nil || m.own != own {
		whole, err := own.With(s.Tools()...)
		if err != nil {
			whole = own // Validate has refused such tools
		}
		m.own, m.whole = own, whole
	}
	return m.whole
}

// fits checks what the compressor needs before the first request.
func (l *Loop) fits() error {
	if s, ok := l.Compressor.(shipper); ok {
		if _, err := l.Tools.List().With(s.Tools()...); err != nil {
			return err
		}
	}
	f, ok := l.Compressor.(fitter)
	if !ok || l.Client == nil {
		return nil
	}
	return f.Fits(llm.Request{System: l.Instructions, Tools: l.Tools.List().Specs()}, llm.DialectOf(l.Client))
}

// compact asks the compressor about a request. The fact is nil if it goes out
// as it is.
func (a *asking) compact(ctx context.Context, req llm.Request, tell func(Event) bool) (Fact, error) {
	l := a.loop
	if l.Compressor == nil || a.compacted {
		return nil, nil
	}
	if a.memory == nil {
		a.memory = &compress.Memory{}
	}
	c, err := l.Compressor.Compress(ctx, a.view(req))
	cost := l.cost(c.Model, c.Usage)
	a.scope.Pool.Add(budget.Spent{Summary: c.Usage, Cost: cost})
	if err != nil && c.Usage != (llm.Usage{}) { // paid, and came to nothing
		tell(Compacted{Compaction: compress.Compaction{Usage: c.Usage, Model: c.Model}, Cost: cost})
	}
	switch {
	case errors.Is(err, compress.ErrFull):
		return Stopped{Reason: Failed, Cause: ContextFull, Detail: err.Error(), Turn: max(1, a.turn)}, nil
	case err != nil:
		return nil, fmt.Errorf("agent: compacting: %w", err)
	case !c.Changed && c.Failed == "":
		return nil, nil
	}
	return Compacted{Compaction: c, Told: a.step.Told, Later: a.step.Later, Cost: cost}, nil
}

func (a *asking) view(req llm.Request) compress.View {
	list := a.offer()
	return compress.View{
		Run: a.scope.ID, Request: req, Client: a.loop.Client, Dialect: llm.DialectOf(a.loop.Client),
		Reported: a.reported, Covers: a.covers, Window: a.window, Overflow: a.overflow, Memory: a.memory,
		Protected: func(name string) bool {
			t, ok := list.Find(name)
			return ok && t.Protected
		},
	}
}
