package compress

import (
	"context"
	"errors"
	"fmt"

	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/tool"
)

// Tiers is the [Compressor] of this package. It takes the tiers that are set in
// the order of their cost, and each only if those before it did not do enough.
// Each is usable alone: a Tiers with Offload only never asks a model for
// anything. It is data, shared by any number of runs and never changed by them.
//
// A tier that changes what has been sent before makes the provider's cache
// worthless from there on. So it clears all that it may at once, and does
// nothing if that is less than a tenth of T (see [Trigger]), unless the request
// would not fit otherwise.
type Tiers struct {
	// Window is the context window in tokens; 0 is that of the client's dialect.
	// A smaller one that a provider names when it refuses a request takes its place.
	Window int

	// Estimator counts tokens; nil is [Characters].
	Estimator Estimator

	// Protected names tools, in any case of letters, whose results are never
	// cleared or cut, beside those that say so themselves. Nil is load_skill.
	Protected []string

	Offload   *Offload   // large results, when they come
	Age       *Age       // results and arguments of some turns ago, each turn
	Clear     *Clear     // old results, all at once
	Summarize *Summarize // all but the newest messages

	// Texts are the words that a model is told; the zero Texts is English.
	Texts Texts
}

// Default returns the usual tiers: large results are offloaded to dir, old ones
// cleared, and the history is summarized by client as it nears the window. A
// nil client is the run's own. An empty dir is no store: large results are cut.
// Two runs of one id must not have one dir.
func Default(client llm.Client, dir string) *Tiers {
	return &Tiers{Offload: &Offload{Dir: dir}, Clear: &Clear{}, Summarize: &Summarize{Client: client}}
}

// Lean returns tiers that keep the bill of a long run low, with small previews,
// a small context and few changes of what the provider's cache holds. Client
// and dir are as in [Default]; with the run's own client, the requests for
// summaries are served by that cache too.
func Lean(client llm.Client, dir string) *Tiers {
	return &Tiers{
		Offload: &Offload{Dir: dir, Limit: Bound{8000, 1. / 8}, Preview: Bound{700, 1. / 30}},
		Clear: &Clear{
			Early: true, Free: Bound{16_000, 1. / 6}, Keep: new(6), KeepTokens: Bound{Share: 0.1},
		},
		Summarize: &Summarize{
			Client: client, Cached: true, Trigger: Bound{Tokens: 100_000}, Keep: Bound{8000, 1. / 8}, Exchanges: new(1 << 30),
		},
	}
}

// Compress implements [Compressor].
func (t *Tiers) Compress(ctx context.Context, v View) (Compaction, error) {
	if err := t.Validate(); err != nil {
		return Compaction{}, err
	}
	w := t.begin(v)
	if t.Offload != nil {
		w.offload(t.Offload)
	}
	w.read, w.owned = w.messages, false
	if t.Age != nil {
		w.age(t.Age)
	}
	if t.Clear != nil {
		w.clear(t.Clear)
	}
	if t.Summarize != nil {
		w.summarize(ctx, t.Summarize)
	}
	if err := ctx.Err(); err != nil {
		return w.spent(), fmt.Errorf("compress: %w", context.Cause(ctx))
	}
	return w.end()
}

// Tools returns read_result, if there is a store to read from.
func (t *Tiers) Tools() []tool.Tool {
	if t.Offload == nil || t.Offload.Dir == "" {
		return nil
	}
	return []tool.Tool{t.Offload.reader(t.Texts.complete())}
}

// Fits returns an error if the tiers are faulty, or if system text and tools
// alone exceed T: no compaction could ever help then. The error is an [ErrFull].
func (t *Tiers) Fits(req llm.Request, d llm.Dialect) error {
	if err := t.Validate(); err != nil {
		return err
	}
	for _, own := range t.Tools() {
		if !offers(req, own.Name) {
			req.Tools = append(req.Tools[:len(req.Tools):len(req.Tools)], own.Spec)
		}
	}
	c := counter{or(t.Estimator, Estimator(Characters{})), d}
	e := &FullError{Window: or(t.Window, d.ContextWindow()), System: c.system(req.System), Tools: c.tools(req.Tools) + c.format(req.Format), Place: -1}
	e.Limit, e.Request = Trigger(e.Window), e.System+e.Tools
	if e.Request > e.Limit {
		return e
	}
	return nil
}

func offers(req llm.Request, name string) bool {
	for _, s := range req.Tools {
		if s.Name == name {
			return true
		}
	}
	return false
}

// Validate returns an error that tells of all that is wrong with the numbers.
func (t *Tiers) Validate() error {
	var faults []error
	number := func(name string, n int) {
		if n < 0 {
			faults = append(faults, fmt.Errorf("compress: %s: %d is negative", name, n))
		}
	}
	bound := func(name string, b Bound) {
		if err := b.validate(); err != nil {
			faults = append(faults, fmt.Errorf("compress: %s: %w", name, err))
		}
	}
	number("Window", t.Window)
	if o := t.Offload; o != nil {
		number("Offload.Chars", o.Chars)
		number("Offload.Head", o.Head)
		number("Offload.Tail", o.Tail)
		bound("Offload.Limit", o.Limit)
		bound("Offload.Joint", o.Joint)
		bound("Offload.Preview", o.Preview)
	}
	if a := t.Age; a != nil {
		number("Age.Turns", value(a.Turns, 0))
		number("Age.Argument", a.Argument)
	}
	if c := t.Clear; c != nil {
		number("Clear.Keep", value(c.Keep, 0))
		number("Clear.Least", c.Least)
		bound("Clear.Trigger", c.Trigger)
		bound("Clear.Free", c.Free)
		bound("Clear.KeepTokens", c.KeepTokens)
	}
	if s := t.Summarize; s != nil {
		number("Summarize.Exchanges", value(s.Exchanges, 0))
		number("Summarize.Segment", s.Segment)
		number("Summarize.Result", s.Result)
		bound("Summarize.Trigger", s.Trigger)
		bound("Summarize.Keep", s.Keep)
		bound("Summarize.First", s.First)
		bound("Summarize.Size", s.Size)
	}
	return errors.Join(faults...)
}

// value returns what p points to, or otherwise where it is nil.
func value[V any](p *V, otherwise V) V {
	if p != nil {
		return *p
	}
	return otherwise
}
