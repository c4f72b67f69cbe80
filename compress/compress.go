// Package compress keeps long runs inside their model's context window, keeps
// what matters, and keeps prompt caches warm.
//
// A [Compressor] is asked before each model request what the request should
// tell. [Default] and [Lean] are made of tiers, cheapest first.
package compress

import (
	"context"

	"github.com/triad-go/triad/llm"
)

// A Compressor looks at what the next request would tell and says what it
// should tell instead. It is shared by any number of runs at once; what it
// must remember of a run is in [View.Memory].
//
// The zero Compaction says that nothing is to change. An error that is, or
// wraps, [ErrFull] says that the request can't be made to fit; any other error
// is one of ctx or of the caller. A summary that could not be made is no
// error: see [Compaction.Failed]. With an error the Compaction changes nothing,
// and tells what was spent until then: Usage, Model, Window and Failed.
type Compressor interface {
	Compress(ctx context.Context, v View) (Compaction, error)
}

// A View is what a [Compressor] is shown. No call is open in it. Nothing in it
// is to be changed.
type View struct {
	Run     string      // the run's id, which one in memory has too (it is made up then)
	Request llm.Request // the request that would be made

	Dialect llm.Dialect // of the client that gets it
	Client  llm.Client  // that client

	// Reported is what the provider counted for the last request and its reply,
	// which are the first Covers messages of the request. 0 is not known, as it
	// is after a compaction.
	Reported, Covers int

	// Window is what an earlier refusal told of the window, as the run's log has
	// it; 0 if nothing has.
	Window int

	// Overflow is the provider's refusal of this request as too long; nil if it
	// has not been made yet.
	Overflow *llm.Error

	// Protected tells which tools' results are never cleared or cut.
	Protected func(tool string) bool

	// Memory is what compressors remember of the run while this process works
	// on it. It belongs to one run.
	Memory *Memory
}

// A Compaction is what a request should tell in place of what it would: the
// first Keep messages as they are, then Messages.
type Compaction struct {
	Changed  bool          `json:"changed,omitempty"`
	Keep     int           `json:"keep"`
	Messages []llm.Message `json:"messages,omitempty"`

	// Tiers are those that did something, such as "offload" or "summarize".
	Tiers []string `json:"tiers,omitempty"`

	// Estimated tokens of the request, and its number of messages, before and after.
	Before         int `json:"before,omitempty"`
	After          int `json:"after,omitempty"`
	MessagesBefore int `json:"messages_before,omitempty"`
	MessagesAfter  int `json:"messages_after,omitempty"`

	Dropped int       `json:"dropped,omitempty"` // messages lost without a summary
	Usage   llm.Usage `json:"usage,omitzero"`    // of requests for summaries, failed ones too
	Model   string    `json:"model,omitempty"`   // that answered them
	Window  int       `json:"window,omitempty"`  // learned from the provider's refusal
	Failed  string    `json:"failed,omitempty"`  // why a summary could not be made; the request goes out as it is
}
