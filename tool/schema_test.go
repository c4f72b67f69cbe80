package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/triad-go/triad/tool"
)

type node struct {
	Name string  `json:"name"`
	Kids []*node `json:"kids,omitempty"`
}

type inner struct {
	Deep []map[string]struct{ Back *outer }
}

type outer struct{ In inner }

type based struct {
	Common
	Own string `json:"own"`
}

// Common is embedded.
type Common struct {
	Shared int `json:"shared"`
}

// level has a schema of its own making.
type level string

func (level) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"low", "high"}}
}

func TestSchemaFor(t *testing.T) {
	schemaOf := func(raw json.RawMessage, err error) string {
		require.NoError(t, err)
		return string(raw)
	}
	const anything = `"items":{},"type":["string","number","boolean","object","array","null"]`
	for _, c := range []struct{ name, got, want string }{
		{
			"no arguments", schemaOf(tool.SchemaFor[struct{}]()),
			`{"properties":{},"additionalProperties":false,"type":"object"}`,
		},
		{
			"a map", schemaOf(tool.SchemaFor[map[string]bool]()),
			`{"properties":{},"additionalProperties":{"type":"boolean"},"type":"object"}`,
		},
		{
			"optional, enum, default and words", schemaOf(tool.SchemaFor[struct {
				City string `json:"city" jsonschema_description:"City, as people say it"`
				Unit string `json:"unit,omitempty" jsonschema:"enum=celsius,enum=kelvin,default=celsius"`
				Zero int    `json:"zero,omitzero"`
				Skip string `json:"-"`
				own  string
			}]()),
			`{"properties":{"city":{"type":"string","description":"City, as people say it"},` +
				`"unit":{"type":"string","enum":["celsius","kelvin"],"default":"celsius"},"zero":{"type":"integer"}},` +
				`"additionalProperties":false,"type":"object","required":["city"]}`,
		},
		{
			"embedded", schemaOf(tool.SchemaFor[based]()),
			`{"properties":{"shared":{"type":"integer"},"own":{"type":"string"}},"additionalProperties":false,"type":"object","required":["shared","own"]}`,
		},
		{
			"any, raw and free maps", schemaOf(tool.SchemaFor[struct {
				Any  any             `json:"any,omitempty"`
				Raw  json.RawMessage `json:"raw,omitempty" jsonschema:"description=What you like"`
				Free map[string]any  `json:"free,omitempty"`
				List []any           `json:"list,omitempty"`
			}]()),
			`{"properties":{"any":{` + anything + `},"raw":{"description":"What you like",` + anything + `},` +
				`"free":{"additionalProperties":true,"type":"object"},"list":{"items":{` + anything + `},"type":"array"}},` +
				`"additionalProperties":false,"type":"object"}`,
		},
		{
			"times, bytes, sizes, own schemas, null", schemaOf(tool.SchemaFor[struct {
				When  time.Time     `json:"when"`
				Wait  time.Duration `json:"wait" jsonschema:"description=How long"`
				Data  []byte        `json:"data"`
				Small int8          `json:"small"`
				Count uint          `json:"count"`
				Level level         `json:"level"`
				Maybe *int          `json:"maybe" jsonschema:"nullable"`
			}]()),
			`{"properties":{"when":{"type":"string","format":"date-time"},` +
				`"wait":{"type":"integer","description":"How long (nanoseconds: 1000000000 is one second)"},` +
				`"data":{"type":"string","contentEncoding":"base64"},"small":{"type":"integer","maximum":127,"minimum":-128},` +
				`"count":{"type":"integer","minimum":0},"level":{"type":"string","enum":["low","high"]},` +
				`"maybe":{"oneOf":[{"type":"integer"},{"type":"null"}]}},` +
				`"additionalProperties":false,"type":"object","required":["when","wait","data","small","count","level","maybe"]}`,
		},
	} {
		require.Equal(t, c.want, c.got, c.name)
	}
}

func TestSchemaForRefuses(t *testing.T) {
	refused := func(_ json.RawMessage, err error) error { require.Error(t, err); return err }
	err := refused(tool.SchemaFor[node]())
	require.ErrorIs(t, err, tool.ErrRecursive)
	require.ErrorContains(t, err, "tool_test.node holds []*tool_test.node holds tool_test.node")
	err = refused(tool.SchemaFor[outer]())
	require.ErrorIs(t, err, tool.ErrRecursive)
	require.ErrorContains(t, err, "tool_test.outer holds tool_test.inner")
	require.ErrorContains(t, refused(tool.SchemaFor[string]()), "want a struct or a map")
	require.ErrorContains(t, refused(tool.SchemaFor[any]()), "want a struct or a map")
	require.ErrorContains(t, refused(tool.SchemaFor[struct{ C chan int }]()), "unsupported type chan int")

	// Using a type twice is not holding itself.
	_, err = tool.SchemaFor[struct{ A, B inner0 }]()
	require.NoError(t, err)
}

type inner0 struct{ X []level }

// The faults of New are told when the tool is registered, and by a call.
func TestNewKeepsItsFault(t *testing.T) {
	never := func(context.Context, node) (string, error) { panic("never called") }
	broken := tool.New("tree", "", never)
	require.ErrorIs(t, tool.NewRegistry(broken).Err(), tool.ErrRecursive)
	require.Equal(t, tool.Failed, broken.Do(t.Context(), tool.Call{}).Result.Outcome)

	twice := tool.New("twice", "", func(context.Context, struct{}) (string, error) { return "", nil }, tool.ReadOnly, tool.SideEffecting)
	require.ErrorContains(t, tool.NewRegistry(twice).Err(), "2 accesses")
	require.ErrorIs(t, tool.NewRegistry(tool.New[struct{}, string]("none", "", nil)).Err(), tool.ErrNoRun)
}

// The same type gives the same bytes every time, so that prompt caches work.
func TestSchemaIsDeterministic(t *testing.T) {
	first, err := tool.SchemaFor[searchIn]()
	require.NoError(t, err)
	for range 50 {
		again, err := tool.SchemaFor[searchIn]()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
}

// B073, and what else foreign servers send: an object with properties is told,
// in the order that came; the check uses what was given.
func TestForeignSchemasAreToldAsObjects(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"none", ``, `{"type":"object","properties":{}}`},
		{"null", `null`, `{"type":"object","properties":{}}`},
		{"empty", `{}`, `{"type":"object","properties":{}}`},
		{"only a type", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"null properties", `{"properties":null,"type":"object"}`, `{"type":"object","properties":{}}`},
		{
			"a draft, and other root keys",
			`{"$schema":"http://json-schema.org/draft-07/schema#","description":"d","type":"object","properties":{"f":{"$ref":"#/$defs/F"}},"$defs":{"F":{"type":"string"}}}`,
			`{"description":"d","type":"object","properties":{"f":{"$ref":"#/$defs/F"}},"$defs":{"F":{"type":"string"}}}`,
		},
		{
			"a choice", `{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`,
			`{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}],"type":"object","properties":{}}`,
		},
		{"several types", `{"type":["object","null"]}`, `{"type":"object","properties":{}}`},
		{
			"an unknown dialect, format and pattern",
			`{"$schema":"https://example.com/mine","type":"object","properties":{"a":{"type":"string","format":"odd","pattern":"^(?!x)"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","format":"odd","pattern":"^(?!x)"}}}`,
		},
	} {
		list := listOf(t, echo(c.schema))
		require.Equal(t, c.want, string(list.Specs()[0].Schema), c.name)
	}
	choice := listOf(t, echo(`{"oneOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`))
	require.Equal(t, tool.OK, run(t, choice, asks("echo", `{"a":1}`)).Outcome)
	require.Equal(t, tool.BadArguments, run(t, choice, asks("echo", `{"a":1,"b":2}`)).Outcome)
	require.Equal(t, tool.BadArguments, run(t, choice, asks("echo", `{}`)).Outcome)

	file := filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"object"}`), 0o600))
	for name, schema := range map[string]string{
		"no object": `{"type":"string"}`, "a boolean": `true`, "an array": `[]`, "a wrong keyword": `{"type":"object","required":"a"}`,
		"a dangling reference": `{"properties":{"a":{"$ref":"#/$defs/gone"}}}`, "another document": `{"$ref":"https://example.com/s.json"}`,
		"a file": `{"$ref":"file://` + file + `"}`, "two values": `{"type":"object"} {}`,
	} {
		require.ErrorIs(t, tool.NewRegistry(echo(schema)).Err(), tool.ErrBadSchema, name)
	}
}
