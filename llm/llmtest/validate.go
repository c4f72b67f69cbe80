package llmtest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/triad-go/triad/llm"
)

// A Rule is something that providers refuse a request for.
type Rule string

// The rules. Each is enforced by at least one provider with a status 400.
const (
	Role      Rule = "role"      // the roles are system, user, assistant and tool
	Part      Rule = "part"      // images stand in user messages and results, calls in assistant messages, results in tool messages
	Image     Rule = "image"     // an image has data and a media type
	Empty     Rule = "empty"     // no message, and no result, is empty or blank; reasoning alone is nothing
	ID        Rule = "id"        // each call has an id, and no two calls of a history have the same
	Name      Rule = "name"      // names of tools are 1 to 64 of A-Z a-z 0-9 _ -
	Arguments Rule = "arguments" // the arguments of a call are one JSON object
	Missing   Rule = "missing"   // each call has its result directly after its assistant message
	Orphan    Rule = "orphan"    // no result without its call directly before
	Twice     Rule = "twice"     // no call has two results
	Order     Rule = "order"     // results stand in the order of their calls
	Encoding  Rule = "encoding"  // all text is valid UTF-8 without NUL
	Tool      Rule = "tool"      // no two tools have one name; a schema is a JSON object of type object
	Choice    Rule = "choice"    // a choice that forces a call names a tool of the request
	Option    Rule = "option"    // numbers are in their range, and a format has a name and a schema

	Alternate Rule = "alternate" // strict dialects: user and assistant take turns, and the user begins
	Head      Rule = "head"      // strict dialects: all system text is one message at the head
	Echo      Rule = "echo"      // dialects that echo: the reasoning is there
	Tools     Rule = "tools"     // dialects that want it: a history with calls comes with tools
)

// Rules says what a request is held to. The zero Rules are those that hold
// everywhere.
type Rules struct {
	// Dialect adds what one provider is particular about: Strict adds
	// [Alternate] and [Head], EchoReasoning adds [Echo], and
	// Wire.ToolsForResults adds [Tools].
	Dialect llm.Dialect

	// Except names rules that need not hold. A history keeps what the model
	// and the tools really wrote, and llm/openai mends that on its way out: so
	// a test of what a run asks leaves out [Arguments], [Encoding] and [Name]
	// where its model writes broken calls.
	Except []Rule
}

// A Fault is a place in a request that breaks a rule.
type Fault struct {
	Rule    Rule
	Message int // the index in [llm.Request.Messages]; -1 for the rest of the request
	Part    int // the index in [llm.Message.Parts]; -1 for the message as a whole
	Reason  string
}

// String returns the fault as "messages[2].parts[0]: orphan: reason".
func (f Fault) String() string {
	place := "request"
	if f.Message >= 0 {
		place = fmt.Sprintf("messages[%d]", f.Message)
	}
	if f.Part >= 0 {
		place += fmt.Sprintf(".parts[%d]", f.Part)
	}
	return place + ": " + string(f.Rule) + ": " + f.Reason
}

// Faults is the error of a request that breaks rules: every break of every
// rule, first those of the whole request, then in the order of the messages.
type Faults []Fault

// Error implements error: one line a fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return "llmtest: a provider would refuse the request:\n\t" + strings.Join(lines, "\n\t")
}

// Has tells whether one of the faults breaks the rule.
func (fs Faults) Has(r Rule) bool {
	return slices.ContainsFunc(fs, func(f Fault) bool { return f.Rule == r })
}

// Validate returns nil if every provider would take the request, and else
// [Faults]. It is the zero [Rules]' Validate; a history alone is checked as
// llm.Request{Messages: history}.
func Validate(req llm.Request) error { return Rules{}.Validate(req) }

// Validate returns nil if the request breaks none of the rules, and else [Faults].
func (r Rules) Validate(req llm.Request) error {
	c := checker{Rules: r, req: req}
	c.request()
	c.messages()
	c.results()
	if len(c.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return a.Message - b.Message })
	return c.faults
}

// Strict returns c behind a gate: a request that breaks a rule of c's dialect
// ends in an error of kind [llm.ErrBadRequest] that wraps the [Faults], and
// never reaches c.
func Strict(c llm.Client) llm.Client { return Rules{Dialect: llm.DialectOf(c)}.Client(c) }

// Client returns c behind a gate as [Strict] does, with these rules.
func (r Rules) Client(c llm.Client) llm.Client { return gate{r, c} }

type gate struct {
	rules  Rules
	client llm.Client
}

func (g gate) Dialect() llm.Dialect { return llm.DialectOf(g.client) }

func (g gate) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := g.rules.Validate(req); err != nil {
		return func(yield func(llm.Chunk, error) bool) {
			yield(nil, &llm.Error{Kind: llm.ErrBadRequest, Client: "llmtest", Err: err})
		}
	}
	return g.client.Stream(ctx, req)
}
