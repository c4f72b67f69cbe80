package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// B076: nothing dangles, whatever the root was.
func TestReferencesHold(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"f":{"$ref":"#/$defs/F"}},"$defs":{"F":{"type":"string"}},"additionalProperties":false,"description":"d"}`,
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object","properties":{"f":{"$ref":"#/$defs/F"}}},"F":{"type":"string"}}}`,
		`{"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}],"$defs":{"A":{"type":"object","properties":{"f":{"$ref":"#/$defs/F"}}},"F":{"type":"string"}}}`,
	} {
		sent, err := parameters(json.RawMessage(schema))
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(sent))
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource("mem:///s", doc))
		compiled, err := c.Compile("mem:///s")
		require.NoError(t, err, "%s", sent)
		require.NoError(t, compiled.Validate(map[string]any{"f": "text"}))
		require.Error(t, compiled.Validate(map[string]any{"f": 7}), "%s", sent)
	}
}

// B078: a reference that goes round, or nowhere, and choices without end are
// an object too, and soon.
func TestSchemasThatGoRound(t *testing.T) {
	var wide strings.Builder
	for i := range 60 {
		fmt.Fprintf(&wide, `,"A%d":{"anyOf":[{"$ref":"#/$defs/A%d"},{"$ref":"#/$defs/A%d"}]}`, i, i+1, i+1)
	}
	for _, schema := range []string{
		`{"$ref":"#"}`, `{"$ref":"#/$defs/none"}`, `{"$ref":"https://elsewhere.test/s"}`, `{"$ref":7}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
		`{"anyOf":[{"$ref":"#/$defs/A0"}],"$defs":{"x":{}` + wide.String() + `}}`,
		`{"anyOf":{"not":"a list"}}`, `{"anyOf":[7,null,"x"]}`, `{"properties":[1],"required":"a"}`,
		`{"type":"array","items":{"type":"string"}}`, `{"enum":[1]}`,
		strings.Repeat(`{"properties":{"required":null,"a":`, 300) + "{}" + strings.Repeat("}}", 300),
	} {
		sent, err := parameters(json.RawMessage(schema))
		require.NoError(t, err)
		var root struct {
			Type       string
			Properties map[string]any
		}
		require.NoError(t, json.Unmarshal(sent, &root), "%s", sent)
		require.Equal(t, "object", root.Type)
		require.NotNil(t, root.Properties)
	}
}

// Any JSON is either refused or made a schema of an object without null lists
// at its root, and that schema then stays as it is.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{`{}`, `true`, `{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"required":["a"]}]}}}`, `{"type":"object","properties":null,"x":[{"properties":null}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		sent, err := parameters(schema)
		if err != nil {
			return
		}
		v, ok := parse(sent)
		require.True(t, ok, "%s", sent)
		require.Equal(t, `"object"`, string(v.member("type")))
		require.True(t, v.member("properties").isObject())
		again, err := parameters(json.RawMessage(sent))
		require.NoError(t, err)
		require.Equal(t, string(sent), string(again))
	})
}
