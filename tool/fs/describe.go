package fs

import (
	"encoding/json"
	"math"

	"github.com/invopop/jsonschema"

	"github.com/triad-go/triad/tool"
)

// describe puts words into the schema of a tool. They are no struct tags, so
// that a host can replace them; see [Texts].
//
// The cap that every tool has is raised where it would cut into what this
// package bounds by itself.
func (f *FS) describe(t tool.Tool, words map[string]string) tool.Tool {
	t.MaxText = max(tool.DefaultMaxText, 4*min(f.MaxText, math.MaxInt/4))
	var schema jsonschema.Schema
	if json.Unmarshal(t.Schema, &schema) != nil {
		return t // has no schema: reported when it is registered
	}
	for pair := schema.Properties.Oldest(); pair != nil; pair = pair.Next() {
		pair.Value.Description = words[pair.Key]
	}
	if worded, err := json.Marshal(&schema); err == nil {
		t.Schema = worded
	}
	return t
}
