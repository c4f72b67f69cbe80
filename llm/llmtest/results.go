package llmtest

import "github.com/triad-go/triad/llm"

// results checks calls against results: after each assistant message with
// calls stand its results, all of them, in order, and nothing else.
func (c *checker) results() {
	messages := c.req.Messages
	for i := 0; i < len(messages); {
		from := i
		var calls []llm.ToolCall
		if messages[i].Role == llm.Assistant {
			calls = messages[i].Calls()
			i++
		}
		begin := i
		for i < len(messages) && messages[i].Role == llm.Tool {
			i++
		}
		c.answers(from, calls, begin, i)
		if i == from { // neither a call nor a result
			i++
		}
	}
}

// answers checks the results in messages[begin:end] against the calls of message from.
func (c *checker) answers(from int, calls []llm.ToolCall, begin, end int) {
	answered := make([]bool, len(calls))
	last := -1
	for i := begin; i < end; i++ {
		for j, p := range c.req.Messages[i].Parts {
			r, ok := p.(llm.ToolResult)
			if !ok {
				continue
			}
			k, known := open(calls, answered, r.CallID)
			switch {
			case k < 0 && known:
				c.fault(Twice, i, j, "a second result of call %q", r.CallID)
				continue
			case k < 0:
				c.fault(Orphan, i, j, "no call %q directly before it", r.CallID)
				continue
			case k < last:
				c.fault(Order, i, j, "the result of call %q stands behind that of a later call", r.CallID)
			}
			answered[k] = true
			last = max(last, k)
			if r.Name != "" && r.Name != calls[k].Name {
				c.fault(Orphan, i, j, "the result of call %q is of tool %q, the call of %q", r.CallID, r.Name, calls[k].Name)
			}
		}
	}
	for k, call := range calls {
		if !answered[k] {
			c.fault(Missing, from, place(c.req.Messages[from].Parts, k), "call %q has no result directly after its message", call.ID)
		}
	}
}

// open returns the place of the first call of this id that has no result yet,
// or -1 and whether there is one that has.
func open(calls []llm.ToolCall, answered []bool, id string) (place int, known bool) {
	for k, call := range calls {
		if call.ID == id {
			if !answered[k] {
				return k, true
			}
			known = true
		}
	}
	return -1, known
}

// place returns the index of the k'th call among the parts.
func place(parts llm.Parts, k int) int {
	for j, p := range parts {
		if _, ok := p.(llm.ToolCall); ok {
			if k == 0 {
				return j
			}
			k--
		}
	}
	return -1
}
