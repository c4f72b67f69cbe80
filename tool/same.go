package tool

import (
	"encoding/json"
	"time"

	"github.com/triad-go/triad/llm"
)

// Same returns bytes that are equal for two calls of one tool that count as the
// same: their arguments in one form, less those that [Tool.Ignore] names.
// Arguments that a gate refused stand as the model wrote them. The bytes are
// not to be changed.
func (l *List) Same(call llm.ToolCall, check Check) []byte {
	e, ok := l.find(call.Name)
	if !ok || check.Arguments == nil {
		return []byte(call.Arguments)
	}
	if len(e.tool.Ignore) == 0 {
		return check.Arguments
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(check.Arguments, &object) != nil {
		return check.Arguments
	}
	for _, name := range e.tool.Ignore {
		delete(object, name)
	}
	rest, err := json.Marshal(object) // sorts the names
	if err != nil {
		return check.Arguments
	}
	return rest
}

// Limit returns the limit of the tool named name: [DefaultLimit] where it sets
// none, and where there is no such tool.
func (l *List) Limit(name string) time.Duration {
	if e, ok := l.find(name); ok && e.tool.Limit != 0 {
		return e.tool.Limit
	}
	return DefaultLimit
}
