package openai

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/triad-go/triad/llm"
)

// facts are what a history is judged by, message by message.
type facts struct {
	role    llm.Role
	calls   []string // ids, as stored
	results []string // ids of their calls
	hashes  []uint64 // of calls
	images  bool     // results hold images
	odd     bool     // it is not to be sent as it is, whatever stands around it
	fault   string   // it can't be sent at all
}

// seed is this process's; hashes never leave it.
var seed = maphash.MakeSeed()

func factsOf(m *llm.Message) facts {
	f := facts{role: m.Role, odd: m.Origin == llm.FromAborted}
	switch m.Role {
	case llm.System, llm.User, llm.Assistant, llm.Tool:
	default:
		f.fault = fmt.Sprintf("unknown role %q", m.Role)
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text, llm.Reasoning, llm.Image:
			f.odd = f.odd || m.Role == llm.Tool
		case llm.ToolCall:
			f.odd = f.odd || m.Role != llm.Assistant || p.ID == "" || slices.Contains(f.calls, p.ID)
			f.calls = append(f.calls, p.ID)
			f.hashes = append(f.hashes, maphash.String(seed, p.ID)|1) // never 0
		case llm.ToolResult:
			f.odd = f.odd || m.Role != llm.Tool
			f.images = f.images || len(p.Images) > 0
			f.results = append(f.results, p.CallID)
		default:
			f.fault = fmt.Sprintf("unknown kind of part %T", p)
		}
	}
	return f
}

// sound tells whether the history can go out as it is: each assistant message
// with calls is followed by one message with their results, in order; there are
// no other results; no id stands for two calls. A strict receiver also wants
// what [alternate] sees to. A history that is not sound is sent through [repair].
func sound(history []*encoded, strict bool) bool {
	calls := 0
	before := llm.System
	for i := 0; i < len(history); i++ {
		e := history[i]
		switch {
		case e.odd || e.role == llm.Tool:
			return false
		case len(e.wire) == 0:
			continue
		case strict && (e.role == llm.System || !alternates(before, e.role)):
			return false
		}
		before = e.role
		if len(e.calls) == 0 {
			continue
		}
		calls += len(e.calls)
		i++
		if i == len(history) || !answers(history[i], e) || strict && history[i].images {
			return false
		}
		before = llm.Tool
	}
	return distinct(history, calls)
}

func answers(e, calls *encoded) bool {
	return e.role == llm.Tool && !e.odd && slices.Equal(e.results, calls.calls)
}

// distinct tells whether all ids of calls differ. It may say no where two only
// share a hash, which costs time and nothing else.
func distinct(history []*encoded, calls int) bool {
	table := make([]uint64, 1<<bits.Len(uint(2*calls)))
	mask := uint64(len(table) - 1)
	for _, e := range history {
		for _, h := range e.hashes {
			at := (h >> 1) & mask
			for ; table[at] != 0; at = (at + 1) & mask {
				if table[at] == h {
					return false
				}
			}
			table[at] = h
		}
	}
	return true
}
