package cli

import (
	"os"

	"github.com/triad-go/triad/agent"
	"github.com/triad-go/triad/budget"
	"github.com/triad-go/triad/llm"
	"github.com/triad-go/triad/llm/openai"
	"github.com/triad-go/triad/tool"
)

// Client returns the client of the endpoint that the environment names
// (OPENAI_API_KEY, OPENAI_BASE_URL), or demo where it names none.
func (o *Options) Client(demo llm.Client) llm.Client {
	if os.Getenv("OPENAI_API_KEY") == "" && os.Getenv("OPENAI_BASE_URL") == "" {
		return demo
	}
	client := openai.New(o.Model)
	client.Silence = o.IdleTimeout
	return &llm.Retry{Client: client}
}

// Budget returns the limits that the flags set.
func (o *Options) Budget() budget.Budget {
	return budget.Budget{Turns: o.MaxTurns, Time: o.Timeout}
}

// Policy asks about each side effect; with -yes it allows all.
func (o *Options) Policy() tool.Policy {
	if o.Yes {
		return nil
	}
	return agent.AskForSideEffects
}
