package plan

import "github.com/triad-go/triad/agent"

// Research is a stub.
type Research struct{}

func (r *Research) summarize(s *State) agent.Job { return agent.Job{} }
