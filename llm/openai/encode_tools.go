package openai

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/triad-go/triad/llm"
)

// A memo keeps encodings by what is encoded. The zero memo is ready; it may be
// used by many goroutines at once.
type memo[K comparable] struct {
	mu    sync.Mutex
	known map[K][]byte
}

// maxMemo bounds a memo. One that is full begins anew: who fills it makes up
// something new for every request.
const maxMemo = 256

type (
	headKey struct {
		text string
		mark bool
	}
	specKey struct{ name, description, schema string }
)

func (m *memo[K]) get(key K) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wire, ok := m.known[key]
	return wire, ok
}

func (m *memo[K]) put(key K, wire []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxMemo {
		m.known = map[K][]byte{}
	}
	m.known[key] = wire
}

// spec returns a tool as it is sent. Strict mode is never asked for: foreign
// schemas have what it refuses (B074), and arguments are checked here anyway.
func (e *encoder) spec(spec llm.Spec) ([]byte, error) {
	key := specKey{spec.Name, spec.Description, string(spec.Schema)}
	if wire, ok := e.specs.get(key); ok {
		return wire, nil
	}
	schema, err := parameters(spec.Schema)
	if err != nil {
		return nil, err
	}
	wire := appendString([]byte(`{"type":"function","function":{"name":`), spec.Name)
	if spec.Description != "" {
		wire = appendString(append(wire, `,"description":`...), spec.Description)
	}
	wire = append(append(append(wire, `,"parameters":`...), schema...), "}}"...)
	e.specs.put(key, wire)
	return wire, nil
}

// appendTools appends the list of tools, in its order. mark puts a cache mark on the last.
func (e *encoder) appendTools(dst []byte, tools []llm.Spec, mark bool) ([]byte, error) {
	dst = append(dst, '[')
	seen := make(map[string]bool, len(tools))
	for i, spec := range tools {
		switch {
		case spec.Name == "":
			return nil, fmt.Errorf("tool %d has no name", i)
		case seen[spec.Name]:
			return nil, fmt.Errorf("tool %q is listed twice", spec.Name)
		}
		seen[spec.Name] = true
		wire, err := e.spec(spec)
		if err != nil {
			return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, wire...)
		if mark && i == len(tools)-1 {
			dst = append(dst[:len(dst)-1], cacheMark+"}"...)
		}
	}
	return append(dst, ']'), nil
}

// called lists the tools that a history calls, in the order of their first call.
func called(messages []llm.Message) (tools []llm.Spec) {
	seen := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			if name := toolName(c.Name); !seen[name] {
				seen[name] = true
				tools = append(tools, llm.Spec{Name: name})
			}
		}
	}
	return tools
}

// emptyObject is the schema of no arguments.
const emptyObject = `{"type":"object","properties":{}}`

// parameters returns a schema as it is sent: an object at the root, with
// properties, and without $schema. All else stays, in its order: $defs are
// referred to, and models write arguments in the order in which they read
// them (B073, B076, B078). A tool's own check uses the schema as it was.
func parameters(schema json.RawMessage) ([]byte, error) {
	if len(trim(schema)) == 0 {
		return []byte(emptyObject), nil
	}
	raw, err := compacted(schema)
	if err != nil {
		return nil, err
	}
	switch v := value(raw); {
	case string(v) == "null", string(v) == "true", string(v) == "false":
		return []byte(emptyObject), nil
	case !v.isObject():
		return nil, fmt.Errorf("it is not a JSON Schema: %.40s", v)
	default:
		return rooted(withoutNulls(v, 0)), nil
	}
}
