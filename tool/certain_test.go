package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/triad-go/triad/llm"
)

// anyType draws a type that arguments can have.
func anyType(t *rapid.T, depth int) reflect.Type {
	leaf := rapid.SampledFrom([]reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[any](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[json.Number](),
	})
	kinds := 5
	if depth == 0 {
		kinds = 0
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 1:
		return reflect.SliceOf(anyType(t, depth-1))
	case 2:
		return reflect.MapOf(reflect.TypeFor[string](), anyType(t, depth-1))
	case 3:
		return reflect.PointerTo(anyType(t, depth-1))
	case 4:
		return reflect.ArrayOf(2, anyType(t, depth-1))
	case 5:
		return anyStruct(t, depth-1)
	}
	return leaf.Draw(t, "leaf")
}

func anyStruct(t *rapid.T, depth int) reflect.Type {
	fields := make([]reflect.StructField, rapid.IntRange(0, 4).Draw(t, "fields"))
	for i := range fields {
		options := rapid.SampledFrom([]string{"", ",omitempty", ",omitempty,string"}).Draw(t, "options")
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: anyType(t, depth),
			Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d%s"`, i, options)),
		}
	}
	return reflect.StructOf(fields)
}

// anyValue draws JSON that more or less fits typ.
func anyValue(t *rapid.T, typ reflect.Type) string {
	if rapid.IntRange(0, 9).Draw(t, "misfit") == 0 {
		return rapid.SampledFrom([]string{`null`, `1`, `-1.5`, `1e40`, `1e400`, `99999999999999999999`, `"x"`, `"5"`, `[]`, `{}`, `true`}).Draw(t, "odd")
	}
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return rapid.SampledFrom([]string{`"2026-01-01T00:00:00Z"`, `"soon"`}).Draw(t, "time")
	case typ == bytesType:
		return rapid.SampledFrom([]string{`"aGk="`, `"?"`}).Draw(t, "bytes")
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return anyValue(t, typ.Elem())
	case reflect.Slice, reflect.Array:
		items := make([]string, 2)
		for i := range items {
			items[i] = anyValue(t, typ.Elem())
		}
		return "[" + strings.Join(items, ",") + "]"
	case reflect.Map:
		return `{"k":` + anyValue(t, typ.Elem()) + `}`
	case reflect.Struct:
		members := make([]string, typ.NumField())
		for i := range members {
			members[i] = fmt.Sprintf(`"f%d":%s`, i, anyValue(t, typ.Field(i).Type))
		}
		return "{" + strings.Join(members, ",") + "}"
	case reflect.String:
		return `"s"`
	case reflect.Bool:
		return `true`
	}
	return rapid.SampledFrom([]string{`0`, `7`, `300`, `-1`, `70000`, `2.0`, `1e3`}).Draw(t, "number")
}

// TOOL-18: for random types, what the check lets through can be decoded, and
// it finds that out without decoding wherever the type is certain.
func TestWhatValidatesDecodes(t *testing.T) {
	through, certainly := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		typ := anyStruct(t, 2)
		schema, err := schemaOf(typ)
		require.NoError(t, err)
		decode := func(arguments json.RawMessage) error { return json.Unmarshal(arguments, reflect.New(typ).Interface()) }
		e, err := newEntry(Tool{
			Spec: llm.Spec{Name: "x", Schema: schema}, probe: probe{decode, !certain(typ)},
			Run: func(context.Context, Call) (Result, error) { return Result{}, nil },
		})
		require.NoError(t, err)
		object, err := parse(anyValue(t, typ))
		if err != nil {
			return
		}
		arguments, faults := e.validate(object)
		if len(faults) > 0 {
			return
		}
		through++
		if certain(typ) {
			certainly++
		}
		require.NoError(t, decode(arguments), "%v took %s", typ, arguments)
	})
	require.NotZero(t, through)
	require.NotZero(t, certainly)
}

func TestCertain(t *testing.T) {
	type quoted struct {
		N int `json:"n,string"`
	}
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[map[string][]*int]():           true,
		reflect.TypeFor[struct{ A, B any }]():          true,
		reflect.TypeFor[struct{ D time.Duration }]():   true,
		reflect.TypeFor[struct{ R json.RawMessage }](): true,
		reflect.TypeFor[struct{ N json.Number }]():     true,
		reflect.TypeFor[struct{ T time.Time }]():       false,
		reflect.TypeFor[struct{ L []*time.Time }]():    false,
		reflect.TypeFor[struct{ U url.URL }]():         false,
		reflect.TypeFor[struct{ IP net.IP }]():         false,
		reflect.TypeFor[struct{ A netip.Addr }]():      false,
		reflect.TypeFor[struct{ B []byte }]():          false,
		reflect.TypeFor[struct{ M map[int]string }]():  false,
		reflect.TypeFor[struct{ A [2]string }]():       false,
		reflect.TypeFor[struct{ E error }]():           false,
		reflect.TypeFor[quoted]():                      false,
	} {
		require.Equal(t, want, certain(typ), typ)
	}
}
