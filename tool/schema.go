package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// ErrRecursive is the fault of a type that holds itself: a schema without
// references would never end. Hold the inner part as [json.RawMessage].
var ErrRecursive = errors.New("a type that holds itself has no schema")

// SchemaFor returns the JSON Schema of T, a struct or a map with text keys, as
// a model is told it. The same T always gives the same bytes.
//
// Names are those of encoding/json. A field is required unless it is tagged
// omitempty or omitzero; a pointer is not nullable unless tagged
// `jsonschema:"nullable"`. Words come from tags (of
// [github.com/invopop/jsonschema]):
//
//	City string `json:"city" jsonschema:"description=City name"`
//	Unit string `json:"unit,omitempty" jsonschema:"enum=celsius,enum=kelvin,default=celsius"`
//	Note string `json:"note,omitempty" jsonschema_description:"Commas, as here, are fine."`
//
// An object of a struct takes no other properties. A [time.Time] is a
// date-time, a [time.Duration] a number of nanoseconds (better: a field in
// seconds), []byte is base64, any and [json.RawMessage] are any JSON. Sized and
// unsigned integers say their range. A type with a JSONSchema method speaks for
// itself. Types that JSON can't hold and types that hold themselves are an error.
func SchemaFor[T any]() (json.RawMessage, error) { return schemaOf(reflect.TypeFor[T]()) }

func schemaOf(t reflect.Type) (_ json.RawMessage, err error) {
	defer func() {
		// The reflector panics at what JSON can't hold, and runs methods of T.
		if p := recover(); p != nil {
			err = fmt.Errorf("tool: schema of %v: %v", t, p)
		}
	}()
	if err := unbroken(t, nil); err != nil {
		return nil, fmt.Errorf("tool: schema of %v: %w", t, err)
	}
	reflector := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: mapped}
	schema := reflector.ReflectFromType(t)
	schema.Version = ""
	if schema.Type != "object" {
		return nil, fmt.Errorf("tool: schema of %v: arguments are an object: want a struct or a map with text keys", t)
	}
	if schema.Properties == nil {
		schema.Properties = jsonschema.NewProperties()
	}
	finish(schema)
	return json.Marshal(schema)
}

// nanoseconds marks the schema of a time.Duration until its description is known.
const nanoseconds = "nanoseconds"

// mapped returns the schemas of types that the reflector says too little of.
func mapped(t reflect.Type) *jsonschema.Schema {
	integer := func(least, most json.Number) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: least, Maximum: most}
	}
	switch {
	case t == durationType:
		return &jsonschema.Schema{Type: "integer", Comments: nanoseconds}
	case t == numberType:
		return &jsonschema.Schema{Type: "number"}
	case t == timeType || ownSchema(t) || decodes(t):
		return nil
	}
	switch t.Kind() {
	case reflect.Int8:
		return integer("-128", "127")
	case reflect.Int16:
		return integer("-32768", "32767")
	case reflect.Int32:
		return integer("-2147483648", "2147483647")
	case reflect.Uint8:
		return integer("0", "255")
	case reflect.Uint16:
		return integer("0", "65535")
	case reflect.Uint32:
		return integer("0", "4294967295")
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return integer("0", "")
	}
	return nil
}

// finish says in s and below what the reflector leaves open: strict servers
// refuse the schema "true", and an object that does not say what else it holds.
func finish(s *jsonschema.Schema) {
	if s.Comments == nanoseconds {
		s.Comments = ""
		s.Description = strings.TrimSpace(s.Description + " (nanoseconds: 1000000000 is one second)")
	}
	if s.Type == "object" && s.AdditionalProperties == nil {
		s.AdditionalProperties = jsonschema.TrueSchema
	}
	below := func(s *jsonschema.Schema) {
		if s == nil || s == jsonschema.TrueSchema || s == jsonschema.FalseSchema {
			return
		}
		if open(s) {
			s.Extras = map[string]any{
				"type":  []string{"string", "number", "boolean", "object", "array", "null"},
				"items": struct{}{},
			}
			return
		}
		finish(s)
	}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		below(pair.Value)
	}
	for _, inner := range s.PatternProperties {
		below(inner)
	}
	below(s.Items)
	if s.AdditionalProperties != nil && !open(s.AdditionalProperties) {
		below(s.AdditionalProperties)
	}
	for _, inner := range s.OneOf {
		below(inner)
	}
}

// open tells whether s says nothing of what it describes but words about it.
func open(s *jsonschema.Schema) bool {
	said := *s
	said.Title, said.Description, said.Default, said.Examples = "", "", nil, nil
	return reflect.DeepEqual(said, jsonschema.Schema{})
}
