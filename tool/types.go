package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	numberType   = reflect.TypeFor[json.Number]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	bytesType    = reflect.TypeFor[[]byte]()

	// leaves are types that the schema reflector does not look into.
	leaves = []reflect.Type{timeType, rawType, reflect.TypeFor[url.URL](), reflect.TypeFor[net.IP]()}

	schemaMaker = reflect.TypeFor[interface{ JSONSchema() *jsonschema.Schema }]()
	jsonReader  = reflect.TypeFor[json.Unmarshaler]()
	textReader  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// ownSchema tells whether t says itself what its schema is.
func ownSchema(t reflect.Type) bool { return t.Implements(schemaMaker) }

// decodes tells whether t reads JSON by code of its own, which may refuse what
// its schema allows.
func decodes(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonReader) || p.Implements(textReader)
}

// unbroken returns the fault of a type that holds itself. Path is the way to t.
func unbroken(t reflect.Type, path []reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if slices.Contains(leaves, t) || ownSchema(t) {
		return nil
	}
	if i := slices.Index(path, t); i >= 0 {
		var way strings.Builder
		for _, step := range append(path[i:], t) {
			if way.Len() > 0 {
				way.WriteString(" holds ")
			}
			way.WriteString(step.String())
		}
		return fmt.Errorf("%w: %s", ErrRecursive, &way)
	}
	path = append(path, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return unbroken(t.Elem(), path)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if hidden(f) {
				continue
			}
			if err := unbroken(f.Type, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// hidden tells whether encoding/json and the reflector leave the field out.
func hidden(f reflect.StructField) bool {
	return f.Tag.Get("json") == "-" || f.Tag.Get("jsonschema") == "-" || !f.IsExported() && !f.Anonymous
}

// certain tells whether every value that the schema of t allows can be decoded
// into t, numbers out of range aside. Where it can't be told, arguments are
// decoded once more when they are checked; see [List.Check].
func certain(t reflect.Type) bool {
	if t == rawType {
		return true
	}
	if slices.Contains(leaves, t) || ownSchema(t) || decodes(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer:
		return certain(t.Elem())
	case reflect.Slice:
		return t != bytesType && t.Elem().Kind() != reflect.Uint8 && certain(t.Elem())
	case reflect.Map:
		return t.Key().Kind() == reflect.String && !decodes(t.Key()) && certain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if strings.Contains(options, "string") || strings.Contains(options, "inline") {
				return false
			}
			if f.Anonymous && f.Type.Kind() == reflect.Pointer && !f.IsExported() {
				return false
			}
			if !hidden(f) && !certain(f.Type) {
				return false
			}
		}
		return true
	case reflect.Interface:
		return t.NumMethod() == 0
	}
	return t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
}
