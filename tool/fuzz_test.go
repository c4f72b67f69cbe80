package tool_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/triad-go/triad/tool"
)

// FuzzCheck: whatever the schema and the arguments, a check ends without a
// panic; what it lets through is an object, is its own canonical form, and is
// the same after it was recorded.
func FuzzCheck(f *testing.F) {
	for _, schema := range []string{
		``, `{}`, `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":2}},"required":["n"]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"string"}]}}}`,
		`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"x":{"$ref":"#"}},"unevaluatedProperties":false}}}`,
		`{"anyOf":[{"properties":{"k":{"const":1}}},{"not":{}}],"patternProperties":{"^(?=a)":{"multipleOf":0.1}}}`,
	} {
		for _, arguments := range []string{``, `{"n":3.0}`, `{"n":"3","a":[1]}`, `"{\"x\":{\"x\":{}}}"`, `{"a":1e400,"a":-0.0}`, `[`, "{\"\xff\":\"\u2028<\"}"} {
			f.Add(schema, arguments)
		}
	}
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		for _, convert := range []bool{false, true} {
			tried := echo(schema)
			tried.Convert = convert
			registry := tool.NewRegistry(tried)
			if registry.Err() != nil {
				return
			}
			list := registry.List()
			check := list.Check(asks("echo", arguments), tool.AskForSideEffects)
			if check.Stopped() {
				if check.Text == "" || check.Arguments != nil {
					t.Fatalf("a stopped call says why, and has no arguments: %+v", check)
				}
				continue
			}
			var object map[string]any
			if err := json.Unmarshal(check.Arguments, &object); err != nil {
				t.Fatalf("let through %s: %v", check.Arguments, err)
			}
			again := list.Check(asks("echo", string(check.Arguments)), nil)
			if string(again.Arguments) != string(check.Arguments) {
				t.Fatalf("%s became %s", check.Arguments, again.Arguments)
			}
			recorded, err := json.Marshal(check)
			var back tool.Check
			if err != nil || json.Unmarshal(recorded, &back) != nil || string(back.Arguments) != string(check.Arguments) {
				t.Fatalf("%s was recorded as %s", check.Arguments, back.Arguments)
			}
		}
	})
}

// everything has a field of each kind.
type everything struct {
	Text   string            `json:"text,omitempty"`
	Int    int               `json:"int,omitempty"`
	Small  int8              `json:"small,omitempty"`
	Count  uint64            `json:"count,omitempty"`
	Half   float32           `json:"half,omitempty"`
	On     *bool             `json:"on,omitempty"`
	List   []int16           `json:"list,omitempty"`
	Pair   [2]string         `json:"pair,omitempty"`
	Map    map[string]uint8  `json:"map,omitempty"`
	Number map[int]string    `json:"number,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	When   time.Time         `json:"when,omitzero"`
	Wait   time.Duration     `json:"wait,omitempty"`
	Any    any               `json:"any,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Quoted int               `json:"quoted,omitempty,string"`
	Deep   []map[string]Deep `json:"deep,omitempty"`
}

// Deep is nested.
type Deep struct {
	X *float64 `json:"x" jsonschema:"nullable"`
}

// FuzzTyped: what the check lets through can be decoded into the function's type.
func FuzzTyped(f *testing.F) {
	for _, arguments := range []string{
		`{"text":"t","int":1e3,"small":127,"count":18446744073709551615,"half":1e38,"on":true}`,
		`{"int":9223372036854775808}`, `{"half":1e39}`, `{"count":-1}`, `{"list":[32767,1.0]}`, `{"pair":["a","b"]}`,
		`{"map":{"a":255},"number":{"1":"x"}}`, `{"bytes":"aGk="}`, `{"bytes":"?"}`, `{"when":"2026-01-01T00:00:00Z"}`,
		`{"when":"soon"}`, `{"wait":1e99}`, `{"any":{"a":[null]},"raw":[1]}`, `{"quoted":"5"}`, `{"quoted":"x"}`, `{"deep":[{"k":{"x":null}}]}`,
	} {
		f.Add(arguments)
	}
	list := listOf(f, tool.New("typed", "", func(context.Context, everything) (string, error) { return "decoded", nil }))
	typed, _ := list.Find("typed")
	f.Fuzz(func(t *testing.T, arguments string) {
		check := list.Check(asks("typed", arguments), nil)
		if check.Stopped() {
			return
		}
		if r := typed.Do(t.Context(), tool.Call{Arguments: check.Arguments}).Result; r.Text != "decoded" {
			t.Fatalf("%s was let through: %s", check.Arguments, r.Text)
		}
	})
}
